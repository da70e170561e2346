#!/usr/bin/env python3
"""Writes the wheels of the Python package hookrun into DIR: tools/packages/wheels.py DIR

DIR has the archives of a release, hookrun_V_OS_ARCH.tar.gz or .zip. For each archive there is one wheel, with the
module of packages/python and the archive's binary as a script. A wheel is a zip with a list of its files and their
sums. Equal archives give equal wheels: the order, times and modes of the files are fixed.
"""
import base64
import hashlib
import re
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "packages" / "python"
MODULE = PACKAGE / "src" / "hookrun"

# The binary for Linux is static, so one wheel serves systems with glibc and with musl. Go needs macOS 12.
TAGS = {
    "linux_amd64": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux_arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "linux_armv7": "manylinux_2_17_armv7l.manylinux2014_armv7l.musllinux_1_1_armv7l",
    "linux_riscv64": "manylinux_2_17_riscv64.musllinux_1_1_riscv64",
    "darwin_amd64": "macosx_12_0_x86_64",
    "darwin_arm64": "macosx_12_0_arm64",
    "windows_amd64": "win_amd64",
    "windows_arm64": "win_arm64",
}
ARCHIVE = re.compile(r"hookrun_(?P<version>[^_]+)_(?P<system>[a-z]+_[a-z0-9]+)\.(?:tar\.gz|zip)$")
SEMVER = re.compile(r"(?P<release>\d+\.\d+\.\d+)(?:-(?P<phase>alpha|beta|rc)\.?(?P<number>\d+))?")

METADATA = """\
Metadata-Version: 2.4
Name: hookrun
Version: {version}
Summary: Runs the hooks of a project around the tool calls of an agent loop
License-Expression: MIT
License-File: LICENSE
Project-URL: Source, https://github.com/hookrun/hookrun
Classifier: Operating System :: MacOS
Classifier: Operating System :: Microsoft :: Windows
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Requires-Python: >=3.9
Description-Content-Type: text/markdown

"""


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: wheels.py DIR, a folder with the archives of a release")
    folder = Path(sys.argv[1])
    archives = sorted(path for path in folder.glob("hookrun_*") if ARCHIVE.match(path.name))
    archives = [path for path in archives if ARCHIVE.match(path.name)["system"] in TAGS]
    if not archives:
        sys.exit(f"wheels.py: {folder} has no archive hookrun_VERSION_OS_ARCH.tar.gz; tools/release.sh writes them")
    for archive in archives:
        print(write(folder, archive).name)


def write(folder, archive):
    """Writes the wheel of one archive, and returns the wheel's path."""
    found = ARCHIVE.match(archive.name)
    version = python_version(found["version"])
    tags = TAGS[found["system"]]
    name = "hookrun.exe" if found["system"].startswith("windows") else "hookrun"
    info = f"hookrun-{version}.dist-info"
    wheel = "Wheel-Version: 1.0\nGenerator: hookrun\nRoot-Is-Purelib: false\n" + "".join(
        f"Tag: py3-none-{tag}\n" for tag in tags.split("."))
    readme = (PACKAGE / "README.md").read_text(encoding="utf-8")
    files = {
        f"hookrun-{version}.data/scripts/{name}": binary(archive, name),
        f"{info}/licenses/LICENSE": (ROOT / "LICENSE").read_bytes(),
        f"{info}/METADATA": (METADATA.format(version=version) + readme).encode(),
        f"{info}/WHEEL": wheel.encode(),
    }
    for path in MODULE.rglob("*"):
        if path.suffix == ".py" or path.name == "py.typed":
            files["hookrun/" + path.relative_to(MODULE).as_posix()] = path.read_bytes()
    record = "".join(f"{path},sha256={digest(data)},{len(data)}\n" for path, data in sorted(files.items()))
    record += f"{info}/RECORD,,\n"
    target = folder / f"hookrun-{version}-py3-none-{tags}.whl"
    with zipfile.ZipFile(target, "w") as out:
        for path, data in [*sorted(files.items()), (f"{info}/RECORD", record.encode())]:
            member = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            member.create_system = 3  # Unix, also where this runs on Windows
            member.external_attr = (0o100755 if "/scripts/" in path else 0o100644) << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(member, data, compresslevel=9)
    return target


def python_version(version):
    """Returns the version as Python writes it: 1.0.0-rc.1 is 1.0.0rc1."""
    found = SEMVER.fullmatch(version)
    if not found:
        sys.exit(f"wheels.py: {version} is no version of a package; give 1.2.3 or 1.2.3-rc.1")
    phase = {"alpha": "a", "beta": "b", "rc": "rc", None: ""}[found["phase"]]
    return found["release"] + phase + (found["number"] or "")


def binary(archive, name):
    """Returns the binary of an archive, which stands at its top or in its one folder."""
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as file:
            found = [file.read(path) for path in file.namelist() if path.split("/")[-1] == name]
    else:
        with tarfile.open(archive) as file:
            members = [m for m in file.getmembers() if m.isfile() and m.name.split("/")[-1] == name]
            found = [file.extractfile(m).read() for m in members]
    if len(found) != 1:
        sys.exit(f"wheels.py: {archive} has {len(found)} files {name}, and must have one")
    return found[0]


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    main()
