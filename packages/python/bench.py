#!/usr/bin/env python3
"""Prints what gate.wrap costs over a direct call of the tool: HOOKRUN=hookrun packages/python/bench.py"""
import asyncio
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "src"))
from hookrun import AsyncGate, Gate

KINDS = {
    "no hook": [],
    "a rule": [{"name": "r", "block": "no", "events": ["pre-tool"], "if": "shell(rm *)"}],
    "one process hook before the tool": [{"name": "h", "command": ["/bin/true"], "events": ["pre-tool"]}],
}
CALLS = 2000
ARGS = {"command": "ls"}


def tool(args):
    return "ran"


def show(name, times):
    times.sort()
    tenth = times[len(times) // 10]
    print(f"{name}: median {statistics.median(times) * 1e6:.0f} us, fastest tenth {tenth * 1e6:.0f} us")


async def in_tasks(folder):
    times = []
    async with AsyncGate(folder) as gate:
        await gate.wrap("shell", ARGS, tool)
        for _ in range(CALLS):
            begin = time.perf_counter()
            await gate.wrap("shell", ARGS, tool)
            times.append(time.perf_counter() - begin)
    return times


with tempfile.TemporaryDirectory() as folder:
    for kind, hooks in KINDS.items():
        Path(folder, ".tenex-hooks.json").write_text(json.dumps({"hooks": hooks}))
        times = []
        with Gate(folder) as gate:
            gate.wrap("shell", ARGS, tool)
            for _ in range(CALLS):
                begin = time.perf_counter()
                gate.wrap("shell", ARGS, tool)
                times.append(time.perf_counter() - begin)
        show(f"Gate, {kind}", times)
        show(f"AsyncGate, {kind}", asyncio.run(in_tasks(folder)))
