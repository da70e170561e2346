"""OpenAI Agents SDK (package openai-agents).

    agent = Agent(name="a", tools=guard(gate, [shell, read]))
    result = await Runner.run(agent, await guard_prompt(gate, question))

A guardrail of the SDK can refuse a call, but neither change the arguments nor see a tool's error. So guard wraps the
tools. If a hook ends the loop, or gives no verdict, the run ends with hookrun.Stopped or hookrun.HookrunError.
"""

from __future__ import annotations

import copy
import inspect
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from agents import AgentsException, FunctionTool, Tool
from agents.tool import resolve_function_tool_failure_error_function, set_function_tool_failure_error_function

from hookrun import AsyncGate, HookrunError, Stopped
from hookrun._gate import error_text, refuse, shown
from hookrun._outcome import plain


def guard(gate: AsyncGate, tools: Sequence[Tool]) -> list[Tool]:
    """Returns the tools with hooks around each call. Tools that run at OpenAI cannot be guarded."""
    for tool in tools:
        if not isinstance(tool, FunctionTool):
            raise HookrunError(f"the tool {tool.name} is no function tool, so no hook can see its calls; leave it out")
    return [_guarded(gate, tool) for tool in tools]


class RunStopped(Stopped, AgentsException):
    """A hook ends the loop. The SDK raises its own errors as they are, and puts others into a UserError."""


class RunFailed(HookrunError, AgentsException):
    """There is no verdict, so the run ends."""


def _guarded(gate: AsyncGate, tool: FunctionTool) -> FunctionTool:
    inner, outer = copy.copy(tool), copy.copy(tool)
    errors: dict[int, Exception] = {}  # of calls whose tool raised, by the call's context

    async def failed(ctx: Any, error: Exception) -> Any:
        """Notes the tool's error, and returns what the model is told of it."""
        errors[id(ctx)] = error
        formatter = resolve_function_tool_failure_error_function(tool, ctx)
        told = error_text(error) if formatter is None else formatter(ctx, error)
        return await told if inspect.isawaitable(told) else told

    async def invoke(ctx: Any, args: str) -> Any:
        try:
            return await guarded(ctx, args)
        except Stopped as error:
            raise RunStopped(error.reason, error.decision, error.outcome) from error
        except HookrunError as error:
            raise RunFailed(str(error)) from error

    async def guarded(ctx: Any, args: str) -> Any:
        pre = await gate.before(tool.name, args, ctx.tool_call_id)
        if not pre.runs:
            return refuse(pre, "return")
        try:
            result = await inner.on_invoke_tool(ctx, pre.args if isinstance(pre.args, str) else json.dumps(pre.args))
        except Exception as error:  # of a tool that was made without function_tool
            result = await failed(ctx, error)
        error = errors.pop(id(ctx), None)
        seen = plain(result) if error is None else error_text(error)
        post = await gate.after(tool.name, pre.args, seen, ctx.tool_call_id, failed=error is not None)
        if error is not None and post.result == seen:  # the hooks let the error pass
            seen = result
            post = replace(post, result=result)
        made = shown(post, pre)
        return result if made is seen else made

    set_function_tool_failure_error_function(inner, failed)
    set_function_tool_failure_error_function(outer, None)  # an error of invoke ends the run
    outer.on_invoke_tool = invoke
    return outer
