"""AsyncGate: the same answers, and cancellation."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from conftest import Hanging, Hooks, answer, echo_n, entry, specific

from hookrun import AsyncGate, Blocked, Call, Failed, HookrunError, Stopped

CALLS = 1000


def test_ask_a_person(hooks: Hooks) -> None:
    async def main() -> None:
        async def ask(call: Call) -> bool:
            await asyncio.sleep(0)
            return call.args == {"n": 1}

        asks = answer("pre-tool", specific(permissionDecision="ask", permissionDecisionReason="who may?"))
        async with AsyncGate(hooks(asks), ask=ask) as gate:
            assert await gate.wrap("shell", {"n": 1}, lambda args: "ran") == "ran"
            with pytest.raises(Blocked, match="^a person said no: who may?"):
                await gate.wrap("shell", {"n": 2}, lambda args: "ran")

    asyncio.run(main())


def test_wrap(hooks: Hooks) -> None:
    async def main() -> None:
        async def run(args: Any) -> Any:
            calls.append(args)
            return "the key is 7"

        async with AsyncGate(hooks(
            entry("pre-tool", 'case $(cat) in *"rm -rf"*) echo no >&2; exit 2 ;; esac', "block"),
            answer("pre-tool", specific(updatedInput={"command": "ls -l"}), "rewrite"),
            entry("pre-tool", "echo before", "inject"),
            answer("post-tool", specific(updatedToolOutput="[removed]"), "redact"),
        )) as gate:
            with pytest.raises(Blocked, match=r"^\[removed\]$") as caught:
                await gate.wrap("shell", {"command": "rm -rf /"}, run)
            assert caught.value.reason == "no"
            assert await gate.wrap("shell", {"command": "rm -rf /"}, run, on_block="return") == "[removed]"
            assert calls == []
            assert await gate.wrap("shell", {"command": "ls"}, run) == "[removed]\n\nbefore"
            assert await gate.wrap("shell", {"command": "ls"}, lambda args: calls.append(args)) == "[removed]\n\nbefore"
            assert calls == [{"command": "ls -l"}] * 2
            assert (await gate.prompt("hello")).text == "hello"

            async def fails(args: Any) -> Any:
                raise RuntimeError("the key is 7")

            with pytest.raises(Failed, match=r"^\[removed\]"):
                await gate.wrap("shell", {}, fails)

    calls: list[Any] = []
    asyncio.run(main())


def test_stop_and_ask(hooks: Hooks) -> None:
    async def main() -> None:
        async with AsyncGate(hooks(answer("pre-tool", {"continue": False, "stopReason": "enough"}))) as gate:
            with pytest.raises(Stopped, match="^enough$"):
                await gate.wrap("shell", {}, print)
        async with AsyncGate(hooks(answer("pre-tool", specific(permissionDecision="ask")))) as gate:
            assert (await gate.before("shell", {})).decision == "ask"

    asyncio.run(main())


def test_error_of_the_tool_goes_on(hooks: Hooks) -> None:
    async def main() -> None:
        error = RuntimeError("no such file")

        async def fails(args: Any) -> Any:
            raise error

        async with AsyncGate(folder) as gate:
            with pytest.raises(RuntimeError) as caught:
                await gate.wrap("shell", {}, fails)
            assert caught.value is error

    folder = hooks(entry("post-tool", "cat >seen.json"))
    asyncio.run(main())
    assert json.loads((folder / "seen.json").read_text())["error"] == "no such file"


def test_many_calls_in_flight(hooks: Hooks) -> None:
    """Each call gets its own answer. All are in flight at once, since the hook answers one after the other."""

    async def main() -> None:
        async with AsyncGate(folder) as gate:
            verdicts = await asyncio.gather(*(gate.before("shell", {"n": n}) for n in range(CALLS)))
            assert [v.args for v in verdicts] == [{"n": n} for n in range(CALLS)]
            assert [v.inject for v in verdicts] == [[f"n is {n}"] for n in range(CALLS)]

    folder = hooks(echo_n("pre-tool"))
    asyncio.run(main())


def test_cancellation_of_a_task(hooks: Hooks, hanging: Hanging) -> None:
    async def main() -> None:
        async with AsyncGate(folder) as gate:
            other = asyncio.create_task(gate.before("read", {}))
            task = asyncio.create_task(gate.before("shell", {}))
            await asyncio.to_thread(hanging.wait)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.to_thread(hanging.wait_killed)
            pid = gate._server.pid if gate._server else 0
            assert (await other).runs, "the other call is left alone"
            assert (await gate.before("read", {})).runs
            assert gate._server and gate._server.pid == pid, "the server is the same"

    folder = hooks(entry("pre-tool", hanging.script, matcher="shell"))
    asyncio.run(main())


def test_cancellation_while_the_server_starts(hooks: Hooks) -> None:
    async def main() -> None:
        async with AsyncGate(hooks()) as gate:
            task = asyncio.create_task(gate.before("shell", {}))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await gate.before("shell", {})).runs

    asyncio.run(main())


def test_timeout(hooks: Hooks, hanging: Hanging) -> None:
    async def main() -> None:
        async with AsyncGate(folder, timeout=2) as gate:
            reader = asyncio.create_task(asyncio.to_thread(hanging.wait))
            with pytest.raises(HookrunError, match="no verdict within 2 s"):
                await gate.before("shell", {})
            await reader
            await asyncio.to_thread(hanging.wait_killed)
            assert (await gate.before("read", {})).runs

    folder = hooks(entry("pre-tool", hanging.script, matcher="shell"))
    asyncio.run(main())


def test_close_fails_calls_in_flight(hooks: Hooks, hanging: Hanging) -> None:
    async def main() -> None:
        gate = AsyncGate(folder)
        task = asyncio.create_task(gate.before("shell", {}))
        await asyncio.to_thread(hanging.wait)
        await gate.close()
        with pytest.raises(HookrunError, match="Gate was closed"):
            await task
        await asyncio.to_thread(hanging.wait_killed)

    folder = hooks(entry("pre-tool", hanging.script))
    asyncio.run(main())


def test_two_event_loops(hooks: Hooks) -> None:
    gate = AsyncGate(hooks(entry("pre-tool", "echo x")))

    async def call() -> list[str]:
        return (await gate.before("shell", {})).inject

    assert asyncio.run(call()) == ["x"]
    assert asyncio.run(call()) == ["x"]
    asyncio.run(gate.close())
