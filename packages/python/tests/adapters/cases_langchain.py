from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from kit import *
from kit import shell
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.types import Command
from typing_extensions import Annotated

from hookrun import AsyncGate, Gate
from hookrun.adapters.langchain import HookrunMiddleware

KIND = "sync"


class Scripted(GenericFakeChatModel):
    def bind_tools(self, tools: Any, **_: Any) -> Scripted:
        return self


@pytest.fixture(autouse=True, params=["sync", "async"])
def kind(request: pytest.FixtureRequest) -> None:
    global KIND
    KIND = request.param


EXAMPLE = "langchain_agent.py"


def play(workspace: Path, command: str, ran: list[str], commands: bool = False, **options: Any) -> list[str]:
    @tool("shell")
    def plain(command: str) -> str:
        """Runs a command."""
        return shell(command, ran)

    @tool("shell")
    def updating(command: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command:
        """Runs a command."""
        return Command(update={"messages": [ToolMessage(shell(command, ran), tool_call_id=tool_call_id)]})

    call = {"name": "shell", "args": {"command": command}, "id": "call-1"}
    model = Scripted(messages=iter([AIMessage("", tool_calls=[call]), AIMessage("all done")]))
    question = {"messages": [{"role": "user", "content": "go"}]}

    async def main() -> Any:
        async with AsyncGate(workspace, **options) as gate:
            agent = create_agent(model, [updating if commands else plain], middleware=[HookrunMiddleware(gate)])
            return await agent.ainvoke(question)

    if KIND == "async":
        state = asyncio.run(main())
    else:
        with Gate(workspace, **options) as gate:
            agent = create_agent(model, [updating if commands else plain], middleware=[HookrunMiddleware(gate)])
            state = agent.invoke(question)
    play.said = state["messages"][-1].content  # type: ignore[attr-defined]
    return [m.content for m in state["messages"] if isinstance(m, ToolMessage)]


def test_stop(run: Any) -> None:
    assert run("stop") == ([], ["enough"])
    assert play.said == "enough", "the model is not called again"  # type: ignore[attr-defined]
    assert run("last") == (["last"], ["ran last"])
    assert play.said == "enough"  # type: ignore[attr-defined]
    assert run("rm last") == ([], ["rm is not for you"])
    assert play.said == "enough"  # type: ignore[attr-defined]


def test_tool_that_returns_a_command(run: Any) -> None:
    assert run("cat key", commands=True) == (["cat key"], ["[removed]"])


def test_wrong_gate(workspace: Path) -> None:
    call = {"name": "shell", "args": {}, "id": "call-1"}
    model = Scripted(messages=iter([AIMessage("", tool_calls=[call])]))

    @tool
    def shell() -> str:
        """Runs a command."""
        raise AssertionError

    agent = create_agent(model, [shell], middleware=[HookrunMiddleware(AsyncGate(workspace))])
    with pytest.raises(Exception, match="give HookrunMiddleware a Gate for agent.invoke"):
        agent.invoke({"messages": [{"role": "user", "content": "go"}]})
