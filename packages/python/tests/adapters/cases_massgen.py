from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from kit import *
from kit import seen_after
from kit import shell as run_shell
from massgen.backend.base_with_custom_tool_and_mcp import ToolExecutionConfig
from massgen.backend.chat_completions import ChatCompletionsBackend
from massgen.mcp_tools.hooks import GeneralHookManager

from hookrun.adapters import massgen as adapter

ASKED: list[str] = []


class Coordinator:
    """MassGen's approval handler, with a person who says yes."""

    async def resolve_ask(self, agent: str, tool: str, args: Any, reason: str = "") -> tuple[bool, str]:
        ASKED.append(reason)
        return True, ""


def play(workspace: Path, command: str, ran: list[str], person: bool = False, **options: Any) -> list[str]:
    """Has MassGen's own backend execute one call of the model, with hooks as its YAML file names them."""

    async def shell(name: str, arguments: str) -> tuple[str, str]:
        """An MCP tool, as the backend calls it."""
        text = run_shell(json.loads(arguments)["command"], ran)
        return text, text

    async def main() -> list[str]:
        handler = adapter.Handler(workspace=workspace, **options)
        adapter._handler = handler
        manager = GeneralHookManager()
        entry = {"handler": "hookrun.adapters.massgen.hook", "fail_closed": True, "timeout": 60}
        manager.register_hooks_from_config({"PreToolUse": [entry], "PostToolUse": [entry]})
        backend = ChatCompletionsBackend(api_key="none", base_url="http://127.0.0.1:1", agent_id="a")
        backend.set_general_hook_manager(manager)
        if person:
            backend._permission_coordinator = Coordinator()
        config = ToolExecutionConfig("mcp", "mcp_status", "", "", "", "mcp_", "called", "response", "error", shell)
        call = {"name": "mcp__t__shell", "call_id": "call-1", "arguments": json.dumps({"command": command})}
        messages: list[Any] = []
        async for _ in backend._execute_tool_with_logging(call, config, messages, set()):
            pass
        await handler.gate.close()
        return [str(m["content"]) for m in messages]

    return asyncio.run(main())


def denied(shown: list[str]) -> str:
    return shown[0].split("Hook denied tool execution: ")[1]


def test_block(run: Any) -> None:
    ran, shown = run("rm -rf /")
    assert ran == [] and denied(shown) == "rm is not for you"


def test_hooks_after_a_blocked_call(run: Any, workspace: Path) -> None:
    """MassGen's own approval handler decides on an ask, and no hook sees a call that it denies."""
    run("rm -rf /")
    run("ask")
    assert seen_after(workspace) == [("PostToolUse", "rm is not for you")]


def test_text_after_a_blocked_call(run: Any) -> None:
    ran, shown = run("rm noted")
    assert ran == [] and denied(shown) == "rm is not for you\n\nnote this"


def test_person(run: Any) -> None:
    assert run("ask", ask=lambda call: True) == (["ask"], ["ran ask"])
    ran, shown = run("ask", ask=lambda call: False)
    assert ran == [] and denied(shown) == "a person said no: who may?"


def test_inject_before(run: Any) -> None:
    assert run("remember") == (["remember"], ["ran remember\nremember this"])


def test_inject_after(run: Any) -> None:
    assert run("note") == (["note"], ["ran note\nnote this"])


def test_redact(run: Any) -> None:
    """MassGen cannot change a result. The page of the adapters says so, and the model is told."""
    ran, shown = run("cat key")
    assert shown == ["the key is 7\n" + adapter.CHANGED]


def test_tool_that_raises(run: Any, workspace: Path) -> None:
    """MassGen calls no hook for it, so no hook sees the error, and none can redact its text."""
    assert run("fail") == (["fail"], ["Error executing mcp__t__shell: no such file"])
    assert not (workspace / "failed.json").exists()


def test_error_text_is_redacted(run: Any) -> None:
    assert run("fail loudly") == (["fail loudly"], ["Error executing mcp__t__shell: the key is 7"])


def test_ask(run: Any) -> None:
    ran, shown = run("ask")
    assert ran == [] and "Approval required" in shown[0] and "who may?" in shown[0]
    assert run("ask", person=True) == (["ask"], ["ran ask"])
    assert ASKED == ["who may?"]


def test_stop(run: Any) -> None:
    ran, shown = run("stop")
    assert ran == [] and denied(shown) == "enough"
    assert run("last") == (["last"], ["ran last\nenough"])
    ran, shown = run("rm last")
    assert ran == [] and denied(shown) == "rm is not for you\n\nenough"


def test_no_verdict_is_told(run: Any) -> None:
    ran, shown = run("pwd", binary="/bin/false")
    assert ran == [] and "serve has ended" in denied(shown)
