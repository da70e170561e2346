#!/usr/bin/env python3
# Warns of a command that installs packages, and says how a script can declare its dependencies. It never blocks.
# Wire: {"command": ["python3", "-B", ".hooks/bash_deps.py"], "events": ["pre-tool"], "matcher": "Bash|bash|shell", "persistent": true, "on_failure": "continue"}
from guards import DATA, serve
from advice import advice
from bash_command import folded

TEXT = """Careful: "%s" changes an environment that other scripts share, and nobody sees later what was needed. \
Let the script say it instead, by inline metadata (PEP 723), and start it with: uv run <script>.py
# /// script
# dependencies = ["requests"]
# ///"""


def guard(call):
    command = folded(call)
    for words in DATA["bash_deps"]:
        if words in command:
            return advice(call, TEXT % words)
    return None


serve(guard, on_error="pass")
