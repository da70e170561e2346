"""LangChain and LangGraph: a middleware for create_agent (package langchain, version 1).

    agent = create_agent(model, tools, middleware=[..., HookrunMiddleware(gate)])

Put the middleware last, next to the tools. Give it a Gate for agent.invoke, and an AsyncGate for agent.ainvoke.
"""

from __future__ import annotations

from typing import Any

from langchain.agents.middleware import AgentMiddleware, hook_config
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.errors import GraphBubbleUp
from langgraph.types import Command

from hookrun import AsyncGate, Gate, HookrunError, Result, Verdict, fold, text
from hookrun._gate import error_text, raise_failed


class HookrunMiddleware(AgentMiddleware):
    def __init__(self, gate: Gate | AsyncGate) -> None:
        super().__init__()
        self.gate: Any = gate
        self.stopped: str | None = None  # the reason, once a hook has ended the loop

    def wrap_tool_call(self, request, handler):
        call, gate = request.tool_call, self._gate(Gate)
        pre = gate.before(call["name"], call["args"], call["id"])
        if not self._runs(pre):
            return _refusal(call, pre)
        try:
            answer = handler(request.override(tool_call={**call, "args": pre.args}))
        except GraphBubbleUp:  # an interrupt of the graph
            raise
        except Exception as error:
            said = error_text(error)
            raise_failed(error, said, gate.after(call["name"], pre.args, said, call["id"], failed=True), pre)
            raise
        message = _message(answer, call)
        return self._show(answer, message, pre, gate.after(*_result(call, pre, message)))

    async def awrap_tool_call(self, request, handler):
        call, gate = request.tool_call, self._gate(AsyncGate)
        pre = await gate.before(call["name"], call["args"], call["id"])
        if not self._runs(pre):
            return _refusal(call, pre)
        try:
            answer = await handler(request.override(tool_call={**call, "args": pre.args}))
        except GraphBubbleUp:
            raise
        except Exception as error:
            said = error_text(error)
            raise_failed(error, said, await gate.after(call["name"], pre.args, said, call["id"], failed=True), pre)
            raise
        message = _message(answer, call)
        return self._show(answer, message, pre, await gate.after(*_result(call, pre, message)))

    @hook_config(can_jump_to=["end"])
    def before_model(self, state, runtime):
        """If a hook has ended the loop, the model is not called again."""
        stopped, self.stopped = self.stopped, None
        return None if stopped is None else {"jump_to": "end", "messages": [AIMessage(stopped)]}

    def _gate(self, kind: type) -> Any:
        if not isinstance(self.gate, kind):
            raise HookrunError("give HookrunMiddleware a Gate for agent.invoke, and an AsyncGate for agent.ainvoke")
        return self.gate

    def _runs(self, pre: Verdict) -> bool:
        if pre.stop:
            self.stopped = pre.stop_reason
        return pre.runs

    def _show(self, answer: Any, message: ToolMessage, pre: Verdict, post: Result) -> Any:
        if post.stop:
            self.stopped = post.stop_reason
        shown = fold(post, pre)
        if shown != message.content:
            message.content = text(shown)
        return answer


def _refusal(call: Any, pre: Verdict) -> ToolMessage:
    reason = pre.stop_reason if pre.stop else pre.reason
    return ToolMessage(reason, tool_call_id=call["id"], name=call["name"], status="error")


def _message(answer: Any, call: Any) -> ToolMessage:
    """Returns the tool's message to the model. A tool may return a command for the graph, which contains it."""
    update = answer.update if isinstance(answer, Command) else {"messages": [answer]}
    for message in update.get("messages", []) if isinstance(update, dict) else []:
        if isinstance(message, ToolMessage) and message.tool_call_id == call["id"]:
            return message
    raise HookrunError(f"the tool {call['name']} gave no message that the hooks could look at")


def _result(call: Any, pre: Verdict, message: ToolMessage) -> tuple[Any, ...]:
    return call["name"], pre.args, message.content, call["id"], message.status == "error"
