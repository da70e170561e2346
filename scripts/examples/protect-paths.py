#!/usr/bin/env python3
# Denies writes to secrets, .git, lock files, the hooks themselves, and anything outside the workspace.
# Wire: {"command": ["python3", "./protect-paths.py"], "events": ["pre-tool"], "matcher": "fs_write|fs_edit|Write|Edit", "persistent": true, "on_failure": "block"}

# The packs files, secrets and agents do this without a process. This is an example of the protocol.
# It treats every tool that the matcher matches as one that writes. The answer is Claude Code's JSON, so this is a
# PreToolUse hook for Claude Code, too. Any error is a deny.
import sys

sys.path.pop(0)  # this file's folder: a json.py there must not be imported

import json
import os

SELF = os.path.realpath(__file__)

PATH_KEYS = ("path", "file_path", "notebook_path")
NAMES = {".git", ".env", ".envrc", ".tenex-hooks.json", "id_rsa", "id_ed25519", "package-lock.json", "npm-shrinkwrap.json",
         "pnpm-lock.yaml", "bun.lockb", "go.sum", "packages.lock.json"}
ENDS = (".pem", ".key", ".lock")
SAMPLES = {".env.example", ".env.sample", ".env.template"}


def deny(reason):
    return {"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": reason,
    }}


def protected(path):
    """Why no part of path may be written, or None. Ignores case, like a Mac's disk."""
    for part in path.lower().replace("\\", "/").split("/"):
        part = part.rstrip(" .") or part  # Windows ignores these
        if part in NAMES or part.endswith(ENDS) or (part.startswith(".env.") and part not in SAMPLES):
            return "%s is protected in this project; ask before you change it" % part
    return None


def verdict(call):
    """Why the call must not be made, or None."""
    args = call["tool_input"] if "tool_input" in call else call["args"]
    paths = [args[key] for key in PATH_KEYS if key in args]
    if not paths:
        return "the call names no path (%s), so nobody has checked it" % ", ".join(PATH_KEYS)
    cwd = call.get("cwd") or os.getcwd()
    root = os.path.realpath(os.environ.get("HOOKRUN_WORKSPACE") or os.environ.get("CLAUDE_PROJECT_DIR") or cwd)
    for path in paths:
        if not path or path.startswith("~"):
            return "%s is outside the workspace" % path
        full = os.path.join(cwd, path)
        # A tool may drop a/.. from the text or go through a, which can be a link. Check both.
        for place in (os.path.realpath(full), os.path.realpath(os.path.normpath(full))):
            if os.path.commonpath([root, place]) != root:
                return "%s is outside the workspace" % path
            if place == SELF or os.path.dirname(place) == os.path.dirname(SELF) and os.access(place, os.X_OK):
                return "%s is a hook of this project, or stands among them" % path
            # Check the name in the call, and the name of a link's target.
            why = protected(os.path.relpath(full, cwd)) or protected(os.path.relpath(place, root))
            if why:
                return why
    return None


def answer(line):
    own = {}  # the id of the call, by which a persistent hook says what this answers
    try:
        call = json.loads(line.decode("utf-8"))
        own = {"id": call["id"]} if "id" in call else own
        why = verdict(call)
    except BaseException as error:
        why = "protect-paths could not check the path: %s: %s" % (type(error).__name__, error)
    return {**(deny(why) if why else {}), **own}


line = sys.stdin.buffer.readline()
while True:
    if not line.rstrip().endswith(b"}"):
        line += sys.stdin.buffer.read()  # a call on several lines ends with the input
    print(json.dumps(answer(line)), flush=True)
    line = sys.stdin.buffer.readline()
    if not line:
        break
