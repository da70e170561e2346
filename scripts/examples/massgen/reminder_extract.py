#!/usr/bin/env python3
# PostToolUse: gives the model the "reminder" in a tool's JSON output as a message of its own.
# Wire: {handler: ./reminder_extract.py, type: command, timeout: 5}

# The tool decides what the model reads: match only tools that you trust.
import json
import sys

from massgen import answer

event = json.load(sys.stdin.buffer)
try:
    reminder = json.loads(event.get("tool_output") or "")["reminder"]
except (ValueError, TypeError, KeyError):  # no JSON object, or no reminder
    reminder = ""
answer(reminder if isinstance(reminder, str) else "", "user_message")
