"""CrewAI (package crewai): tool hooks for the time of a crew's run.

    with hooks(gate):
        crew.kickoff()

The hooks see the calls of all crews of the process. If a hook ends the loop, kickoff raises HookAborted.
"""

from __future__ import annotations

import contextlib
from typing import Any

import crewai.hooks as crew
from crewai.hooks.dispatch import HookAborted

from hookrun import Gate, HookrunError, Stopped, text
from hookrun._gate import allowed, drive, refused, shown
from hookrun._outcome import WITHHELD, plain, put_args

ERROR = "Error executing tool: "  # how CrewAI begins the result of a tool that raised


def hooks(gate: Gate) -> contextlib.ExitStack:
    """Runs the hooks of the gate around tool calls, until the with statement ends."""
    calls: dict[int, tuple[Any, Any]] = {}  # by the call's arguments, an object that both hooks get

    def before(context: Any) -> bool | None:
        given = context.tool_input
        name = context.tool_name
        try:
            pre: Any = gate.before(name, plain(given))
            if pre.stop:
                raise Stopped(pre.stop_reason)
            runs = drive(allowed(gate, name, pre, None))
            if runs:
                put_args(given, pre)
            else:
                pre = text(shown(drive(refused(gate, name, pre, None)), pre))
        except Stopped as stopped:
            runs, pre = False, stopped
        except Exception as error:  # CrewAI would run the tool
            runs, pre = False, f"The tool did not run: {error}"
        calls[id(given)] = given, pre
        return None if runs else False

    def after(context: Any) -> str | None:
        _, pre = calls.pop(id(context.tool_input), (None, "hookrun did not see this call"))
        if isinstance(pre, str):
            return pre  # else the model is told that a hook blocked, and not why
        if isinstance(pre, Stopped):
            raise HookAborted(pre.reason, "hookrun")
        result = context.tool_result or ""
        said = result.removeprefix(ERROR)
        try:
            made = text(shown(gate.after(context.tool_name, pre.args, said, failed=said != result), pre))
        except Stopped as stopped:
            raise HookAborted(stopped.reason, "hookrun") from None
        except HookrunError as error:
            return f"{WITHHELD}: {error}"
        return made if made != said else result

    crew.register_before_tool_call_hook(before)
    crew.register_after_tool_call_hook(after)
    end = contextlib.ExitStack()
    end.callback(crew.unregister_before_tool_call_hook, before)
    end.callback(crew.unregister_after_tool_call_hook, after)
    return end
