from __future__ import annotations

import asyncio
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from kit import *
from kit import shell as run_shell
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ModelRetry
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

from hookrun import AsyncGate, HookrunError, Stopped
from hookrun.adapters import guard_prompt
from hookrun.adapters.pydantic_ai import Hookrun


EXAMPLE = "pydantic_ai_agent.py"


def play(workspace: Path, command: str, ran: list[str], approve: bool | None = None, retry: bool = False,
         **options: Any) -> list[str]:
    seen: list[str] = []

    def model(messages: Any, info: Any) -> ModelResponse:
        seen[:] = [str(p.content) for m in messages for p in m.parts if isinstance(p, ToolReturnPart)]
        if seen:
            return ModelResponse([TextPart("all done")])
        return ModelResponse([ToolCallPart("shell", {"command": command}, "call-1")])

    def shell(command: str) -> str:
        """Runs a command."""
        try:
            return run_shell(command, ran)
        except RuntimeError as error:
            if retry:
                raise ModelRetry(str(error)) from error
            raise

    async def main() -> None:
        async with AsyncGate(workspace, **options) as gate:
            agent = Agent(FunctionModel(model), tools=[shell], output_type=[str, DeferredToolRequests],
                          capabilities=[Hookrun(gate, ask="block" if approve is None else "approval")])
            result = await agent.run("go" if options else await guard_prompt(gate, "go"))
            if approve is not None:
                assert ran == [] and isinstance(result.output, DeferredToolRequests)
                assert result.output.metadata == {"call-1": {"reason": "who may?"}}
                said = DeferredToolResults(approvals={"call-1": approve})
                result = await agent.run(message_history=result.all_messages(), deferred_tool_results=said)
            assert result.output == "all done"

    asyncio.run(main())
    return seen


def test_stop(run: Any) -> None:
    for command in "stop", "last", "rm last":
        with pytest.raises(Stopped, match="^enough$"):
            run(command)


def test_no_verdict_ends_the_run(run: Any) -> None:
    with pytest.raises(HookrunError):
        run("pwd", binary="/bin/false")


def test_ask_a_person(run: Any) -> None:
    assert run("ask", approve=True) == (["ask"], ["ran ask"])
    assert run("ask", approve=False)[0] == []


def test_error_goes_on(run: Any) -> None:
    with pytest.raises(RuntimeError, match="^no such file$"):
        run("fail")
    with pytest.raises(HookrunError, match=r"^\[removed\]$"):
        run("fail loudly")


def test_retry_of_the_tool(run: Any) -> None:
    ran, seen = run("fail", retry=True)
    assert ran == ["fail"] and seen and "no such file" in seen[0]
    ran, seen = run("fail loudly", retry=True)
    assert ran == ["fail loudly"] and seen and "[removed]" in seen[0] and "the key is 7" not in seen[0]


def test_arguments_that_are_no_json(hooks: Any) -> None:
    folder = hooks({"name": "r", "events": ["pre-tool"], "command":
                    "cat >seen.json; echo '{\"hookSpecificOutput\":{\"updatedInput\":{\"day\":\"2026-01-01\"}}}'"})

    def plan(day: date) -> str:
        """Plans a day."""
        raise AssertionError

    def model(messages: Any, info: Any) -> ModelResponse:
        return ModelResponse([ToolCallPart("plan", {"day": "2026-02-02"}, "call-1")])

    async def main() -> None:
        async with AsyncGate(folder) as gate:
            with pytest.raises(HookrunError, match="values that are no JSON"):
                await Agent(FunctionModel(model), tools=[plan], capabilities=[Hookrun(gate)]).run("go")

    asyncio.run(main())
    assert '"day":"2026-02-02"' in (folder / "seen.json").read_text()
