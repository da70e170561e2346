"""AsyncGate: the hooks of one workspace, for a program with asyncio."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

from . import _server
from ._errors import HookrunError
from ._gate import READY, Base, Self, Steps, check_ping, wrapped
from ._outcome import Prompt, Result, Verdict, check, prompt_of, result_of, verdict


class AsyncGate(Base):
    """As Gate, with coroutines; ask may be a coroutine function. Tasks and event loops may share an AsyncGate; users of a service must not.

    If a task is cancelled while it waits for a verdict, hookrun kills the hooks of that call.
    """

    async def before(self, tool: str, args: Any = None, id: str | None = None, *, session_id: str | None = None,
                     agent_id: str | None = None) -> Verdict:
        """Runs the hooks before a tool. args is the tool's input, id the call's id.

        session_id and agent_id are for this call, in place of those of the gate.
        """
        params = self._before(tool, args, id, session_id=session_id, agent_id=agent_id)
        return verdict(await self._call("pre-tool", params, tool), args)

    async def after(self, tool: str, args: Any, result: Any, id: str | None = None, failed: bool = False, *,
                    blocked: bool = False, session_id: str | None = None, agent_id: str | None = None) -> Result:
        """Runs the hooks after a tool. With failed=True, result is the error's text; with blocked=True, it is the
        reason for which the tool did not run."""
        params = self._after(tool, args, result, id, failed, blocked, session_id=session_id, agent_id=agent_id)
        return result_of(await self._call("post-tool", params, tool), result)

    async def prompt(self, prompt: str) -> Prompt:
        """Runs the hooks before the model sees the user's message. Hooks of later calls are given the message too."""
        self._prompt = prompt
        return prompt_of(await self._call("pre-execute", self._params(), None), prompt)

    async def wrap(self, name: str, args: Any, run: Callable[[Any], Any], id: str | None = None,
                   on_block: str = "raise") -> Any:
        """Awaits run(args) between the hooks, and returns what the model is to see. run may also be no coroutine.

        If a hook blocks, the hooks after the tool get the reason as the result, and this raises Blocked, or with
        on_block="return" returns the text for the model. If a hook ends the loop, this raises Stopped.
        """
        return await drive(wrapped(self, name, args, run, id, on_block))

    async def close(self) -> None:
        """Ends the server. Calls that still run raise HookrunError."""
        try:
            ended = asyncio.get_running_loop().run_in_executor(None, self._end)
        except RuntimeError:  # the system starts no more threads
            self._end()
        else:
            await ended

    async def __aenter__(self: Self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _fire(self, output: str, **params: Any) -> dict[str, Any]:
        """Runs the hooks of a client's event, and returns the answer in the client's form."""
        answer = await self._answer("fire", {**params, "output": output})
        if not isinstance(answer, dict):
            raise HookrunError("hookrun gave an answer that is not one to this call; "
                               "install the package and the binary of one release")
        return answer

    async def _call(self, method: str, params: dict[str, Any], tool: str | None) -> dict[str, Any]:
        return check(await self._answer(method, params), method, tool)

    async def _answer(self, method: str, params: dict[str, Any]) -> Any:
        try:
            server = await self._ready()
        except _server.NoThread as error:
            if method == "fire":
                raise HookrunError(f"there can be no server: {error}") from error
            return self._once(method, params)  # no thread is there to run this beside the loop
        call = server.send(method, params)
        answer = asyncio.wrap_future(call)
        try:
            done, _ = await asyncio.wait([answer], timeout=self.timeout)
        except BaseException:
            server.cancel(call)
            raise
        if not done:
            server.expire(call)
            raise self._no_verdict()
        return answer.result()

    async def _ready(self) -> _server.Server:
        """Returns a server that has answered a ping."""
        for _ in range(2):
            server = self._current()
            if not server.ready.done():
                await asyncio.wait([asyncio.wrap_future(_shield(server.ready))], timeout=min(READY, self.timeout))
            if server.ready.done():
                check_ping(server.ready.result())
                return server
            server.kill("hookrun serve answers no more")
        raise HookrunError("hookrun serve does not answer; is the program hookrun?")


async def settled(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


async def drive(steps: Steps) -> Any:
    """Runs steps, and awaits what they yield if it can be awaited."""
    resume: Callable[[Any], Any] = steps.send
    value: Any = None
    while True:
        try:
            step = resume(value)
        except StopIteration as end:
            return end.value
        try:
            resume, value = steps.send, await settled(step)
        except BaseException as error:
            resume, value = steps.throw, error


def _shield(ready: _server.Call) -> _server.Call:
    """Returns a future that ends with ready. A task that is cancelled cancels this future, and not ready."""
    ended = _server.Call()

    def end(_: object) -> None:
        if ended.set_running_or_notify_cancel():
            ended.set_result(None)

    ready.add_done_callback(end)
    return ended
