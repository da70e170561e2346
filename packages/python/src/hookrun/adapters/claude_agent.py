"""Claude Agent SDK (package claude-agent-sdk): callbacks for its hooks.

    options = ClaudeAgentOptions(hooks=hooks(gate))

hookrun answers in Claude Code's own form, as a command in .claude/settings.json would. So hooks see the client's names
of tools (Bash, mcp__server__tool), and all events of the SDK are served. Leave hookrun out of the project's
.claude/settings.json then, or set setting_sources so that the SDK does not read it: else each hook runs twice.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, get_args

from claude_agent_sdk import HookMatcher
from claude_agent_sdk.types import HookEvent

from hookrun import AsyncGate, HookrunError


def hooks(gate: AsyncGate, events: Iterable[str] | None = None) -> Any:
    """Returns the callbacks of the events, by default of all that the SDK has."""

    async def callback(given: Any, tool_use_id: str | None, context: Any) -> Any:
        try:
            return await gate._fire("claude", **given)
        except HookrunError as error:
            return refusal(given["hook_event_name"], f"hookrun gave no verdict, so nothing more runs: {error}")

    options: dict[str, Any] = {"timeout": gate.timeout + 10}
    if any(field.name == "on_failure" for field in dataclasses.fields(HookMatcher)):
        options["on_failure"] = "block"  # if the callback itself fails
    return {event: [HookMatcher(hooks=[callback], **options)] for event in events or _events(HookEvent)}


def refusal(event: str, reason: str) -> dict[str, Any]:
    """Returns an answer that ends the loop; before a tool, the tool does not run either."""
    answer: dict[str, Any] = {"continue_": False, "stopReason": reason}
    if event == "PreToolUse":
        answer["hookSpecificOutput"] = {"hookEventName": event, "permissionDecision": "deny",
                                        "permissionDecisionReason": reason}
    elif event in ("PostToolUse", "UserPromptSubmit"):
        answer.update(decision="block", reason=reason)
    return answer


def _events(kind: Any) -> list[str]:
    return [kind] if isinstance(kind, str) else [event for part in get_args(kind) for event in _events(part)]
