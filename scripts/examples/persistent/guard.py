#!/usr/bin/env python3
# Blocks shell commands by the rules in rules.json. It reads them once, when it starts.
# Wire: {"command": ["python3", "-B", ".hooks/guard.py"], "events": ["pre-tool"], "matcher": "shell|Bash", "persistent": true, "files": [".hooks/rules.json"], "on_failure": "block"}
import json
import os
import re

from persistent import serve

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "rules.json"), encoding="utf-8") as file:
    RULES = [(re.compile(rule["pattern"]), rule["reason"]) for rule in json.load(file)]


def guard(call):
    command = call["tool_input"]["command"]
    for pattern, reason in RULES:
        if pattern.search(command):
            return {"decision": "block", "reason": "%s: %s" % (reason, command)}


serve(guard)
