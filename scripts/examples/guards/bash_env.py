#!/usr/bin/env python3
# Puts two exports before each shell command: the session's workspace, and the folder for its artifacts.
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
    before.encode()  # an error if it is not UTF-8: the path would be changed
    return rewrite(call, {**args, "command": before + command})


serve(guard, on_error="pass")
