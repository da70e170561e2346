"""Pydantic AI (package pydantic-ai or pydantic-ai-slim, version 2): a capability.

    agent = Agent(model, tools=[shell], capabilities=[Hookrun(gate)])
    result = await agent.run(await guard_prompt(gate, question))

If a hook asks, the call is refused. With ask="approval" the capability raises ApprovalRequired, which ends the run with
DeferredToolRequests (an output type of your agent), and the call runs once it is approved. A stop ends the run with
hookrun.Stopped, and a call without a verdict with hookrun.HookrunError.
"""

from __future__ import annotations

from typing import Any

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import (ApprovalRequired, CallDeferred, ModelRetry, SkipToolExecution, ToolFailed,
                                    ToolFailedError, ToolRetryError)

from hookrun import AsyncGate, HookrunError, Stopped, _async, text
from hookrun._gate import allowed, error_text, raise_failed, refused, shown
from hookrun._outcome import plain



class Hookrun(AbstractCapability[Any]):
    def __init__(self, gate: AsyncGate, ask: str = "block") -> None:
        self.gate = gate
        self.ask = ask

    async def wrap_tool_execute(self, ctx, *, call, tool_def, args, handler):
        seen_args = plain(args)
        pre = await self.gate.before(call.tool_name, seen_args, call.tool_call_id)
        asked = pre.decision == "ask" and not pre.stop and self.ask == "approval"
        if asked and not ctx.tool_call_approved:
            raise ApprovalRequired(metadata={"reason": pre.reason})
        if pre.stop:
            raise Stopped(pre.stop_reason, pre.decision, pre.outcome)
        if not asked and not await _async.drive(allowed(self.gate, call.tool_name, pre, call.tool_call_id)):
            post = await _async.drive(refused(self.gate, call.tool_name, pre, call.tool_call_id))
            raise ToolFailed(text(shown(post, pre)))
        if pre.args is not seen_args:
            if seen_args is not args:
                raise HookrunError(f"a hook changed the arguments of {call.tool_name}, which have "
                                   "values that are no JSON")
            args = pre.args
        try:
            result = await handler(args)
        except (ApprovalRequired, CallDeferred, SkipToolExecution):
            raise
        except Exception as error:
            said = error_text(error)
            post = await self.gate.after(call.tool_name, pre.args, said, call.tool_call_id, failed=True)
            if isinstance(error, (ToolRetryError, ToolFailedError)):  # the tool tells the model what went wrong
                told = text(shown(post, pre))
                if told != said:
                    raise (ModelRetry if isinstance(error, ToolRetryError) else ToolFailed)(told) from None
            raise_failed(error, said, post, pre)
            raise
        seen = plain(result)
        made = shown(await self.gate.after(call.tool_name, pre.args, seen, call.tool_call_id), pre)
        return result if made is seen else made
