#!/usr/bin/env python3
"""What a start costs: page faults, packages of our own with code before main, and the size of the stripped binary.

Faults are minor ones of the whole call, less those of an empty Go program and of the hook alone, since machines differ
in these. Of many calls the one with the fewest counts: what else the machine does only adds faults. Who raises a bound says why where the change
is described. docs/performance.md has the figures.
"""
import os
import re
import resource
import subprocess
import sys
import tempfile

BOUNDS = {"version": 250, "no hooks file": 305, "one hook": 390, "initialisers": 0, "kilobytes": 17600}


def faults(argv, cwd, runs=41):
    def once():
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
        subprocess.run(argv, cwd=cwd, env={"PATH": "/usr/bin:/bin", "HOME": cwd, "GOMAXPROCS": "2"}, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt - before
    return min(once() for _ in range(runs))


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    with tempfile.TemporaryDirectory() as tmp:
        env = dict(os.environ, CGO_ENABLED="0")
        binary, empty = os.path.join(tmp, "hookrun"), os.path.join(tmp, "empty")
        subprocess.run(["go", "build", "-ldflags=-s -w", "-o", binary, "."], env=env, check=True)
        os.mkdir(os.path.join(tmp, "e"))
        with open(os.path.join(tmp, "e", "main.go"), "w") as f:
            f.write("package main\n\nfunc main() {}\n")
        subprocess.run(["go", "build", "-o", empty, os.path.join(tmp, "e", "main.go")], env=env, check=True)
        none, one = os.path.join(tmp, "none"), os.path.join(tmp, "one")
        os.mkdir(none)
        os.mkdir(one)
        with open(os.path.join(one, ".tenex-hooks.json"), "w") as f:
            f.write('{"hooks": [{"name": "t", "command": ["/bin/true"], "events": ["pre-tool"]}]}')
        call = [binary, "pre-tool", "--tool", "shell", "--args", "{}"]
        inits = subprocess.run([binary, "version"], env=dict(env, GODEBUG="inittrace=1"), check=True,
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
    over = [name for name in BOUNDS if got[name] > BOUNDS[name]]
    for name, bound in BOUNDS.items():
        print(f"{name}: {got[name]}, at most {bound}{'  OVER' if name in over else ''}")
    sys.exit(1 if over else 0)


main()
