#!/usr/bin/env python3
"""Prints what gate.wrap costs over a direct call of the tool, and what its two calls of hookrun serve take by
themselves: HOOKRUN=hookrun packages/python/bench.py"""
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "src"))
from hookrun import AsyncGate, Gate, find_hookrun

KINDS = {
    "no hook": [],
    "a rule": [{"name": "r", "block": "no", "events": ["pre-tool"], "if": "shell(rm *)"}],
    "one process hook before the tool": [{"name": "h", "command": ["/bin/true"], "events": ["pre-tool"]}],
}
CALLS = 700
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


def by_hand(folder):
    """The same calls without the module: what serve itself takes."""
    calls = {"pre-tool": {}, "post-tool": {"result": "ran"}}
    lines = [json.dumps({"jsonrpc": "2.0", "id": 1, "method": method,
                         "params": {"tool": "shell", "args": ARGS, **more}}) for method, more in calls.items()]
    times = []
    with subprocess.Popen([find_hookrun(), "serve", "-C", folder], bufsize=0, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as server:
        for _ in range(1 + CALLS):
            begin = time.perf_counter()
            for line in lines:
                server.stdin.write(line.encode() + b"\n")
                if b'"decision":"continue"' not in server.stdout.read(1 << 16):
                    raise SystemExit("hookrun serve gave no such answer")
            times.append(time.perf_counter() - begin)
        server.stdin.close()
    return times[1:]


with tempfile.TemporaryDirectory() as folder:
    for kind, hooks in KINDS.items():
        Path(folder, ".tenex-hooks.json").write_text(json.dumps({"hooks": hooks}))
        show(f"serve itself, {kind}", by_hand(folder))
        times = []
        with Gate(folder) as gate:
            gate.wrap("shell", ARGS, tool)
            for _ in range(CALLS):
                begin = time.perf_counter()
                gate.wrap("shell", ARGS, tool)
                times.append(time.perf_counter() - begin)
        show(f"Gate, {kind}", times)
        show(f"AsyncGate, {kind}", asyncio.run(in_tasks(folder)))
