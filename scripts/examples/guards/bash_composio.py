#!/usr/bin/env python3
# Blocks shell commands that use the Composio SDK: such actions must use the MCP tools, where guards see them.
# Wire: {"command": ["python3", "-B", ".hooks/bash_composio.py"], "events": ["pre-tool"], "matcher": "Bash|bash|shell", "persistent": true, "on_failure": "block"}
from guards import DATA, block, serve
from bash_command import folded

REASON = "Direct Composio SDK usage blocked."
MESSAGE = "The command has '%s' in it. Call the MCP tools instead: upload_to_composio for a file, then " \
    "mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL with the slug of the action."


def guard(call):
    command = folded(call)
    for words in DATA["bash_composio"]:
        if words in command:
            message = MESSAGE % words
            return block(call, REASON + " " + message, message)  # the model only sees the reason
    return None


serve(guard, on_error="block")
