from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ResultMessage, create_sdk_mcp_server, tool
from claude_agent_sdk.types import PermissionResultAllow, PermissionResultDeny
from kit import *
from kit import seen_after, serving, shell

from hookrun import AsyncGate
from hookrun.adapters.claude_agent import hooks as callbacks

TOOL = "mcp__t__shell"
SEEN: dict[str, Any] = {}


EXAMPLE, EXAMPLE_TOOL = "claude_agent_query.py", "Bash"
EXAMPLE_ENV = {"ANTHROPIC_API_KEY": "none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "NO_PROXY": "127.0.0.1"}


def play(workspace: Path, command: str, ran: list[str], person: Any = None, **options: Any) -> list[str]:
    @tool("shell", "Runs a command.", {"command": str})
    async def run_shell(args: Any) -> Any:
        return {"content": [{"type": "text", "text": shell(args["command"], ran)}]}

    async def main() -> list[str]:
        home = workspace.parent / "home"
        home.mkdir(exist_ok=True)
        with serving(command, TOOL) as model:
            env = {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "none", "HOME": str(home),
                   "CLAUDE_CONFIG_DIR": str(home), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                   "NO_PROXY": "127.0.0.1", "ENABLE_TOOL_SEARCH": "false"}
            async with AsyncGate(workspace, **options) as gate:
                client = ClaudeSDKClient(ClaudeAgentOptions(
                    cwd=workspace, env=env, setting_sources=[], hooks=callbacks(gate), can_use_tool=person,
                    allowed_tools=[TOOL], mcp_servers={"t": create_sdk_mcp_server("t", tools=[run_shell])}))
                async with client:
                    await client.query("go")
                    async for message in client.receive_response():
                        if isinstance(message, ResultMessage):
                            SEEN.update(result=message.result, asked=model.asked)
            SEEN["request"] = model.request
            return [part.split("\n\n<system-reminder>")[0] for part in model.shown]

    os.environ.pop("CLAUDECODE", None)
    return asyncio.run(main())


def test_block(run: Any) -> None:
    assert run("rm -rf /") == ([], ["PreToolUse:mcp__t__shell hook error: rm is not for you"])


def test_hooks_after_a_blocked_call(run: Any, workspace: Path) -> None:
    """The client has no event after a call that was blocked. The page of the adapters says so."""
    run("rm -rf /")
    assert seen_after(workspace) == []


def test_text_after_a_blocked_call(run: Any) -> None:
    assert run("rm noted") == ([], ["PreToolUse:mcp__t__shell hook error: rm is not for you"])


def test_person() -> None:
    """can_use_tool of the client asks the person: test_ask."""


def test_error_text_is_redacted(run: Any) -> None:
    """The client lets no hook change the text of an error. The page of the adapters says so."""
    assert run("fail loudly") == (["fail loudly"], ["the key is 7"])


def test_inject_before(run: Any) -> None:
    assert run("remember") == (["remember"], ["ran remember"])
    assert "remember this" in SEEN["request"], "the client shows the text beside the result"


def test_inject_after(run: Any) -> None:
    assert run("note") == (["note"], ["ran note"])
    assert "note this" in SEEN["request"]


def test_ask(run: Any) -> None:
    """The client asks its own person."""
    asked = []

    async def person(name: str, given: Any, context: Any) -> Any:
        asked.append((name, given))
        return PermissionResultAllow() if len(asked) == 1 else PermissionResultDeny(message="the person says no")

    assert run("ask", person=person) == (["ask"], ["ran ask"])
    assert run("ask", person=person) == ([], ["the person says no"])
    assert asked == [(TOOL, {"command": "ask"})] * 2
    ran, shown = run("ask")
    assert ran == []


def test_stop(run: Any) -> None:
    for command in "stop", "last":
        assert run(command)[0] == [command], "the client runs this one call"
        assert SEEN["asked"] == 1, "the model is not called again"


def test_no_verdict_ends_the_loop(run: Any) -> None:
    ran, shown = run("pwd", binary="/bin/false")
    assert ran == [] and SEEN["asked"] == 0, "the hooks of the prompt gave no verdict"
