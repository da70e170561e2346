"""What the programs of this folder share: a hook's answer, the state file of a session, and hookrun's queue.

Run it to change the state of an agent, under the lock that the hooks take:
    MASSGEN_ROUND_STATE=state.json python3 massgen.py agent1 answered=true restart_pending=true"""
import argparse
import contextlib
import fcntl
import json
import os
import pathlib
import subprocess
import sys
import time

RULE = "=" * 60


def answer(content="", strategy="tool_result", **more):
    """Prints a HookResult that allows the tool, with a text for the model if there is one."""
    inject = {"inject": {"content": content, "strategy": strategy}} if content else {}
    print(json.dumps({"allowed": True, "decision": "allow", **inject, **more}))


@contextlib.contextmanager
def kept(path, new=None):
    """The JSON object in a file, to be changed. It is written when the block ends without an error. Without new the file
    must exist. Parallel hooks take turns by a lock, which is released when its holder dies. The lock has its own file,
    since the state is replaced by a rename, so that nobody reads half of it."""
    with open(path + ".lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        file, beside = pathlib.Path(path), pathlib.Path(path + ".new")
        before = file.read_bytes() if new is None or file.exists() else b""
        state = json.loads(before) if before.strip() or new is None else new
        yield state
        after = (json.dumps(state, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "replace")
        if after != before:
            beside.write_bytes(after)
            beside.replace(file)


def round_of(state, agent):
    """The agent's state; the seconds of its round so far, their limit or None, the grace period after a warning."""
    mine = state.setdefault("agents", {}).setdefault(agent or "", {})
    start = mine.setdefault("round_start_time", time.time())  # if unknown, it begins with the first tool
    kind = "subsequent" if mine.setdefault("round", 0) else "initial"
    settings = state.get("timeout_settings") or {}
    grace = settings.get("round_timeout_grace_seconds")
    return mine, time.time() - start, settings.get(kind + "_round_timeout_seconds"), 120 if grace is None else grace


def producer(about):
    """The flags of all producers."""
    flags = argparse.ArgumentParser(description=about)
    flags.add_argument("--session", default=os.environ.get("MASSGEN_SESSION_ID", ""))
    flags.add_argument("--agent", action="append", default=[], help="who gets the text; absent: each agent of the session")
    flags.add_argument("--strategy", default="tool_result", choices=["tool_result", "user_message"])
    flags.add_argument("--print", action="store_true", help="print the text instead of queueing it")
    flags.add_argument("file", nargs="?", default="-", help="@FILE, or - for stdin")
    return flags


def document(flags):
    with sys.stdin.buffer if flags.file == "-" else open(flags.file.removeprefix("@"), "rb") as file:
        return json.load(file)


def deliver(flags, text, source, agents):
    """Queues a text. It is passed on stdin: a command line is public and too short."""
    if flags.print:
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    elif text:
        argv = [os.environ.get("HOOKRUN") or "hookrun", "inject", "--session=" + flags.session, "--strategy=" + flags.strategy]
        argv += ["--source=" + source] + ["--agent=" + agent for agent in agents] + ["-"]
        if subprocess.run(argv, input=text.encode("utf-8", "replace"), stdout=subprocess.DEVNULL).returncode:
            sys.exit(1)  # hookrun has printed why


if __name__ == "__main__":
    with kept(os.environ["MASSGEN_ROUND_STATE"]) as STATE:
        round_of(STATE, sys.argv[1])[0].update((k, json.loads(v)) for k, v in (word.split("=", 1) for word in sys.argv[2:]))
