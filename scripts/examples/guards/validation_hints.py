#!/usr/bin/env python3
# After a tool that failed: says what kind of error it was, and how to go on. It never blocks.
# Wire: {"command": ["python3", "-B", ".hooks/validation_hints.py"], "events": ["post-tool"], "persistent": true}
from guards import DATA, serve
from advice import advice
from tool_errors import error

ADVICE = """%s
1. Read what the tool said: %s
2. Compare your arguments with the schema of the tool: the names, the types, and which ones must be there.
3. Call it again with all of them. The same call will fail the same way."""


def guard(call):
    text = error(call)
    if not text:
        return None
    lower = text.lower()
    kinds = DATA["validation_hints"]
    kind = next((kind for kind in kinds if not kind["any"] or any(words in lower for words in kind["any"])))
    return advice(call, ADVICE % (kind["says"], text[:200]))


serve(guard, on_error="pass")
