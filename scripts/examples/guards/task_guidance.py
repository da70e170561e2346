#!/usr/bin/env python3
# After a Task: what to do if its subagent could not write a file; otherwise that it is done. It never blocks.
# Wire: {"command": ["python3", "-B", ".hooks/task_guidance.py"], "events": ["post-tool"], "matcher": "Task", "persistent": true}
from guards import DATA, context, serve
from advice import advice
from tool_errors import said, words

RECOVERY = """A subagent could not write its file: the text was too long for one call, or an argument was missing.
1. Look at what is there already: the file may be empty or half of it.
2. Have it written in parts: the first one by Write, the others appended, some thousand characters each.
3. Then have the whole file read once."""
DONE = "The Task is done and this is its result. TaskOutput and TaskResult are disabled: do not call them to wait for more."
BEGUN = "The Task runs in the background. Its report comes by itself, as a message. TaskOutput and TaskResult are disabled: do not " \
    "call them to wait for it."


def guard(call):
    result = said(call)
    if isinstance(result, dict) and result.get("status") == "async_launched":
        return context(call, BEGUN)
    text = words(result)
    if any(sign in text for sign in DATA["task_guidance"]):
        return advice(call, RECOVERY, "Sub-agent Write failure - retry with chunking.\n" + RECOVERY)
    return context(call, DONE)


serve(guard, on_error="pass")
