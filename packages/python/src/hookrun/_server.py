"""A `hookrun serve` on pipes, and two threads: one writes calls, the other reads answers.

The threads serve programs with threads and programs with asyncio alike, on every system. A call is a
concurrent.futures.Future. If the server dies or answers anything unreadable, all its calls fail.
"""

from __future__ import annotations

import itertools
import json
import logging
import os
import queue
import signal
import subprocess
import sys
import threading
from concurrent.futures import Future
from typing import Any

from ._errors import HookrunError

log = logging.getLogger("hookrun")

LONGEST_CALL = 64 << 20  # bytes of a line that the server reads
LONGEST_ANSWER = 512 << 20
KEPT_STDERR = 16 << 10
GRACE = 5.0  # seconds that a server has to end after the end of its input

starting = threading.RLock()  # held while pipes are open that are in no Server yet; a fork waits for it
servers: set[Server] = set()


class NoThread(Exception):
    """The system starts no more threads, so there can be no server."""


class Call(Future[Any]):
    """A call that waits for its answer."""

    number = 0


class Server:
    def __init__(self, argv: list[str], env: dict[str, str]) -> None:
        self._argv = argv
        self._lock = threading.Lock()
        self._pending: dict[int, Call] = {}
        self._ids = itertools.count(1)
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._gone = ""  # why the server answers no more calls
        self._stderr = b""
        with starting:
            self._process, self._stdin, self._stdout, self._errors = _start(argv, env)
            servers.add(self)
        self.ready = self.send("ping")
        self._threads = [threading.Thread(target=target, name=f"hookrun-{target.__name__.strip('_')}", daemon=True)
                         for target in (self._read_errors, self._read, self._write)]
        try:
            for thread in self._threads:
                thread.start()
        except RuntimeError as error:
            self._abandon()
            raise NoThread(str(error)) from error

    @property
    def pid(self) -> int:
        return self._process.pid

    def alive(self) -> bool:
        return not self._gone and self._process.poll() is None

    def ended(self) -> bool:
        """Whether neither the process nor a thread is left."""
        return not any(thread.is_alive() for thread in self._threads)

    def send(self, method: str, params: dict[str, Any] | None = None) -> Call:
        """Sends a call. The future gets the result, or HookrunError if there is none."""
        call = Call()
        number = call.number = next(self._ids)
        line = _line({"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}})
        with self._lock:
            if self._gone:
                raise HookrunError(self._gone)
            self._pending[number] = call
        self._lines.put(line)
        return call

    def cancel(self, call: Call) -> None:
        """Has the server kill the hooks of a call. Nobody waits for the call's answer any more."""
        call.cancel()
        self._lines.put(_line({"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": call.number}}))

    def expire(self, call: Call) -> None:
        """Cancels a call that took too long. The next call first waits until the server answers a ping."""
        self.cancel(call)
        try:
            self.ready = self.send("ping")
        except HookrunError:
            pass  # the server is gone, so the next call starts another one

    def kill(self, why: str) -> None:
        """Kills the server and fails its calls."""
        self._fail(why)
        self._lines.put(None)
        self._kill()

    def close(self, wait: bool = True) -> None:
        """Ends the server, and fails the calls that still run."""
        why, hung = "the Gate was closed before there was a verdict", not self.ready.done()
        self._fail(why)
        self._lines.put(None)
        if wait and self._threads:
            reader = self._threads[1]
            if not hung:
                reader.join(GRACE)
            if reader.is_alive():
                self.kill(why)
            for thread in self._threads:
                thread.join(GRACE)

    def forget(self) -> None:
        """In the child of a fork: closes the pipes. The server belongs to the parent."""
        self._gone = "the server belongs to the parent of this process"
        self._threads, self._pending, self._lock = [], {}, threading.Lock()
        self._process.returncode = 0  # else Popen warns of a process that this process cannot wait for
        for fd in (self._stdin, self._stdout, self._errors):
            if fd >= 0:
                os.close(fd)
        self._stdin = self._stdout = self._errors = -1

    def _kill(self) -> None:
        if sys.platform != "win32" and self._process.poll() is None:
            try:
                os.killpg(self._process.pid, signal.SIGKILL)  # also what a wrapper script has started
            except OSError:
                pass  # every process of the group has ended
        self._process.kill()

    def _abandon(self) -> None:
        """Ends a server of which not all threads have started."""
        self._gone = "the system starts no more threads"
        self._kill()
        self._process.wait()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()
        for fd in (self._errors, self._stdout, self._stdin):
            if fd >= 0:
                os.close(fd)
        servers.discard(self)

    def _fail(self, why: str) -> None:
        with self._lock:
            self._gone = self._gone or why
            calls = list(self._pending.values())
            self._pending.clear()
        for call in calls:
            if call.set_running_or_notify_cancel():
                call.set_exception(HookrunError(why))

    def _write(self) -> None:
        try:
            line = self._lines.get()
            while line is not None:
                view = memoryview(line)
                while view:
                    view = view[os.write(self._stdin, view):]
                line = self._lines.get()
        except OSError:
            self._kill()  # the server reads no more, so it answers no more calls
        finally:
            fd, self._stdin = self._stdin, -1
            os.close(fd)

    def _read(self) -> None:
        rest: list[bytes] = []
        why, size = "", 0
        try:
            while True:
                part = os.read(self._stdout, 1 << 16)
                if not part:
                    break
                *ends, last = part.split(b"\n")
                if ends:
                    for line in [b"".join(rest) + ends[0], *ends[1:]]:
                        self._answer(line)
                    rest, size = [], 0
                rest.append(last)
                size += len(last)
                if size > LONGEST_ANSWER:
                    raise ValueError(f"a line of over {LONGEST_ANSWER >> 20} MiB")
        except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
            why = f"{self._argv[0]} serve gave an answer that cannot be read ({error}); is the program hookrun?"
            self.kill(why)
        finally:
            with self._lock:
                self._gone = self._gone or why or f"{self._argv[0]} serve has ended"
            self._lines.put(None)
            self._end(why)

    def _end(self, why: str) -> None:
        """Waits for the end of the server, and fails its calls."""
        try:
            code = self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            self._kill()
            code = self._process.wait()
        self._threads[0].join(1)
        said = self._stderr.decode("utf-8", "replace").strip()
        self._fail(why or f"{self._argv[0]} serve has ended with exit code {code}" + (said and f": {said}"))
        fd, self._stdout = self._stdout, -1
        os.close(fd)
        servers.discard(self)

    def _read_errors(self) -> None:
        try:
            while True:
                part = os.read(self._errors, 1 << 16)
                if not part:
                    break
                self._stderr = (self._stderr + part)[-KEPT_STDERR:]
                log.debug("serve: %r", part)
        finally:
            fd, self._errors = self._errors, -1
            os.close(fd)

    def _answer(self, line: bytes) -> None:
        answer = json.loads(line)
        number = answer["id"]
        if number is None:
            raise ValueError(f"{answer.get('error')}")
        error = answer.get("error")
        result = answer["result"] if error is None else None
        with self._lock:
            call = self._pending.pop(number, None)
            if call is None:
                if self._gone:
                    return
                raise ValueError(f"it answers call {number!r}, which was not made")
        if call.set_running_or_notify_cancel():
            if error is None:
                call.set_result(result)
            else:
                message = error.get("message") if isinstance(error, dict) else error
                call.set_exception(HookrunError(f"the hooks gave no verdict: {message}"))


def _start(argv: list[str], env: dict[str, str]) -> tuple[subprocess.Popen[bytes], int, int, int]:
    """Starts the server. The pipes are descriptors, since a file object would close its number again after a fork."""
    fds: list[int] = []
    try:
        for _ in range(3):
            fds += os.pipe()
        process = subprocess.Popen(
            argv, stdin=fds[0], stdout=fds[3], stderr=fds[5], env=env, start_new_session=os.name != "nt",
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0))
    except OSError as error:
        for fd in fds:
            os.close(fd)
        raise HookrunError(f"{argv[0]} cannot be started: {error}") from error
    for fd in (fds[0], fds[3], fds[5]):
        os.close(fd)
    return process, fds[1], fds[2], fds[4]


def _line(message: dict[str, Any]) -> bytes:
    try:
        line = json.dumps(message, allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise HookrunError(f"the arguments or the result are no JSON: {error}; give a value of JSON, or a text"
                           ) from error
    if len(line) > LONGEST_CALL:
        raise HookrunError(f"the call has {len(line) >> 20} MiB, and hookrun reads {LONGEST_CALL >> 20} MiB at most")
    return line


def _in_child() -> None:
    global starting
    starting = threading.RLock()
    for server in list(servers):
        server.forget()
    servers.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=lambda: starting.acquire() and None,
                        after_in_parent=lambda: starting.release(), after_in_child=_in_child)
