from __future__ import annotations

import os
from pathlib import Path
from typing import Any

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true", CREWAI_TRACING_ENABLED="false",
                  CREWAI_TESTING="true")

import pytest
from crewai import LLM, Agent, Crew, Task
from crewai.hooks.dispatch import HookAborted
from crewai.tools import tool
from kit import *
from kit import serving
from kit import shell as run_shell

from hookrun import Gate
from hookrun.adapters.crewai import hooks as crew_hooks

SEEN: dict[str, Any] = {}


os.environ.pop("CREWAI_TESTING", None)
EXAMPLE = "crewai_crew.py"


def play(workspace: Path, command: str, ran: list[str], **options: Any) -> list[str]:
    @tool("shell")
    def shell(command: str) -> str:
        """Runs a command."""
        return run_shell(command, ran)

    SEEN.clear()
    with serving(command) as model, Gate(workspace, **options) as gate:
        llm = LLM(model="gpt-4o", provider="openai", base_url=model.url + "/v1", api_key="none")
        agent = Agent(role="r", goal="g", backstory="b", llm=llm, tools=[shell], cache=False)
        crew = Crew(agents=[agent], tasks=[Task(description="go", expected_output="done", agent=agent)])
        try:
            with crew_hooks(gate):
                crew.kickoff()
        finally:
            SEEN["asked"] = model.asked
        return model.shown


def test_stop(run: Any) -> None:
    for command, asked in ("stop", 1), ("last", 1), ("rm last", 1):
        with pytest.raises(HookAborted, match="enough"):
            run(command)
        assert SEEN["asked"] == asked, "the model is not called again"


def test_no_verdict_is_told(run: Any) -> None:
    ran, shown = run("pwd", binary="/bin/false")
    assert ran == [] and "The tool did not run: /bin/false serve has ended" in shown[0]


def test_error(run: Any) -> None:
    assert run("fail") == (["fail"], ["Error executing tool: no such file"])
    assert run("fail loudly") == (["fail loudly"], ["[removed]"])
