"""Whatever goes wrong, there is no verdict of continue."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from conftest import Hanging, Hooks, answer, descriptors, echo_n, entry, linux

from hookrun import Blocked, Failed, Gate, HookrunError, find_hookrun

CALLS = 1000


def pid_of(gate: Gate) -> int:
    assert gate._server is not None
    return gate._server.pid


def test_server_killed_in_the_middle(hooks: Hooks, hanging: Hanging) -> None:
    with Gate(hooks(entry("pre-tool", hanging.script, matcher="shell"))) as gate, ThreadPoolExecutor() as pool:
        call = pool.submit(gate.before, "shell", {})
        hanging.wait()
        first = pid_of(gate)
        os.kill(first, signal.SIGKILL)
        with pytest.raises(HookrunError, match="serve has ended with exit code -9"):
            call.result()
        hanging.wait_killed()
        assert gate.before("read", {}).runs
        assert pid_of(gate) != first


def test_many_calls_in_flight(hooks: Hooks) -> None:
    with Gate(hooks(echo_n("pre-tool"))) as gate:
        with ThreadPoolExecutor(CALLS) as pool:
            begin = threading.Barrier(CALLS)

            def call(n: int) -> Any:
                begin.wait()
                return gate.before("shell", {"n": n}).inject

            assert list(pool.map(call, range(CALLS))) == [[f"n is {n}"] for n in range(CALLS)]


def test_many_calls_in_flight_and_a_server_that_dies(hooks: Hooks, tmp_path: Path) -> None:
    """A call that had begun fails, or has a true verdict. Nothing hangs."""
    fifo = tmp_path / "begun"
    os.mkfifo(fifo)
    script = f"echo x >'{fifo}'; echo no >&2; exit 2"
    with Gate(hooks(entry("pre-tool", script))) as gate, ThreadPoolExecutor(64) as pool:
        calls = [pool.submit(gate.before, "shell", {}) for _ in range(64)]
        with open(fifo, encoding="ascii") as begun:
            assert begun.readline() == "x\n"
            os.kill(pid_of(gate), signal.SIGKILL)
        reader = os.open(fifo, os.O_RDWR)  # the hooks of calls that another server runs do not wait for a reader
        for call in calls:
            error = call.exception()
            if error is None:
                assert call.result().decision == "block"
            else:
                assert isinstance(error, HookrunError)
        assert any(call.exception() for call in calls)
        os.close(reader)


@linux
def test_hung_server(hooks: Hooks) -> None:
    with Gate(hooks(), timeout=1) as gate:
        assert gate.before("shell", {}).runs
        first = pid_of(gate)
        os.kill(first, signal.SIGSTOP)
        assert os.waitid(os.P_PID, first, os.WSTOPPED | os.WNOWAIT), "every thread of the server has stopped"
        with pytest.raises(HookrunError, match="no verdict within 1 s"):
            gate.before("shell", {})
        assert gate.before("shell", {}).runs
        assert pid_of(gate) != first


def test_timeout_kills_the_hooks_of_that_call(hooks: Hooks, hanging: Hanging) -> None:
    with Gate(hooks(entry("pre-tool", hanging.script, matcher="shell")), timeout=2) as gate:
        thread = threading.Thread(target=hanging.wait)
        thread.start()
        with pytest.raises(HookrunError, match="no verdict within 2 s"):
            gate.before("shell", {})
        thread.join()
        hanging.wait_killed()
        first = pid_of(gate)
        assert gate.before("read", {}).runs
        assert pid_of(gate) == first


def test_interrupt_cancels_the_call(hooks: Hooks, hanging: Hanging) -> None:
    # A shell starts programs in the background with SIGINT ignored, and Python then raises no KeyboardInterrupt.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupt() -> None:
        hanging.wait()
        os.kill(os.getpid(), signal.SIGINT)

    with contextlib.ExitStack() as end:
        end.callback(signal.signal, signal.SIGINT, before)
        gate = end.enter_context(Gate(hooks(entry("pre-tool", hanging.script, matcher="shell"))))
        thread = threading.Thread(target=interrupt)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            gate.before("shell", {})
        thread.join()
        hanging.wait_killed()
        assert gate.before("read", {}).runs


@linux
def test_nothing_is_left_after_many_gates(hooks: Hooks) -> None:
    folder = hooks(entry("pre-tool", "echo x"))
    before = descriptors()
    for _ in range(10):
        with Gate(folder) as gate:
            gate.before("shell", {})
            os.kill(pid_of(gate), signal.SIGKILL)
            with pytest.raises(HookrunError):
                while True:  # until the kernel has delivered the signal
                    assert gate._server is not None
                    gate._server.send("ping").result(10)
            gate.before("shell", {})
    assert descriptors() - before == set()


def test_gate_without_close(hooks: Hooks) -> None:
    gate = Gate(hooks())
    gate.before("shell", {})
    assert gate._server is not None
    threads = gate._server._threads
    del gate
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()


PING = 'read -r line; echo \'{"jsonrpc":"2.0","id":1,"result":{"version":"1.0.0"}}\'; read -r line; '
ANSWER = {"version": 1, "event": "pre-tool", "tool": "shell", "decision": "continue", "hooks": []}


def says(number: Any = 2, **more: Any) -> str:
    return PING + f"echo '{json.dumps({'jsonrpc': '2.0', 'id': number, **more})}'; cat >/dev/null"


PROGRAMS = {
    "ends at once": ("exit 0", "serve has ended with exit code 0"),
    "ends with an error": ("echo 'unknown command \"serve\"' >&2; exit 1", 'exit code 1: unknown command "serve"'),
    "ends before the answer": (PING + "exit 0", "serve has ended with exit code 0"),
    "prints no JSON": (PING + "echo continue; cat >/dev/null", "cannot be read"),
    "prints another program's text": ("echo Welcome; cat >/dev/null", "cannot be read"),
    "prints a list": (PING + "echo '[]'; cat >/dev/null", "cannot be read"),
    "prints an answer without an id": (PING + 'echo \'{"result":{}}\'; cat >/dev/null', "cannot be read"),
    "prints an answer without a result": (says(), "cannot be read"),
    "answers another call": (says(7, result=ANSWER), "answers call 7"),
    "answers that the line was wrong": (says(None, error={"code": -32700, "message": "bad line"}), "bad line"),
    "answers an error": (says(error={"code": -32001, "message": "no hooks"}), "no verdict: no hooks"),
    "answers no outcome": (says(result="continue"), "without a decision"),
    "answers {}": (says(result={}), "without a decision"),
    "answers in a later version": (says(result={**ANSWER, "version": 2}), "version 2 of the outcome"),
    "answers for another event": (says(result={**ANSWER, "event": "post-tool"}), "not one to this call"),
    "answers for another tool": (says(result={**ANSWER, "tool": "read"}), "not one to this call"),
    "answers with an unknown decision": (says(result={**ANSWER, "decision": "allow"}), "not one to this call"),
    "answers with a stop that is a text": (says(result={**ANSWER, "stop": "no"}), "not one to this call"),
    "answers with texts of another form": (says(result={**ANSWER, "inject": ["x"]}), "not one to this call"),
    "is older": ('read -r line; echo \'{"id":1,"result":{"version":"v0.9.1"}}\'; cat >/dev/null',
                 "v0.9.1 is older than this package"),
    "knows no ping": ('read -r line; echo \'{"id":1,"error":{"message":"unknown method"}}\'; cat >/dev/null',
                      "unknown method"),
    "is another program": ('read -r line; echo \'{"id":1,"result":{}}\'; cat >/dev/null', "is the program hookrun"),
    "closes its output": (PING + "exec >&- 2>&-; cat >/dev/null", "serve has ended"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_older_or_foreign_server(name: str, hooks: Hooks, tmp_path: Path) -> None:
    script, expected = PROGRAMS[name]
    program = tmp_path / "hookrun"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    ran: list[Any] = []
    with Gate(hooks(), binary=program) as gate:
        with pytest.raises(HookrunError) as caught:
            gate.wrap("shell", {}, ran.append)
        assert expected in str(caught.value)
        assert not isinstance(caught.value, Blocked)
    assert ran == []


@pytest.mark.parametrize("script", ["exec sleep 600", PING + "exec sleep 600"])
def test_server_that_never_answers(script: str, hooks: Hooks, tmp_path: Path) -> None:
    program = tmp_path / "hookrun"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    with Gate(hooks(), binary=program, timeout=0.3) as gate:
        with pytest.raises(HookrunError, match="no verdict within 0.3 s|does not answer"):
            gate.before("shell", {})


def test_server_that_reads_nothing(hooks: Hooks, tmp_path: Path) -> None:
    """The call is longer than a pipe, so its writer waits. The call has its timeout all the same."""
    program = tmp_path / "hookrun"
    program.write_text("#!/bin/sh\n" + PING.replace("read -r line; ", "", 1) + "exec sleep 600\n")
    program.chmod(0o755)
    with Gate(hooks(), binary=program, timeout=0.3) as gate:
        with pytest.raises(HookrunError, match="no verdict within"):
            gate.before("shell", {"a": "x" * (1 << 20)})


def test_hookrun_that_is_missing(hooks: Hooks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = hooks()
    install = "-m pip install --force-reinstall hookrun"
    for binary in tmp_path / "gone", "no-such-hookrun", folder:
        with pytest.raises(HookrunError, match="which is no program; install it: ") as caught:
            Gate(folder, binary=binary).before("shell", {})
        assert "the argument binary" in str(caught.value) and install in str(caught.value)
    monkeypatch.setenv("HOOKRUN", str(tmp_path / "gone"))
    with pytest.raises(HookrunError, match=r"^\$HOOKRUN is '.*gone', which is no program"):
        Gate(folder).before("shell", {})
    monkeypatch.delenv("HOOKRUN")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HookrunError, match="there is no hookrun beside this module or on PATH") as caught:
        Gate(folder).before("shell", {})
    assert install in str(caught.value)


def test_where_hookrun_is_found(binary: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_hookrun() == binary
    monkeypatch.delenv("HOOKRUN")
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", os.path.dirname(binary)]))
    here = tmp_path / "hookrun"  # an agent may have written this
    here.write_text("#!/bin/sh\n")
    here.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert find_hookrun() == binary
    assert find_hookrun("hookrun") == binary
    assert find_hookrun("./hookrun") == str(here)
    assert find_hookrun(env={"HOOKRUN": str(here)}) == str(here)


@pytest.mark.skipif(sys.platform == "win32", reason="a script is no program there")
def test_program_that_cannot_be_started(hooks: Hooks, tmp_path: Path) -> None:
    program = tmp_path / "hookrun"
    program.write_bytes(b"\x7fELF but not really")
    program.chmod(0o755)
    with Gate(hooks(), binary=program) as gate:
        with pytest.raises(HookrunError, match="cannot be started"):
            gate.before("shell", {})


def no_threads(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Each server can start as many threads as this, and no more."""
    start = threading.Thread.start
    count = {"left": after}

    def limited(self: threading.Thread) -> None:
        if self.name.startswith("hookrun-"):
            if not count["left"]:
                count["left"] = after
                raise RuntimeError("can't start new thread")
            count["left"] -= 1
        start(self)

    monkeypatch.setattr(threading.Thread, "start", limited)


@pytest.mark.parametrize("after", [0, 1, 2])
def test_commands_where_there_can_be_no_server(
        after: int, hooks: Hooks, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    no_threads(monkeypatch, after)
    folder = hooks(
        entry("pre-tool", 'case $(cat) in *"rm -rf"*) echo no >&2; exit 2 ;; esac', "block"),
        answer("pre-tool", {"hookSpecificOutput": {"updatedInput": {"command": "ls -l"}}}, "rewrite"),
        entry("post-tool", "cat >seen.json; echo after", "after"), entry("pre-execute", "echo more", "prompt"))
    with Gate(folder, session_id="s1") as gate:
        assert gate.prompt("@home").text == "@home\n\nmore"
        assert gate.before("shell", {"command": "rm -rf /"}).reason == "no"
        assert gate.wrap("-v", {"command": "ls"}, lambda args: args, id="-c1") == '{"command":"ls -l"}\n\nafter'
        payload = json.loads((folder / "seen.json").read_text())
        assert [payload[key] for key in ("tool", "result", "tool_use_id", "prompt", "session_id")] == [
            "-v", '{"command": "ls -l"}', "-c1", "@home", "s1"]
        with pytest.raises(Failed, match="^no\n\nafter$"):
            gate.wrap("shell", {"command": "ls"}, fail)
        assert json.loads((folder / "seen.json").read_text())["hook_event_name"] == "PostToolUseFailure"
    (folder / ".tenex-hooks.json").write_text("{")
    with pytest.raises(HookrunError, match=r"no verdict: .*\.tenex-hooks\.json:"):
        Gate(folder).before("shell", {})
    program = tmp_path / "hookrun"
    program.write_text("#!/bin/sh\ncase $1 in pre-tool) echo '" + json.dumps(ANSWER) + "'; exit 2 ;; esac\ncat")
    program.chmod(0o755)
    with pytest.raises(HookrunError, match="its exit code 2 does not fit"):
        Gate(folder, binary=program).before("shell", {})


def fail(args: Any) -> None:
    raise RuntimeError("no")
