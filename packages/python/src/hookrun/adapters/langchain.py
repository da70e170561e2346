"""LangChain and LangGraph: a middleware for create_agent (package langchain, version 1).

    agent = create_agent(model, tools, middleware=[..., HookrunMiddleware(gate)])  # last; AsyncGate for agent.ainvoke
"""

from __future__ import annotations

from typing import Any

from langchain.agents.middleware import AgentMiddleware, hook_config
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.errors import GraphBubbleUp
from langgraph.types import Command

from hookrun import AsyncGate, Gate, HookrunError, _async, _gate, fold, text


class HookrunMiddleware(AgentMiddleware):
    def __init__(self, gate: Gate | AsyncGate) -> None:
        super().__init__()
        self.gate: Any = gate
        self.stopped: str | None = None  # the reason, once a hook has ended the loop

    def wrap_tool_call(self, request, handler):
        return _gate.drive(self._steps(request, handler, Gate))

    async def awrap_tool_call(self, request, handler):
        return await _async.drive(self._steps(request, handler, AsyncGate))

    @hook_config(can_jump_to=["end"])
    def before_model(self, state, runtime):
        stopped, self.stopped = self.stopped, None  # the model is not called again
        return None if stopped is None else {"jump_to": "end", "messages": [AIMessage(stopped)]}

    def _steps(self, request: Any, handler: Any, kind: type) -> Any:
        if not isinstance(self.gate, kind):
            raise HookrunError("give HookrunMiddleware a Gate for agent.invoke, and an AsyncGate for agent.ainvoke")
        call, message = request.tool_call, None

        def see(answer: Any) -> tuple[Any, bool]:
            """Finds the message to the model. A tool may return a command for the graph, which contains it."""
            nonlocal message
            update = answer.update if isinstance(answer, Command) else {"messages": [answer]}
            for message in update.get("messages", []) if isinstance(update, dict) else []:
                if isinstance(message, ToolMessage) and message.tool_call_id == call["id"]:
                    return message.content, message.status == "error"
            raise HookrunError(f"the tool {call['name']} gave no message that the hooks could look at")

        pre, post, answer = yield from _gate.around(
            self.gate, call["name"], call["args"], lambda args: handler(request.override(
                tool_call={**call, "args": args})), call["id"], GraphBubbleUp, see)  # an interrupt passes through
        if (post or pre).stop:
            self.stopped = (post or pre).stop_reason
        shown = pre.stop_reason if post is None else fold(post, pre)
        if answer is _gate.REFUSED:
            return ToolMessage(text(shown), tool_call_id=call["id"], name=call["name"], status="error")
        if shown != message.content:
            message.content = text(shown)
        return answer
