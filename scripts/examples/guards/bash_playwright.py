#!/usr/bin/env python3
# Blocks Playwright's PDF of anything but HTML: from Markdown or text it makes a page of raw source.
# Wire: {"command": ["python3", "-B", ".hooks/bash_playwright.py"], "events": ["pre-tool"], "matcher": "Bash|bash|shell", "persistent": true, "on_failure": "block"}
from guards import DATA, block, serve
from bash_command import folded

REASON = "Playwright PDF conversion without explicit HTML input."
MESSAGE = "Write the document as HTML first, and name that file in the command (.html or file://)."


def guard(call):
    command, words = folded(call), DATA["bash_playwright"]
    if not all(word in command for word in words["all"]) or any(word in command for word in words["unless"]):
        return None
    answer = block(call, REASON + " " + MESSAGE, MESSAGE)
    if "hookSpecificOutput" in answer:  # only the deny, without "decision"
        del answer["decision"], answer["reason"]
    return answer


serve(guard, on_error="block")
