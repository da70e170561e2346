#!/usr/bin/env python3
# Blocks calls whose arguments cannot work, with a better message than the tool's, and parses lists that came as text.
# Wire: {"command": ["python3", "-B", ".hooks/schema.py"], "events": ["pre-tool"], "persistent": true, "on_failure": "block"}
from guards import DATA, block, rewrite, serve, tool_input

import json
import os
import re


def identity(name):
    """The tool that a name stands for, even a garbled one: without what follows a mark, without "tools" glued to its end in
    any case, and without the server's prefix. And the server."""
    if any(mark in name for mark in DATA["schema"]["marks"]):
        name = name.split("<", 1)[0].strip()
    if re.search("(?i)[^_]tools$", name) and len(name) > len("tools") + 5:
        name = name[:-len("tools")]
    if name.startswith("mcp__") and name.count("__") > 1:
        return name.rpartition("__")[2], "mcp"
    return (name.lower(), "claude_code") if name.lower() in ("bash", "task") else (name, "composio")


def schema(name):
    """The table's entry for a tool, whatever the server's prefix. The longer of two matching keys counts. A key of one word
    must match the whole name, so that fs_write is not taken for Write."""
    name, table = name.lower(), DATA["schema"]["tools"]
    last = name.rpartition("__")[2]
    keys = [key for key in table if key in (name, last) or "_" in key and name.endswith(key)]
    return table[max(keys, key=len)] if keys else None


def missing(wanted, given):
    """What a call lacks, by the table."""
    given = given if isinstance(given, dict) else {}
    lacks = [key for key in wanted["required"] if not given.get(key)]
    lacks += ["one of: " + "|".join(keys) for keys in wanted.get("one_of", []) if not any(given.get(key) for key in keys)]
    for key, least in wanted.get("least", {}).items():
        value = given.get(key)
        if isinstance(value, str) and value and len(value) < least:
            lacks.append("%s_too_short(min:%d)" % (key, least))
        elif not value and key not in lacks:
            lacks.append(key + "_empty")
    return lacks


def example(wanted):
    return " Example: %s" % json.dumps(wanted["example"])


def wrong_tools(tools):
    """Why a list of tools cannot be executed, or None."""
    bad = [str(i) for i, item in enumerate(tools) if not (isinstance(item, dict) and item.get("tool_slug") and "arguments" in item)]
    if bad:
        return "tools need tool_slug and arguments in each item; wrong at index %s." % ", ".join(bad)
    if len(tools) > DATA["schema"]["most_tools"]:
        return "Too many parallel tools (%d > %d). Split into multiple calls." % (len(tools), DATA["schema"]["most_tools"])
    said = []
    for number, item in enumerate(tools, 1):
        wanted = schema(str(item["tool_slug"]))
        lacks = missing(wanted, item["arguments"]) if wanted else []
        if lacks:
            said.append("Tool #%d '%s' missing: %s.%s" % (number, item["tool_slug"], ", ".join(lacks), example(wanted)))
    return "Inner tool schema validation failed: " + " ".join(said) if said else None


def wrong_queries(queries):
    bad = [str(i) for i, item in enumerate(queries) if not isinstance(item, dict) or not item.get("use_case")]
    return "queries need use_case in each item; wrong at index %s." % ", ".join(bad) if bad else None


def unpacked(value):
    """The list that a text holds, else the value."""
    try:
        read = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value
    return read if isinstance(read, list) else value


def guard(call):
    rules, name, given = DATA["schema"], call["tool_name"], tool_input(call)
    if any(mark in name for mark in rules["marks"]):
        shape = re.match(r"mcp__[a-z_]+__[A-Z_]+", name)
        clean = shape.group() if shape else name.split("<", 1)[0]
        return block(call, "XML-style argument concatenation in tool name. Use: " + clean,
                     "A tool is called by its name alone, and the arguments are JSON. Call " + clean)
    tool = identity(name)[0]
    if tool.lower() not in (name.lower(), name.lower().rpartition("__")[2]):
        return block(call, "Malformed tool name. Suggested: " + tool, "There is no tool %s. Did you mean %s?" % (name, tool))
    if name.lower().endswith(tuple(rules["needs_session"])) and not os.environ.get("CURRENT_SESSION_WORKSPACE"):
        return block(call, "Missing CURRENT_SESSION_WORKSPACE.", "This works in the folder of a session. Begin a session first.")
    fresh = given
    for tail, key in rules["lists"].items():
        if name.lower().endswith(tail) and isinstance(given, dict) and given.get(key):
            read = unpacked(given[key])
            if not isinstance(read, list):
                kind = "string" if isinstance(read, str) else type(read).__name__
                return block(call, "%s must be a list, not a %s." % (key, kind))
            why = (wrong_tools if key == "tools" else wrong_queries)(read)
            if why:
                return block(call, why)
            fresh = {**given, key: read}
    wanted = schema(name)
    lacks = missing(wanted, fresh) if wanted else []
    if lacks:
        text = "Invalid %s call. Missing required fields: %s.%s" % (name, ", ".join(lacks), example(wanted))
        return block(call, "Tool schema validation failed. " + text, text)  # the model only sees the reason
    return rewrite(call, fresh) if fresh != given else None


if __name__ == "__main__":
    serve(guard)
