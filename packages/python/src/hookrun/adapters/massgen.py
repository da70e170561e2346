"""MassGen (package massgen): a handler for the hooks of its YAML file.

    hooks:
      PreToolUse:
        - {handler: hookrun.adapters.massgen.hook, fail_closed: true, timeout: 600}
      PostToolUse:
        - {handler: hookrun.adapters.massgen.hook, fail_closed: true, timeout: 600}

The hooks are those of the folder in which massgen was started. Without fail_closed MassGen runs the tool if the handler
takes longer than its timeout. Behind a tool MassGen can add a text, but neither change the result nor end the loop. If
a hook wanted to, the model is told that the result was meant to be another, and the log has an error.
"""

from __future__ import annotations

import json
import logging
from typing import Any

from massgen.mcp_tools.hooks import HookEvent, HookResult

from hookrun import AsyncGate, HookrunError, Verdict

log = logging.getLogger("hookrun")
CHANGED = "[hookrun: a hook changed or withheld this result, which MassGen cannot do. Do not use or repeat the result.]"


class Handler:
    """The hooks of one workspace. Each agent has a gate of its own."""

    def __init__(self, **options: Any) -> None:
        self._options = options  # of AsyncGate
        self._gates: dict[tuple[str, str | None], AsyncGate] = {}
        self._calls: dict[tuple[Any, ...], Verdict] = {}  # those that run and have texts for the model

    async def __call__(self, event: HookEvent) -> HookResult:
        agent = event.session_id or "", event.agent_id
        gate = self._gates.get(agent)
        if gate is None:
            gate = AsyncGate(**{"session_id": agent[0] or None, "agent_id": agent[1], **self._options})
            self._gates[agent] = gate
        try:
            return await (self._before if event.hook_type == "PreToolUse" else self._after)(gate, event)
        except HookrunError as error:
            log.error("%s", error)
            return HookResult(allowed=False, reason=str(error), inject={"content": CHANGED, "strategy": "tool_result"})

    async def close(self) -> None:
        for gate in self._gates.values():
            await gate.close()
        self._gates.clear()

    async def _before(self, gate: AsyncGate, event: HookEvent) -> HookResult:
        pre = await gate.before(event.tool_name, event.tool_input)
        if pre.stop:
            return HookResult.deny(pre.stop_reason)
        if pre.decision == "ask":
            return HookResult.ask(pre.reason)  # MassGen's approval handler decides; without one the call is denied
        if not pre.runs:
            return HookResult.deny(pre.reason)
        if pre.inject:
            self._calls[_key(event, pre.args)] = pre
        changed = pre.args if pre.args is not event.tool_input else None
        return HookResult(updated_input=changed)

    async def _after(self, gate: AsyncGate, event: HookEvent) -> HookResult:
        pre = self._calls.pop(_key(event, event.tool_input), None)
        post = await gate.after(event.tool_name, event.tool_input, event.tool_output or "")
        texts = [*(pre.inject if pre else []), *post.inject, post.reason, post.stop_reason]
        if post.result != (event.tool_output or ""):
            log.error("a hook changed a result of %s, and MassGen cannot show the change", event.tool_name)
            texts.insert(0, CHANGED)
        content = "\n\n".join(filter(None, texts))
        return HookResult(inject={"content": content, "strategy": "tool_result"} if content else None)


def _key(event: HookEvent, args: Any) -> tuple[Any, ...]:
    return event.session_id, event.agent_id, event.tool_name, json.dumps(args, sort_keys=True)


_handler = Handler()


async def hook(event: HookEvent) -> HookResult:
    """The handler for the YAML file. MassGen runs a coroutine function in its own event loop."""
    return await _handler(event)
