"""Runs the cases of each adapter with its framework from PyPI, in a venv of its own. HOOKRUN_TEST_ALL=1 has it run.

$HOOKRUN_TEST_VENVS is a folder that keeps the venvs, by default .venvs of the package.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parents[1]
FRAMEWORKS = {
    "langchain": ["langchain==1.5.2", "langgraph==1.2.24", "langchain-openai"],
    "openai_agents": ["openai-agents==0.24.0"],
    "pydantic_ai": ["pydantic-ai-slim[openai]==2.68.0"],
    "claude_agent": ["claude-agent-sdk==0.2.189"],
    "google_adk": ["google-adk==2.13.0"],
    "crewai": ["crewai==1.15.30"],
    "massgen": ["massgen==0.1.97", "mcp<2", "agentscope<2"],  # this release of massgen does not start with mcp 2
}

pytestmark = pytest.mark.skipif(not os.environ.get("HOOKRUN_TEST_ALL"), reason="it installs frameworks from PyPI")


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_adapter(name: str, binary: str) -> None:
    folder = Path(os.environ.get("HOOKRUN_TEST_VENVS") or PACKAGE / ".venvs") / name
    python = folder / "bin" / "python"
    mark = folder / "installed"
    if not mark.exists() or mark.read_text() != " ".join(FRAMEWORKS[name]):
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", "pytest", *FRAMEWORKS[name]], check=True)
        mark.write_text(" ".join(FRAMEWORKS[name]))
    paths = os.pathsep.join([str(PACKAGE / "src"), str(HERE.parent)])
    done = subprocess.run([str(python), "-m", "pytest", "-q", "-W", "ignore", "-p", "conftest",
                           str(HERE / f"cases_{name}.py")], cwd=PACKAGE, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": paths, "HOOKRUN_TEST_BINARY": binary})
    assert done.returncode == 0, done.stdout[-10_000:] + done.stderr[-2_000:]


def test_versions_on_the_page() -> None:
    """The page names the versions that are tested here."""
    page = (REPOSITORY / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    for name, packages in FRAMEWORKS.items():
        version = packages[0].split("==")[1]
        assert re.search(rf"^\|[^|]* {re.escape(version)} \| `{name}` ", page, re.MULTILINE), f"{name} {version}"


@pytest.mark.parametrize("path", sorted((PACKAGE / "examples").glob("*.py")), ids=lambda path: path.name)
def test_example(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 40
    compile("\n".join(lines), str(path), "exec")
