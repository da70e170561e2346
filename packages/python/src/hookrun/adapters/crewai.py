"""CrewAI (package crewai): tool hooks for the time of a crew's run.

    with hooks(gate):
        crew.kickoff()

CrewAI's hooks are global: within the block they see the tool calls of all crews of the process. CrewAI names tools in
its own way: "Read File" is read_file. If a hook ends the loop, kickoff raises HookAborted. CrewAI goes on if a hook of
its own raises another error, so without a verdict the adapter blocks the call, or withholds the result.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from crewai.hooks import (register_after_tool_call_hook, register_before_tool_call_hook,
                          unregister_after_tool_call_hook, unregister_before_tool_call_hook)
from crewai.hooks.dispatch import HookAborted

from hookrun import Gate, HookrunError, Verdict, fold, text
from hookrun._outcome import WITHHELD, plain

ERROR = "Error executing tool: "  # how CrewAI begins the result of a tool that raised


@contextlib.contextmanager
def hooks(gate: Gate) -> Iterator[None]:
    """Runs the hooks of the gate around tool calls."""
    calls: dict[int, tuple[Any, Verdict | str]] = {}  # by the call's arguments, an object that both hooks get

    def before(context: Any) -> bool | None:
        given = context.tool_input
        try:
            pre = gate.before(context.tool_name, plain(given))
        except Exception as error:  # CrewAI would run the tool
            calls[id(given)] = given, f"The tool did not run: {error}"
            return False
        if not pre.runs:
            calls[id(given)] = given, pre if pre.stop else pre.reason
            return False
        if pre.args != plain(given):
            given.clear()
            given.update(pre.args)
        calls[id(given)] = given, pre
        return None

    def after(context: Any) -> str | None:
        _, pre = calls.pop(id(context.tool_input), (None, "hookrun did not see this call"))
        if isinstance(pre, str):
            return pre  # else the model is told that a hook blocked, and not why
        if pre.stop:
            raise HookAborted(pre.stop_reason, "hookrun")
        result = context.tool_result or ""
        failed = result.startswith(ERROR)
        said = result[len(ERROR):] if failed else result
        try:
            post = gate.after(context.tool_name, pre.args, said, failed=failed)
            shown = text(fold(post, pre))
        except HookrunError as error:
            return f"{WITHHELD}: {error}"
        if post.stop:
            raise HookAborted(post.stop_reason, "hookrun")
        return shown if shown != said else result

    register_before_tool_call_hook(before)
    register_after_tool_call_hook(after)
    try:
        yield
    finally:
        unregister_before_tool_call_hook(before)
        unregister_after_tool_call_hook(after)
