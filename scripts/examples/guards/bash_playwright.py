#!/usr/bin/env python3
# Blocks a command that lets Playwright make a PDF of anything but HTML: of Markdown or text it makes a page of raw source.
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
    if "hookSpecificOutput" in answer:  # the deny alone: the one form of a block without "decision"
        del answer["decision"], answer["reason"]
    return answer


serve(guard, on_error="block")
