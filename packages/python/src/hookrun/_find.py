"""Finds the hookrun binary."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path

from ._errors import HookrunError

NAME = "hookrun.exe" if os.name == "nt" else "hookrun"


def find_hookrun(binary: str | os.PathLike[str] | None = None, env: Mapping[str, str] | None = None) -> str:
    """Returns the path of the binary: the argument, $HOOKRUN, the packaged binary, or hookrun on PATH."""
    environ = os.environ if env is None else env
    for source, value in ("the argument binary", binary), ("$HOOKRUN", environ.get("HOOKRUN")):
        if value:
            given = os.fspath(value)
            found = _on_path(given, environ) if os.path.basename(given) == given else _file(given)
            if found is None:
                raise HookrunError(f"{source} is {given!r}, which is no program; {_hint()}")
            return found
    for folder in _packaged():
        found = _file(os.path.join(folder, NAME))
        if found is not None:
            return found
    found = _on_path(NAME, environ)
    if found is None:
        raise HookrunError(f"there is no hookrun beside this module or on PATH; {_hint()}")
    return found


def _hint() -> str:
    return f"install it: {sys.executable or 'python3'} -m pip install --force-reinstall hookrun"


def _file(path: str) -> str | None:
    path = os.path.abspath(path)
    if os.name == "nt" and not os.path.splitext(path)[1]:
        path += ".exe"
    return path if os.path.isfile(path) and os.access(path, os.X_OK) else None


def _packaged() -> Iterator[str]:
    """Yields the folders that pip may have put the wheel's script into."""
    package = Path(__file__).resolve().parent
    scripts = "Scripts" if os.name == "nt" else "bin"
    yield str(package.parent / scripts)  # pip install --target
    if package.parent.name in ("site-packages", "dist-packages"):
        up = 2 if os.name == "nt" else 3  # PREFIX\Lib\site-packages, PREFIX/lib/python3.x/site-packages
        if len(package.parents) > up:
            yield str(package.parents[up] / scripts)
        yield sysconfig.get_path("scripts")
        user = "nt_user" if os.name == "nt" else "posix_user"
        if sys.version_info >= (3, 10):
            user = sysconfig.get_preferred_scheme("user")  # another one on some systems
        yield sysconfig.get_path("scripts", scheme=user)


def _on_path(name: str, environ: Mapping[str, str]) -> str | None:
    """Like shutil.which, but never in the current folder: an agent may have written a program there."""
    if os.name == "nt" and not os.path.splitext(name)[1]:
        name += ".exe"
    for folder in environ.get("PATH", os.defpath).split(os.pathsep):
        found = _file(os.path.join(folder, name)) if os.path.isabs(folder) else None
        if found is not None:
            return found
    return None
