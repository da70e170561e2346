#!/usr/bin/env python3
# PostToolUse: hands a "reminder" that a tool puts into its JSON output to the model as a message of its own.
# Wire: {handler: ./reminder_extract.py, type: command, timeout: 5}

# The tool decides what the model reads here: match only tools that you trust with that.
import json
import sys

from massgen import answer

event = json.load(sys.stdin.buffer)
try:
    reminder = json.loads(event.get("tool_output") or "")["reminder"]
except (ValueError, TypeError, KeyError):  # no JSON object, or one without it
    reminder = ""
answer(reminder if isinstance(reminder, str) else "", "user_message")
