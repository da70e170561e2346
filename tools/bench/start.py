#!/usr/bin/env python3
"""What a start costs: page faults, packages of our own with code before main, and the size of the stripped binary.

tools/bench/start.py [RUNS]. With RUNS also the time, as a ratio to a floor: the median of RUNS in turn with the floor,
each by posix_spawn with /dev/null for its input and output, so that the runner adds next to nothing to both. The
quickest of five rounds counts, since others may use the machine.

Faults are minor ones of the whole call, less those of an empty Go program and of the hook alone, since machines differ
in these. Of many calls the one with the fewest counts: what else the machine does only adds faults. Who raises a bound
says why where the change is described. docs/develop/performance.md has the figures.
"""
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

BOUNDS = {"version": 235, "no hooks file": 277, "one hook": 330, "initialisers": 0, "kilobytes": 17800}
RATIOS = {"no hooks file / an empty Go program": 2.3, "one hook / sh -c /bin/true": 3.0}
NULL = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in range(3)]


def spawn(argv, env):
    """Runs a program in the current folder. Returns its time in ms and its page faults."""
    begin = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, env, file_actions=NULL)
    status, usage = os.wait4(pid, 0)[1:]
    took = time.perf_counter() - begin
    if status != 0:
        sys.exit(f"{' '.join(argv)}: status {status}")
    return took * 1000, usage.ru_minflt


def build(package, program):
    """Builds a program, and copies it as an install does. The linker writes through a mapping, which leaves the file in
    memory in single pages: a program of 17 MB then starts half a millisecond later."""
    linked = program + ".linked"
    env = dict(os.environ, CGO_ENABLED="0")
    subprocess.run(["go", "build", "-ldflags=-s -w", "-o", linked, package], env=env, check=True)
    shutil.copy(linked, program)


def faults(argv, folder, runs=41):
    os.chdir(folder)
    env = {"PATH": "/usr/bin:/bin", "HOME": folder, "GOMAXPROCS": "2"}
    return min(spawn(argv, env)[1] for _ in range(runs))


def times(argv, floor, folder, runs, rounds=5):
    """Returns the medians of the quickest round."""
    os.chdir(folder)
    env = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "HOOKRUN_"))}
    env["HOME"] = folder
    medians = []
    for _ in range(rounds):
        pairs = [(spawn(argv, env)[0], spawn(floor, env)[0]) for _ in range(runs)]
        medians.append([statistics.median(side) for side in zip(*pairs)])
    return min(medians, key=sum)


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    over = False
    with tempfile.TemporaryDirectory() as tmp:
        binary, empty = os.path.join(tmp, "hookrun"), os.path.join(tmp, "empty")
        build(".", binary)
        os.mkdir(os.path.join(tmp, "e"))
        with open(os.path.join(tmp, "e", "main.go"), "w") as f:
            f.write("package main\n\nfunc main() {}\n")
        build(os.path.join(tmp, "e", "main.go"), empty)
        none, one = os.path.join(tmp, "none"), os.path.join(tmp, "one")
        os.mkdir(none)
        os.mkdir(one)
        with open(os.path.join(one, ".tenex-hooks.json"), "w") as f:
            f.write('{"hooks": [{"name": "t", "command": ["/bin/true"], "events": ["pre-tool"]}]}')
        call = [binary, "pre-tool", "--tool", "shell", "--args", "{}"]
        inits = subprocess.run([binary, "version"], env=dict(os.environ, GODEBUG="inittrace=1"), check=True,
                               capture_output=True, text=True).stderr
        floor, hook = faults([empty], none), faults(["/bin/true"], none)
        got = {
            "version": faults([binary, "version"], none) - floor,
            "no hooks file": faults(call, none) - floor,
            "one hook": faults(call, one) - floor - hook,
            "initialisers": len(re.findall(r"^init github\.com/hookrun/", inits, re.M)),
            "kilobytes": os.path.getsize(binary) // 1000,
        }
        print("an empty Go program:", floor, "faults; /bin/true:", hook)
        for name, bound in BOUNDS.items():
            over |= got[name] > bound
            print(f"{name}: {got[name]}, at most {bound}{'  OVER' if got[name] > bound else ''}")
        if len(sys.argv) > 1:
            rows = zip(RATIOS.items(), [[empty], ["/bin/sh", "-c", "/bin/true"]], [none, one])
            for (name, most), below, folder in rows:
                ours, theirs = times(call, below, folder, int(sys.argv[1]))
                over |= ours / theirs > most
                print(f"{name}: {ours:.2f} ms / {theirs:.2f} ms = {ours / theirs:.2f}, at most {most}"
                      f"{'  OVER' if ours / theirs > most else ''}")
        os.chdir("/")
    sys.exit(1 if over else 0)


main()
