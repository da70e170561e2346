"""Google ADK (package google-adk): a plugin.

    runner = InMemoryRunner(agent, plugins=[HookrunPlugin(gate), ...])  # first: those before it may hide a call from it
"""

from __future__ import annotations

import asyncio
from typing import Any

from google.adk.plugins.base_plugin import BasePlugin
from google.genai import types

from hookrun import AsyncGate, Verdict, _async, fold
from hookrun._gate import allowed, error_text, refused
from hookrun._outcome import plain, put_args

from . import guard_prompt


class HookrunPlugin(BasePlugin):
    def __init__(self, gate: AsyncGate) -> None:
        super().__init__(name="hookrun")
        self.gate = gate
        self._calls: dict[Any, Verdict] = {}  # those that run, by the call's context

    async def on_user_message_callback(self, *, invocation_context, user_message):
        given = "\n\n".join(part.text for part in user_message.parts or [] if part.text)
        text = await guard_prompt(self.gate, given)
        others = [part for part in user_message.parts or [] if not part.text]
        return None if text == given else types.Content(role="user", parts=[types.Part(text=text), *others])

    async def before_tool_callback(self, *, tool, tool_args, tool_context):
        call_id = tool_context.function_call_id
        pre = await self.gate.before(tool.name, plain(tool_args), call_id)
        if pre.stop:
            tool_context.actions.skip_summarization = True  # the model is not called again
            return {"error": pre.stop_reason}
        if not await _async.drive(allowed(self.gate, tool.name, pre, call_id)):
            post = await _async.drive(refused(self.gate, tool.name, pre, call_id))
            tool_context.actions.skip_summarization = post.stop or None
            return {"error": fold(post, pre)}
        put_args(tool_args, pre)
        self._calls[id(tool_context)] = pre
        return None

    async def after_tool_callback(self, *, tool, tool_args, tool_context, result):
        made = await self._shown(tool, tool_context, plain(result))
        return made if made is None or isinstance(made, dict) else {"result": made}

    async def on_tool_error_callback(self, *, tool, tool_args, tool_context, error):
        made = await self._shown(tool, tool_context, error_text(error), error)
        return None if made is None else {"error": made}

    async def _shown(self, tool, tool_context, seen, error=None):
        """Returns what the model is to see instead of the result, or None if that is the result."""
        pre = self._calls.pop(id(tool_context), None)
        if pre is None or isinstance(error, asyncio.CancelledError):  # refused, its error has been shown, or cancelled
            return None
        post = await self.gate.after(tool.name, pre.args, seen, tool_context.function_call_id, failed=error is not None)
        if post.stop:
            tool_context.actions.skip_summarization = True
        made = fold(post, pre)
        return None if made is seen else made
