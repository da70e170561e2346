from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types
from kit import *
from kit import shell as run_shell

from hookrun import AsyncGate
from hookrun.adapters.google_adk import HookrunPlugin

SEEN: dict[str, Any] = {}
EXAMPLE, EXAMPLE_ENV = "google_adk_agent.py", {"GOOGLE_API_KEY": "none", "GOOGLE_GENAI_USE_VERTEXAI": "false"}


class Scripted(BaseLlm):
    command: str

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
        parts = [p for content in llm_request.contents for p in content.parts]
        SEEN["asked"] = SEEN.get("asked", 0) + 1
        SEEN["prompt"] = parts[0].text
        SEEN["shown"] = [p.function_response.response for p in parts if p.function_response]
        part = types.Part(text="all done")
        if not SEEN["shown"]:
            call = types.FunctionCall(name="shell", args={"command": self.command}, id="call-1")
            part = types.Part(function_call=call)
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def play(workspace: Path, command: str, ran: list[str], **options: Any) -> list[str]:
    def shell(command: str) -> str:
        """Runs a command."""
        return run_shell(command, ran)

    SEEN.clear()

    async def main() -> None:
        async with AsyncGate(workspace, **options) as gate:
            agent = LlmAgent(name="a", model=Scripted(model="scripted", command=command), tools=[shell])
            runner = InMemoryRunner(agent, app_name="test", plugins=[HookrunPlugin(gate)])
            await runner.run_debug("go", quiet=True)

    asyncio.run(main())
    return [str(value) for answer in SEEN["shown"] for value in answer.values()]


def test_stop(run: Any) -> None:
    assert run("stop")[0] == [] and SEEN["asked"] == 1, "the model is not called again"
    assert run("last")[0] == ["last"] and SEEN["asked"] == 1
    assert run("rm last")[0] == [] and SEEN["asked"] == 1


def test_no_verdict_ends_the_run(run: Any) -> None:
    with pytest.raises(Exception, match="serve has ended"):
        run("pwd", binary="/bin/false")


def test_error_goes_on(run: Any) -> None:
    with pytest.raises(RuntimeError, match="^no such file$"):
        run("fail")
    assert run("fail loudly") == (["fail loudly"], ["[removed]"])


def test_prompt(hooks: Any) -> None:
    play(hooks({"name": "p", "command": "echo more", "events": ["pre-execute"]}), "pwd", [])
    assert SEEN["prompt"] == "go\n\nmore"
    deny = "echo '{\"decision\":\"block\",\"reason\":\"not this\"}'"
    with pytest.raises(Exception, match="not this"):
        play(hooks({"name": "p", "command": deny, "events": ["pre-execute"]}), "pwd", [])
