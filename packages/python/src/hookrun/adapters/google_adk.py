"""Google ADK (package google-adk): a plugin.

    runner = InMemoryRunner(agent, plugins=[HookrunPlugin(gate), ...])

Put the plugin first, since a plugin that answers a call keeps the others from seeing it. If a hook ends the loop, the
run ends behind the tool. If there is no verdict, or a hook blocks the prompt, the run ends with an error of ADK, caused
by hookrun.HookrunError.
"""

from __future__ import annotations

import asyncio
from typing import Any

from google.adk.plugins.base_plugin import BasePlugin
from google.genai import types

from hookrun import AsyncGate, Blocked, Result, Stopped, Verdict, fold
from hookrun._gate import error_text
from hookrun._outcome import plain


class HookrunPlugin(BasePlugin):
    def __init__(self, gate: AsyncGate) -> None:
        super().__init__(name="hookrun")
        self.gate = gate
        self._calls: dict[Any, Verdict] = {}  # those that run, by the call's context

    async def on_user_message_callback(self, *, invocation_context, user_message):
        given = "\n\n".join(part.text for part in user_message.parts or [] if part.text)
        asked = await self.gate.prompt(given)
        if asked.stop:
            raise Stopped(asked.stop_reason, asked.decision, asked.outcome)
        if not asked.runs:
            raise Blocked(asked.reason, asked.decision, asked.outcome)
        if asked.text == given:
            return None
        others = [part for part in user_message.parts or [] if not part.text]
        return types.Content(role="user", parts=[types.Part(text=asked.text), *others])

    async def before_tool_callback(self, *, tool, tool_args, tool_context):
        pre = await self.gate.before(tool.name, plain(tool_args), tool_context.function_call_id)
        if not pre.runs:
            if pre.stop:
                tool_context.actions.skip_summarization = True  # the model is not called again
            return {"error": pre.stop_reason if pre.stop else pre.reason}
        if pre.args != plain(tool_args):
            tool_args.clear()
            tool_args.update(pre.args)
        self._calls[id(tool_context)] = pre
        return None

    async def after_tool_callback(self, *, tool, tool_args, tool_context, result):
        pre = self._calls.pop(id(tool_context), None)
        if pre is None:  # the call was refused, or its error has been shown
            return None
        seen = plain(result)
        return self._shown(tool_context, pre, seen, await self.gate.after(
            tool.name, pre.args, seen, tool_context.function_call_id))

    async def on_tool_error_callback(self, *, tool, tool_args, tool_context, error):
        pre = self._calls.pop(id(tool_context), None)
        if pre is None or isinstance(error, asyncio.CancelledError):
            return None
        said = error_text(error)
        shown = self._shown(tool_context, pre, said, await self.gate.after(
            tool.name, pre.args, said, tool_context.function_call_id, failed=True))
        return None if shown is None else {"error": shown["result"]}

    def _shown(self, tool_context: Any, pre: Verdict, seen: Any, post: Result) -> dict[str, Any] | None:
        """Returns what the model is to see instead of the result, or None if that is the result."""
        if post.stop:
            tool_context.actions.skip_summarization = True
        made = fold(post, pre)
        if made is seen:
            return None
        return made if isinstance(made, dict) else {"result": made}
