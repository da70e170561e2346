"""The tests run the real binary, which `go build` makes from this clone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Callable

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]

Hooks = Callable[..., Path]


@pytest.fixture(scope="session")
def binary(tmp_path_factory: pytest.TempPathFactory) -> str:
    if os.environ.get("HOOKRUN_TEST_BINARY"):
        return os.environ["HOOKRUN_TEST_BINARY"]  # of the step, or of the test that runs this one
    path = tmp_path_factory.mktemp("bin") / "hookrun"
    subprocess.run(["go", "build", "-ldflags=-s -w", "-o", str(path), "."], cwd=REPOSITORY, check=True,
                   env={**os.environ, "CGO_ENABLED": "0"})
    return str(path)


@pytest.fixture(autouse=True)
def environment(binary: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hooks of the user that runs the tests do not count, and no gate may leave a process or descriptor."""
    monkeypatch.setenv("HOOKRUN", binary)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path) + "-state")  # a gate refuses one in its workspace
    for name in ("HOOKRUN_TRUST", "HOOKRUN_LOG", "HOOKRUN_STATE", "HOOKRUN_SKIP"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def hooks(tmp_path: Path) -> Hooks:
    """Writes the hooks file of a project, and returns the folder."""

    def write(*entries: dict[str, Any]) -> Path:
        folder = tmp_path / "project"
        folder.mkdir(exist_ok=True)
        (folder / ".tenex-hooks.json").write_text(json.dumps({"hooks": list(entries)}))
        return folder

    return write


def entry(event: str, script: str, name: str = "hook", **more: Any) -> dict[str, Any]:
    """A hook of one event, as a line for sh."""
    return {"name": name, "command": script, "events": [event], **more}


def echo_n(event: str) -> dict[str, Any]:
    """A persistent hook, which answers one call after the other with the argument n of the call."""
    script = """while read -r line; do n=${line#*'"n":'}; echo '{"stdout":"n is '${n%%\\}*}'"}'; done"""
    return entry(event, script, persistent=True)


def answer(event: str, output: dict[str, Any], name: str = "hook", **more: Any) -> dict[str, Any]:
    """A hook that prints one answer."""
    return entry(event, f"cat >/dev/null; cat <<'END'\n{json.dumps(output)}\nEND", name, **more)


def specific(**keys: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": keys}


def children() -> set[int]:
    """The processes that this process has started and that have not ended."""
    found = set()
    for task in os.listdir("/proc/self/task"):
        try:
            found |= {int(pid) for pid in Path(f"/proc/self/task/{task}/children").read_text().split()}
        except FileNotFoundError:
            pass
    return found


def descriptors() -> set[str]:
    found = set()
    for fd in os.listdir("/proc/self/fd"):
        try:
            found.add(f"{fd} {os.readlink('/proc/self/fd/' + fd)}")
        except FileNotFoundError:
            pass
    return found


def threads() -> list[str]:
    return [t.name for t in threading.enumerate() if t.name.startswith("hookrun-")]


linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.fixture(autouse=True)
def nothing_left(environment: None) -> Any:
    """After each test no process, descriptor or thread of a gate is left."""
    if sys.platform != "linux":
        yield
        return
    before = children(), descriptors()
    yield
    assert threads() == []
    assert children() - before[0] == set()
    assert {d for d in descriptors() - before[1] if "pipe:" in d} == set()


class Hanging:
    """A hook that says that it runs, and then hangs until it is killed."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "fifo"
        os.mkfifo(self.path)
        self.script = f"cat >/dev/null; exec 3>'{self.path}'; echo ready >&3; exec sleep 600"
        self._end: Any = None

    def wait(self) -> None:
        """Returns once the hook runs."""
        self._end = open(self.path, encoding="ascii")
        assert self._end.readline() == "ready\n"

    def wait_killed(self) -> None:
        """Returns once the hook is gone: the kernel closes its end."""
        assert self._end.read() == ""
        self._end.close()


@pytest.fixture
def hanging(tmp_path: Path) -> Hanging:
    return Hanging(tmp_path)
