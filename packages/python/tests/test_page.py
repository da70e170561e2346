"""The first block of the page and of the README is a program that runs as it stands, and prints what they say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY

PACKAGE = REPOSITORY / "packages" / "python"


@pytest.mark.parametrize("path", [REPOSITORY / "docs" / "reference" / "python.md", PACKAGE / "README.md"],
                         ids=lambda path: path.name)
def test_first_block(path: Path, tmp_path: Path) -> None:
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    (language, program), (kind, printed) = blocks[:2]
    assert (language, kind) == ("python", "text")
    (tmp_path / "loop.py").write_text(program)
    done = subprocess.run([sys.executable, "loop.py"], cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(PACKAGE / "src")})
    assert (done.returncode, done.stdout, done.stderr) == (0, printed, "")
