"""The child of a fork, and a worker process, have a server of their own."""

from __future__ import annotations

import multiprocessing
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import forkserver, resource_tracker
from typing import Any

import pytest
from conftest import Hanging, Hooks, children, descriptors, entry

from hookrun import Gate, HookrunError

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here"),
    pytest.mark.filterwarnings("ignore:This process:DeprecationWarning"),  # it has threads when it forks
]
resource_tracker.ensure_running()  # these two processes stay until the tests end
forkserver.ensure_running()
HOOK = entry("pre-tool", 'echo "$PPID"')


def server_of(gate: Gate) -> str:
    """The process that started the hook."""
    return gate.before("shell", {}).inject[0]


def in_child(run: Any) -> str:
    """Runs a function in a fork, and returns its text."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            said = run()
        except BaseException as error:
            said = f"failed: {error!r}"
        os.write(write, str(said).encode())
        os._exit(0)
    os.close(write)
    with open(read, encoding="utf-8") as end:
        said = end.read()
    os.waitpid(pid, 0)
    return said


def test_fork(hooks: Hooks) -> None:
    with Gate(hooks(HOOK)) as gate:
        first = server_of(gate)

        def child() -> str:
            said = server_of(gate) + " " + server_of(gate)
            gate.close()
            return f"{said} {children()}"

        one, again, left = in_child(child).split(" ", 2)
        assert one == again != first
        assert left == "set()"
        assert server_of(gate) == first, "the parent's server is left alone"
    assert os.path.exists(f"/proc/{one}") is False


def test_child_holds_no_pipe_of_the_parent(hooks: Hooks) -> None:
    """Else the parent's server would not see the end of its input."""
    before = {d for d in descriptors() if "pipe:" in d}
    with Gate(hooks(HOOK)) as gate:
        server_of(gate)
        mine = {d.split()[1] for d in descriptors() - before if "pipe:" in d}
        assert len(mine) == 3
        held = in_child(lambda: " ".join(sorted(d.split()[1] for d in descriptors())))
        assert mine & set(held.split()) == set()


def test_fork_while_other_threads_call(hooks: Hooks, hanging: Hanging) -> None:
    slow = entry("pre-tool", hanging.script, "slow", matcher="slow")
    fast = entry("pre-tool", 'echo "$PPID"', "fast", matcher="shell")
    gate = Gate(hooks(slow, fast))
    with ThreadPoolExecutor() as pool:
        call = pool.submit(gate.before, "slow", {})
        hanging.wait()
        first = server_of(gate)
        stop = threading.Event()

        def busy() -> None:
            while not stop.is_set():
                server_of(gate)

        threads = [pool.submit(busy) for _ in range(4)]
        for _ in range(10):
            said = in_child(lambda: (server_of(gate), gate.close())[0])
            assert said.isdigit() and said != first
        stop.set()
        for thread in threads:
            thread.result()
        gate.close()
        with pytest.raises(HookrunError, match="Gate was closed"):
            call.result()
        hanging.wait_killed()


def test_fork_before_the_first_call(hooks: Hooks) -> None:
    with Gate(hooks(HOOK)) as gate:
        child = in_child(lambda: (server_of(gate), gate.close())[0])
        assert child.isdigit() and child != server_of(gate)


def work(gate: Gate) -> str:
    said = server_of(gate)
    gate.close()
    return said


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(method: str, hooks: Hooks, binary: str) -> None:
    context: Any = multiprocessing.get_context(method)
    with Gate(hooks(HOOK), binary=binary) as gate:
        first = server_of(gate)
        with context.Pool(2) as pool:
            servers = pool.map(work, [gate, gate], chunksize=1)
            pool.close()
            pool.join()
        assert first not in servers and len(set(servers)) == 2
        assert server_of(gate) == first
