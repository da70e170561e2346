#!/usr/bin/env python3
# PostToolUse: asks for notes when a high-priority task is done. Built after MassGen's high_priority_task_reminder.
# Wire: {matcher: "*update_task_status", handler: ./task_reminder.py, type: command, timeout: 5}
import fnmatch
import json
import sys

from massgen import RULE, answer

TEXT = """
{rule}
⚠️  SYSTEM REMINDER
{rule}

✓ High-priority task completed! Write down now what will help the next one:
  • the skills and tools that helped, and those that did not: memory/long_term/skill_effectiveness.md
  • the way you went about it, and how far it led: memory/long_term/approach_patterns.md
  • the mistakes that nobody needs to make twice: memory/long_term/lessons_learned.md
  • what the user turned out to prefer: memory/short_term/user_prefs.md

{rule}
""".format(rule=RULE)


def is_done(event):
    try:
        task = json.loads(event.get("tool_output") or "")["task"]
        return task["priority"] == "high" and task["status"] == "completed"
    except (ValueError, TypeError, KeyError):  # the output of another tool
        return False


event = json.load(sys.stdin.buffer)
if fnmatch.fnmatchcase(event.get("tool_name") or "", "*update_task_status") and is_done(event):
    answer(TEXT, "user_message")
else:
    answer()
