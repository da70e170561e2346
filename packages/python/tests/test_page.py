"""The example of the page about the package prints what the page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from conftest import REPOSITORY

PAGE = REPOSITORY / "docs" / "reference" / "python.md"


def test_example(tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, text in re.findall(r"^`([^`\n]+)`:\n\n```\w+\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        (tmp_path / name).write_text(text)
    expected, = re.findall(r"^\$ python3 loop\.py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    done = subprocess.run([sys.executable, "loop.py"], cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(REPOSITORY / "packages" / "python" / "src")})
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, "")
