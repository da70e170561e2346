#!/usr/bin/env python3
# Tells each shell command where the session works and where its artifacts go, by two exports before it.
# Wire: {"command": ["python3", "-B", ".hooks/bash_env.py"], "events": ["pre-tool"], "matcher": "Bash|bash|shell", "persistent": true, "on_failure": "continue"}
from guards import rewrite, serve, tool_input
from bash_command import exports

SET = ("UA_ARTIFACTS_DIR=", "CURRENT_SESSION_WORKSPACE=")


def guard(call):
    args = tool_input(call)
    command = args.get("command") if isinstance(args, dict) else None
    if not isinstance(command, str) or not command.strip() or any(name in command for name in SET):
        return None
    before = exports(call)
    if not before:
        return None
    before.encode()  # a path that is no UTF-8 would get there as another one: better none
    return rewrite(call, {**args, "command": before + command})


serve(guard, on_error="pass")
