"""The wheels: equal bytes, and a package that works where there is no clone."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY, Hooks

WHEELS = REPOSITORY / "tools" / "packages" / "wheels.py"
VERSION = "1.0.0"


def archive(folder: Path, system: str, binary: str, version: str = VERSION) -> None:
    """Writes an archive as tools/release.sh does."""
    files = {"hookrun": Path(binary), "LICENSE": REPOSITORY / "LICENSE", "README.md": REPOSITORY / "README.md"}
    if system.startswith("windows"):
        with zipfile.ZipFile(folder / f"hookrun_{version}_{system}.zip", "w") as out:
            for name, path in files.items():
                out.write(path, name + ".exe" if name == "hookrun" else name)
        return
    with tarfile.open(folder / f"hookrun_{version}_{system}.tar.gz", "w:gz", compresslevel=1) as out:
        for name, path in files.items():
            out.add(path, name)


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(WHEELS), str(folder)], capture_output=True, text=True)


@pytest.fixture(scope="session")
def wheel(binary: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    archive(folder, "linux_amd64", binary)
    done = build(folder)
    assert done.returncode == 0, done.stderr
    path, = folder.glob("*.whl")
    assert path.name == "hookrun-1.0.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64.whl"
    return path


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty venv with the wheel."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder)
    pip(folder, "--no-index", str(wheel))
    return folder


def pip(folder: Path, *flags: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "install", "-q", *flags],
                   check=True)


def outside(tmp_path: Path, **more: str) -> dict[str, str]:
    """An environment that knows neither the clone nor the binary of the tests."""
    return {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), **more}


def test_command(installed: Path, hooks: Hooks, tmp_path: Path) -> None:
    folder = hooks({"name": "r", "block": "Do not force-push.", "events": ["pre-tool"],
                    "if": "shell(git push --force*)"})
    command = str(installed / "bin" / "hookrun")
    done = subprocess.run([command, "version"], capture_output=True, text=True, env=outside(tmp_path), cwd=tmp_path)
    assert done.returncode == 0 and done.stdout.startswith("hookrun ")
    done = subprocess.run([command, "pre-tool", "--tool", "shell", "--args", '{"command":"git push --force"}'],
                          capture_output=True, text=True, env=outside(tmp_path), cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "Do not force-push.\n")


MODULE = """
import json, sys
import hookrun
with hookrun.Gate(sys.argv[1]) as gate:
    try:
        gate.wrap("shell", {"command": "git push --force"}, lambda args: sys.exit("the tool ran"))
    except hookrun.Blocked as blocked:
        print(json.dumps([hookrun.find_hookrun(), blocked.reason, gate.wrap("shell", {"command": "ls"}, str)]))
"""


def run_module(python: Path, folder: Path, env: dict[str, str]) -> Any:
    done = subprocess.run([str(python), "-c", MODULE, str(folder)], capture_output=True, text=True, env=env, cwd="/")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_module(installed: Path, hooks: Hooks, tmp_path: Path, wheel: Path) -> None:
    folder = hooks({"name": "r", "block": "Do not force-push.", "events": ["pre-tool"],
                    "if": "shell(git push --force*)"})
    python = installed / "bin" / "python"
    found = run_module(python, folder, outside(tmp_path))
    assert found == [str(installed / "bin" / "hookrun"), "Do not force-push.", "{'command': 'ls'}"]
    for flags, place in (["--target"], "bin/hookrun"), (["--prefix"], "bin/hookrun"):
        where = tmp_path / flags[0]
        pip(installed, "--no-index", "--ignore-installed", *flags, str(where), str(wheel))
        module, = where.glob("**/hookrun/__init__.py")
        found = run_module(Path(sys.executable), folder, outside(tmp_path, PYTHONPATH=str(module.parents[1])))
        assert found[:2] == [str(where / place), "Do not force-push."]


def test_contents(wheel: Path, binary: str) -> None:
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
        assert {m.date_time for m in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        program = file.getinfo("hookrun-1.0.0.data/scripts/hookrun")
        assert program.external_attr >> 16 == 0o100755
        assert file.read(program) == Path(binary).read_bytes()
        record = file.read("hookrun-1.0.0.dist-info/RECORD").decode()
    assert [line.split(",")[0] for line in record.splitlines()] == names
    assert "hookrun/py.typed" in names and "hookrun/adapters/__init__.py" in names
    assert not [name for name in names if "test" in name or "__pycache__" in name]


def test_equal_bytes(tmp_path: Path) -> None:
    sums = set()
    for name, time in ("a", 0), ("b", 1_000_000_000):
        folder = tmp_path / name
        folder.mkdir()
        program = folder / "program"
        program.write_text("x")
        os.utime(program, (time, time))
        archive(folder, "linux_amd64", str(program))
        assert build(folder).returncode == 0
        made, = folder.glob("*.whl")
        sums.add(hashlib.sha256(made.read_bytes()).digest())
    assert len(sums) == 1


def test_all_systems(tmp_path: Path) -> None:
    small = tmp_path / "program"
    small.write_text("x")
    dist = tmp_path / "dist"
    dist.mkdir()
    for system in ("linux_amd64", "linux_arm64", "linux_armv7", "linux_riscv64", "darwin_amd64", "darwin_arm64",
                   "windows_amd64", "windows_arm64"):
        archive(dist, system, str(small), "1.2.0-rc.1")
    (dist / "hookrun_1.2.0-rc.1_amd64.deb").write_text("not for this script")
    done = build(dist)
    assert done.returncode == 0, done.stderr
    tags = sorted(path.name.removeprefix("hookrun-1.2.0rc1-py3-none-").split(".")[0] for path in dist.glob("*.whl"))
    assert tags == ["macosx_12_0_arm64", "macosx_12_0_x86_64", "manylinux_2_17_aarch64", "manylinux_2_17_armv7l",
                    "manylinux_2_17_riscv64", "manylinux_2_17_x86_64", "win_amd64", "win_arm64"]
    with zipfile.ZipFile(dist / "hookrun-1.2.0rc1-py3-none-win_amd64.whl") as file:
        assert file.read("hookrun-1.2.0rc1.data/scripts/hookrun.exe") == b"x"


def test_errors(tmp_path: Path) -> None:
    done = build(tmp_path)
    assert done.returncode == 1 and "has no archive hookrun_VERSION_OS_ARCH.tar.gz" in done.stderr
    small = tmp_path / "program"
    small.write_text("x")
    archive(tmp_path, "linux_amd64", str(small), "latest")
    done = build(tmp_path)
    assert done.returncode == 1 and "latest is no version of a package" in done.stderr
