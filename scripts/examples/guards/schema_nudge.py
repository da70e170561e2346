#!/usr/bin/env python3
# After a call that the tool could not read: how to write it, with an example from schema.py's table. It never blocks.
# Wire: {"command": ["python3", "-B", ".hooks/schema_nudge.py"], "events": ["post-tool"], "persistent": true}
from guards import DATA, context, serve
from tool_errors import error
import json

NAME = "There is no tool %s here. Take a name from the list of your tools, letter for letter; one of a server looks like " \
    "mcp__server__tool. What came back: %s"
REFUSED = "The call of %s was refused before the tool ran: %s"
AGAIN = "The arguments of %s were not accepted. Call it again with all that must be there%s."


def entry(name):
    """The table's entry for a tool: of two matching keys, the longer one."""
    table, last = DATA["schema"]["tools"], name.lower().rpartition("__")[2]
    return table.get(max((key for key in table if key == last or "_" in key and last.endswith(key)), key=len, default=None))


def guard(call):
    text, signs, name = error(call), DATA["schema_nudge"], call.get("tool_name") or call.get("tool")
    kind = next((kind for kind, words in signs.items() if any(word in text.lower() for word in words)), None)
    if not kind or not isinstance(name, str):
        return None
    if kind == "name":
        return context(call, NAME % (name, text[:200]))
    if kind == "refused":
        return context(call, REFUSED % (name, text[:200]))
    wanted = entry(name)
    fields = ": %s. Example: %s" % (", ".join(wanted["required"]), json.dumps(wanted["example"])) if wanted else ""
    return context(call, AGAIN % (name, fields))


serve(guard, on_error="pass")
