"""Gate: the hooks of one workspace, for a program without asyncio."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import TimeoutError as NoAnswer
from datetime import timedelta
from typing import Any, TypeVar

from . import _once, _server
from ._errors import Blocked, Failed, HookrunError, Stopped
from ._find import find_hookrun
from ._outcome import Call, Prompt, Result, Verdict, check, fold, plain, prompt_of, result_of, text, verdict

TIMEOUT = 600.0
AN_HOUR = 3600.0  # a larger number is one of milliseconds, as Node's Gate takes it
READY = 20.0  # seconds for a server to start, or to answer a ping after a call that took too long

Self = TypeVar("Self", bound="Base")
Steps = Generator[Any, Any, Any]


class Base:
    """The common part of Gate and AsyncGate."""

    def __init__(
        self,
        workspace: str | os.PathLike[str] = ".",
        config: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
        session_id: str | None = None,
        agent_id: str | None = None,
        binary: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        timeout: float | timedelta = TIMEOUT,
        require_hooks: bool = False,
        ask: Callable[[Call], Any] | None = None,
    ) -> None:
        """workspace is the folder of the project. config replaces its hooks file: a path, or several.

        binary is the program hookrun: by default $HOOKRUN, then the command of this package, then PATH. Hooks get
        session_id and agent_id with each call. env has variables for hookrun and its hooks, in addition to those of
        this process. A call without a verdict after timeout, in seconds or a timedelta, raises HookrunError; each hook
        has its own timeout.
        With require_hooks, each call raises HookrunError if there is no hooks file. ask asks a person if a hook says
        "ask": wrap runs the tool if ask returns True. Without ask, "ask" blocks.
        """
        if isinstance(timeout, timedelta):
            timeout = timeout.total_seconds()
        elif timeout > AN_HOUR:
            raise ValueError(f"timeout is in seconds, and {timeout!r} of them are more than an hour; were these "
                             f"milliseconds? Then give {timeout / 1000:g}. For more than an hour give a timedelta")
        if not timeout > 0:
            raise ValueError(f"timeout is {timeout!r}; give a number of seconds above 0")
        files: Sequence[str | os.PathLike[str]]
        files = [] if config is None else [config] if isinstance(config, (str, os.PathLike)) else config
        self.workspace = os.path.abspath(workspace)
        self.session_id = session_id
        self.agent_id = agent_id
        self.timeout = timeout
        self.ask = ask
        self._require_hooks = require_hooks
        self._config = [os.path.abspath(file) for file in files]
        self._binary = binary
        self._env = dict(env or {})
        self._prompt: str | None = None
        self._closed = False
        self._server: _server.Server | None = None
        self._old: list[_server.Server] = []  # servers that died, until nothing of them is left

    def __getstate__(self) -> dict[str, Any]:
        """A worker process that is given the gate starts a server of its own."""
        return {**self.__dict__, "_server": None, "_old": []}

    def __del__(self) -> None:
        server = self.__dict__.get("_server")
        if server is not None and server.alive():
            server.close(wait=False)

    def _flags(self) -> list[str]:
        more = ["--require-hooks"] if self._require_hooks else []
        return ["-C", self.workspace, *(part for file in self._config for part in ("-c", file)), *more]

    def _environ(self) -> dict[str, str]:
        return {**os.environ, **self._env}

    def _current(self) -> _server.Server:
        """Returns the server of this process. It starts one if there is none, or if the last one has ended."""
        with _server.starting:
            if self._closed:
                raise HookrunError("this Gate is closed; make another one")
            if self._server is None or not self._server.alive():
                environ = self._environ()
                binary = find_hookrun(self._binary, environ)
                if self._server is not None:
                    self._old = [server for server in (*self._old, self._server) if not server.ended()]
                    self._server = None
                self._server = _server.Server([binary, "serve", *self._flags()], environ)
            return self._server

    def _end(self) -> None:
        """Closes the gate, and waits until nothing of its servers is left."""
        with _server.starting:
            self._closed = True
            servers = [*self._old, self._server] if self._server else self._old
            self._server, self._old = None, []
        for server in servers:
            server.close()

    def _once(self, method: str, params: dict[str, Any]) -> Any:
        environ = self._environ()
        binary = find_hookrun(self._binary, environ)
        return _once.run([binary, method, *self._flags()], environ, params, self.timeout)

    def _params(self, id: str | None = None, **more: Any) -> dict[str, Any]:
        every = {"session_id": self.session_id, "agent_id": self.agent_id, "prompt": self._prompt, "tool_use_id": id}
        every.update({key: value for key, value in more.items() if value is not None})
        return {key: value for key, value in every.items() if value is not None}

    def _before(self, tool: str, args: Any, id: str | None, **ids: str | None) -> dict[str, Any]:
        return self._params(id, tool=tool, args={} if args is None else args, **ids)

    def _after(self, tool: str, args: Any, result: Any, id: str | None, failed: bool, blocked: bool,
               **ids: str | None) -> dict[str, Any]:
        return {**self._before(tool, args, id, **ids), "failed": failed, "blocked": blocked,
                "result": "" if result is None else result}

    def _no_verdict(self) -> HookrunError:
        return HookrunError(f"the hooks gave no verdict within {self.timeout:g} s")


class Gate(Base):
    """Runs the hooks of a project around tool calls. Threads may share a Gate; users of a service must not."""

    def before(self, tool: str, args: Any = None, id: str | None = None, *, session_id: str | None = None,
               agent_id: str | None = None) -> Verdict:
        """Runs the hooks before a tool. args is the tool's input, id the call's id.

        session_id and agent_id are for this call, in place of those of the gate.
        """
        params = self._before(tool, args, id, session_id=session_id, agent_id=agent_id)
        return verdict(self._call("pre-tool", params, tool), args)

    def after(self, tool: str, args: Any, result: Any, id: str | None = None, failed: bool = False, *,
              blocked: bool = False, session_id: str | None = None, agent_id: str | None = None) -> Result:
        """Runs the hooks after a tool. With failed=True, result is the error's text; with blocked=True, it is the
        reason for which the tool did not run."""
        params = self._after(tool, args, result, id, failed, blocked, session_id=session_id, agent_id=agent_id)
        return result_of(self._call("post-tool", params, tool), result)

    def prompt(self, prompt: str) -> Prompt:
        """Runs the hooks before the model sees the user's message. Hooks of later calls are given the message too."""
        self._prompt = prompt
        return prompt_of(self._call("pre-execute", self._params(), None), prompt)

    def wrap(self, name: str, args: Any, run: Callable[[Any], Any], id: str | None = None,
             on_block: str = "raise") -> Any:
        """Calls run(args) between the hooks, and returns what the model is to see.

        Hooks get a result that is no JSON as its fields or its text. If a hook blocks, the hooks after the tool get the
        reason as the result, and this raises Blocked, or with on_block="return" returns the text for the model. If a
        hook ends the loop, this raises Stopped.
        """
        return drive(wrapped(self, name, args, run, id, on_block))

    def close(self) -> None:
        """Ends the server. Calls that still run raise HookrunError."""
        self._end()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call(self, method: str, params: dict[str, Any], tool: str | None) -> dict[str, Any]:
        try:
            server = self._ready()
        except _server.NoThread:
            return check(self._once(method, params), method, tool)
        call = server.send(method, params)
        try:
            answer = call.result(self.timeout)
        except NoAnswer:
            server.expire(call)
            raise self._no_verdict() from None
        except BaseException as error:
            if not isinstance(error, HookrunError):
                server.cancel(call)
            raise
        return check(answer, method, tool)

    def _ready(self) -> _server.Server:
        """Returns a server that has answered a ping."""
        for _ in range(2):
            server = self._current()
            try:
                check_ping(server.ready.result(min(READY, self.timeout)))
                return server
            except NoAnswer:
                server.kill("hookrun serve answers no more")
        raise HookrunError("hookrun serve does not answer; is the program hookrun?")


def drive(steps: Steps) -> Any:
    """Runs steps that wait for nothing: what they yield is what they get."""
    value = None
    while True:
        try:
            value = steps.send(value)
        except StopIteration as end:
            return end.value


def around(gate: Any, name: str, args: Any, run: Callable[[Any], Any], id: str | None = None,
           pass_on: Any = (), see: Callable[[Any], tuple[Any, bool]] = lambda result: (plain(result), False)) -> Steps:
    """The steps of a call. They yield values, or with an AsyncGate what is to be awaited for one.

    They return the verdict, the answer after the tool, and what run returned. The answer is None if a hook ended the
    loop before the tool. The last is REFUSED if the tool must not run. see returns what the hooks see of the result,
    and whether the tool failed. If run raises, the hooks see the error's text, except for errors of pass_on, which are
    no failure.
    """
    pre = yield gate.before(name, args, id)
    if not (yield from allowed(gate, name, pre, id)):
        post = None if pre.stop else (yield from refused(gate, name, pre, id))
        return pre, post, REFUSED
    try:
        result = yield run(pre.args)
    except pass_on:
        raise
    except Exception as error:
        said = error_text(error)
        raise_failed(error, said, (yield gate.after(name, pre.args, said, id, failed=True)), pre)
        raise
    seen, failed = see(result)
    return pre, (yield gate.after(name, pre.args, seen, id, failed=failed)), result


REFUSED = object()  # in place of the result of a tool that must not run


def allowed(gate: Any, name: str, pre: Verdict, id: str | None) -> Steps:
    """The steps that decide whether the tool runs: if a hook asks and the gate has a way to ask a person, the person
    decides."""
    if pre.decision != "ask" or pre.stop or gate.ask is None:
        return pre.runs
    yes = yield gate.ask(Call(name, pre.args, id, pre.reason))
    if inspect.isawaitable(yes):
        if inspect.iscoroutine(yes):
            yes.close()
        raise HookrunError("ask returned what is to be awaited; use AsyncGate for a coroutine function")
    return yes is True


def refused(gate: Any, name: str, pre: Verdict, id: str | None, **ids: str | None) -> Steps:
    """The steps after a blocked call: the hooks after the tool get the reason as the result."""
    person = pre.decision == "ask" and gate.ask is not None
    reason = f"a person said no: {pre.reason}" if person else pre.reason
    return (yield gate.after(name, pre.args, reason, id, blocked=True, **ids))


def wrapped(gate: Any, name: str, args: Any, run: Callable[[Any], Any], id: str | None, on_block: str) -> Steps:
    """The steps of wrap."""
    seen = None

    def see(result: Any) -> tuple[Any, bool]:
        nonlocal seen
        seen = plain(result)
        return seen, False

    if on_block not in ("raise", "return"):
        raise ValueError(f'on_block is {on_block!r}; give "raise" or "return"')
    pre, post, result = yield from around(gate, name, args, run, id, see=see)
    if post is None:
        raise Stopped(pre.stop_reason or pre.reason, pre.decision, pre.outcome)
    made = shown(post, pre)
    if result is not REFUSED:
        return result if made is seen else made
    if on_block == "return":
        return text(made)
    raise Blocked(pre.reason, pre.decision, pre.outcome, text(made))


def check_ping(answer: Any) -> None:
    """Raises HookrunError unless a hookrun of this package's release or a later one has answered."""
    version = answer.get("version") if isinstance(answer, dict) else None
    if not isinstance(version, str):
        raise HookrunError("the program answers a ping without a version; is the program hookrun?")
    if version.lstrip("v").startswith("0.") and not version.startswith("v0.0.0-"):
        raise HookrunError(f"hookrun {version} is older than this package, which needs 1.0.0; "
                           "install the package and the binary of one release")


def shown(post: Result, pre: Verdict | None) -> Any:
    """Returns what the model is to see, or raises Stopped with it."""
    result = fold(post, pre)
    if post.stop:
        stopped = Stopped(post.stop_reason, post.decision, post.outcome)
        stopped.result = result
        raise stopped
    return result


def error_text(error: BaseException) -> str:
    return str(error) or type(error).__name__


def raise_failed(error: BaseException, said: str, post: Result, pre: Verdict | None) -> None:
    """Raises Failed if the model is to see another text than that of the tool's error, and Stopped at a stop."""
    result = shown(post, pre)
    if result != said:
        failed = Failed(text(result))
        failed.error = error
        raise failed from None
