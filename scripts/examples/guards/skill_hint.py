#!/usr/bin/env python3
# Points to a skill where a command handles PDF, Word or PowerPoint files. It never blocks; --skills=false turns it off.
# Wire: {"command": ["python3", "-B", ".hooks/skill_hint.py"], "events": ["pre-tool"], "matcher": "Bash|bash|shell", "persistent": true, "on_failure": "continue"}
from guards import DATA, serve
from advice import advice
from bash_command import command
import sys

TEXT = "(Skill Hint): this looks like work on %s files. Read the `%s` skill first: it knows which way works."


def guard(call):
    if "--skills=false" in sys.argv[1:]:
        return None
    said = command(call)
    for skill, words in DATA["skill_hint"].items():
        if any(word in said for word in words):
            return advice(call, TEXT % (skill.upper(), skill))
    return None


serve(guard, on_error="pass")
