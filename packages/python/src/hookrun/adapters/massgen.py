"""MassGen (package massgen): a handler for the hooks of its YAML file.

    hooks:
      PreToolUse:
        - {handler: hookrun.adapters.massgen.hook, fail_closed: true, timeout: 600}
      PostToolUse:
        - {handler: hookrun.adapters.massgen.hook, fail_closed: true, timeout: 600}
"""

from __future__ import annotations

import json
from typing import Any

from massgen.mcp_tools.hooks import HookEvent, HookResult

from hookrun import AsyncGate, HookrunError, _async, fold, text
from hookrun._gate import allowed, refused
from hookrun._outcome import log

CHANGED = "[hookrun: a hook changed or withheld this result, which MassGen cannot do. Do not use or repeat the result.]"


class Handler:
    def __init__(self, **options: Any) -> None:
        self.gate = AsyncGate(**options)
        self._texts: dict[str, list[str]] = {}  # for the model, of calls that run

    async def __call__(self, event: HookEvent) -> HookResult:
        ids = {"session_id": event.session_id or None, "agent_id": event.agent_id}
        try:
            return await (self._before if event.hook_type == "PreToolUse" else self._after)(event, ids)
        except HookrunError as error:
            log.error("%s", error)
            return HookResult(allowed=False, reason=str(error), inject={"content": CHANGED, "strategy": "tool_result"})

    async def _before(self, event: HookEvent, ids: Any) -> HookResult:
        pre = await self.gate.before(event.tool_name, event.tool_input, **ids)
        if pre.stop:
            return HookResult.deny(pre.stop_reason)
        if pre.decision == "ask" and self.gate.ask is None:
            return HookResult.ask(pre.reason)  # MassGen's approval handler decides; without one the call is denied
        if not await _async.drive(allowed(self.gate, event.tool_name, pre, None)):
            post = await _async.drive(refused(self.gate, event.tool_name, pre, None, **ids))
            return HookResult.deny("\n\n".join(filter(None, [text(fold(post, pre)), post.stop_reason])))
        if pre.inject:
            self._texts[json.dumps([ids, event.tool_name, pre.args], sort_keys=True)] = pre.inject
        return HookResult(updated_input=pre.args if pre.args is not event.tool_input else None)

    async def _after(self, event: HookEvent, ids: Any) -> HookResult:
        texts = self._texts.pop(json.dumps([ids, event.tool_name, event.tool_input], sort_keys=True), [])
        post = await self.gate.after(event.tool_name, event.tool_input, event.tool_output or "", **ids)
        if post.result != (event.tool_output or ""):
            log.error("a hook changed a result of %s, and MassGen cannot show the change", event.tool_name)
            texts = [CHANGED, *texts]
        content = "\n\n".join(filter(None, [*texts, *post.inject, post.reason, post.stop_reason]))
        return HookResult(inject={"content": content, "strategy": "tool_result"} if content else None)


_handler = Handler()


async def hook(event: HookEvent) -> HookResult:  # MassGen runs a coroutine function in its own event loop
    return await _handler(event)
