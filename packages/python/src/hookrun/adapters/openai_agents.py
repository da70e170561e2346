"""OpenAI Agents SDK (package openai-agents).

    agent = Agent(name="a", tools=guard(gate, [shell, read]))
    result = await Runner.run(agent, await guard_prompt(gate, question))
"""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from typing import Any

from agents import AgentsException, FunctionTool, Tool
from agents.tool import resolve_function_tool_failure_error_function, set_function_tool_failure_error_function

from hookrun import AsyncGate, Failed, HookrunError, Stopped, _async


class RunStopped(Stopped, AgentsException):
    """A hook ends the loop. The SDK raises its own errors as they are, and puts others into a UserError."""


class RunFailed(HookrunError, AgentsException):
    """There is no verdict, so the run ends."""


def guard(gate: AsyncGate, tools: Sequence[Tool]) -> list[Tool]:
    """Returns the tools with hooks around each call. Tools that run at OpenAI cannot be guarded."""
    for tool in tools:
        if not isinstance(tool, FunctionTool):
            raise HookrunError(f"the tool {tool.name} is no function tool, so no hook can see its calls; leave it out")
    return [_guarded(gate, tool) for tool in tools]


def _guarded(gate: AsyncGate, tool: FunctionTool) -> FunctionTool:
    inner, outer = copy.copy(tool), copy.copy(tool)

    async def invoke(ctx: Any, given: str) -> Any:
        def run(args: Any) -> Any:
            return inner.on_invoke_tool(ctx, args if isinstance(args, str) else json.dumps(args))

        try:
            return await gate.wrap(tool.name, given, run, ctx.tool_call_id, on_block="return")
        except Stopped as error:
            raise RunStopped(error.reason, error.decision, error.outcome) from error
        except Failed as error:  # the tool failed, and a hook changed what the model is told
            return str(error)
        except HookrunError as error:
            raise RunFailed(str(error)) from error
        except Exception as error:  # of the tool
            formatter = resolve_function_tool_failure_error_function(tool, ctx)
            if formatter is None:
                raise
            return await _async.settled(formatter(ctx, error))

    set_function_tool_failure_error_function(inner, None)  # hooks see the error itself
    set_function_tool_failure_error_function(outer, None)  # an error of invoke ends the run
    outer.on_invoke_tool = invoke
    return outer
