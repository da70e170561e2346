from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from agents import (Agent, FunctionTool, OpenAIChatCompletionsModel, Runner, WebSearchTool, function_tool,
                    set_tracing_disabled)
from kit import *
from kit import serving, shell
from openai import AsyncOpenAI

from hookrun import AsyncGate, Blocked, HookrunError, Stopped
from hookrun.adapters import guard_prompt
from hookrun.adapters.openai_agents import guard

set_tracing_disabled(True)
SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}


EXAMPLE = "openai_agents_agent.py"


def play(workspace: Path, command: str, ran: list[str], bare: bool = False, formatter: Any = None,
         **options: Any) -> list[str]:
    def run_shell(command: str) -> str:
        """Runs a command."""
        return shell(command, ran)

    async def invoke(ctx: Any, args: str) -> str:
        return shell(json.loads(args)["command"], ran)

    more = {"failure_error_function": formatter} if formatter else {}
    tool = function_tool(run_shell, name_override="shell", **more)
    if bare:
        tool = FunctionTool("shell", "Runs a command.", SCHEMA, invoke, strict_json_schema=False)

    async def main() -> list[str]:
        with serving(command) as model:
            client = AsyncOpenAI(base_url=model.url + "/v1", api_key="none", max_retries=0)
            async with AsyncGate(workspace, **options) as gate:
                agent = Agent(name="a", tools=guard(gate, [tool]), model=OpenAIChatCompletionsModel("m", client))
                result = await Runner.run(agent, await guard_prompt(gate, "go") if not options else "go")
                assert result.final_output == "all done"
            await client.close()
            return model.shown

    return asyncio.run(main())


def test_stop(run: Any) -> None:
    for command in "stop", "last", "rm last":
        with pytest.raises(Stopped, match="^enough$"):
            run(command)


def test_no_verdict_ends_the_run(run: Any) -> None:
    with pytest.raises(HookrunError):
        run("pwd", binary="/bin/false")


def test_error_as_the_model_is_told(run: Any) -> None:
    assert run("fail")[1] == ["An error occurred while running the tool. Please try again."]
    assert run("fail", formatter=lambda ctx, error: f"sorry: {error}")[1] == ["sorry: no such file"]
    assert run("fail", bare=True)[1] == ["An error occurred while running the tool. Please try again."]
    assert run("fail loudly", formatter=lambda ctx, error: f"sorry: {error}")[1] == ["[removed]"]
    assert run("cat key", bare=True) == (["cat key"], ["[removed]"])


def test_prompt(hooks: Any) -> None:
    async def main() -> None:
        async with AsyncGate(hooks({"name": "p", "command": "echo more", "events": ["pre-execute"]})) as gate:
            assert await guard_prompt(gate, "go") == "go\n\nmore"
        deny = "echo '{\"decision\":\"block\",\"reason\":\"no\"}'"
        async with AsyncGate(hooks({"name": "p", "command": deny, "events": ["pre-execute"]})) as gate:
            with pytest.raises(Blocked, match="^no$"):
                await guard_prompt(gate, "go")

    asyncio.run(main())


def test_hosted_tool(workspace: Path) -> None:
    with pytest.raises(HookrunError, match="is no function tool"):
        guard(AsyncGate(workspace), [WebSearchTool()])
