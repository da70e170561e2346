#!/usr/bin/env python3
# Records the end of an agent or subagent, and tells what a subagent left behind. It never blocks.
# Wire: {"type": "command", "command": "python3", "args": ["-B", "${CLAUDE_PROJECT_DIR}/.hooks/agent_stop.py"]} at Stop and SubagentStop
from guards import hint, serve, workspace
from lifecycle import append, now, place, taken
import argparse
import glob
import os
import sys

WHERE = {"reports": ("work_products", "*.html"), "data": ("search_results", "*.md")}


def left(folder):
    """What a subagent left behind: the names of its reports, or how much data there is for one."""
    found = {}
    for kind, (below, pattern) in WHERE.items():
        found[kind] = sorted(os.path.basename(path) for path in glob.glob(os.path.join(glob.escape(folder), below, pattern)))
    return found


def told(folder):
    if not folder:
        return "no workspace", "The subagent has ended. Nobody knows its workspace, so its results were not looked for."
    found = left(folder)
    if found["reports"]:
        names = ", ".join(found["reports"][:5]) + (", …" if found["reports"][5:] else "")
        return "report", "The subagent has ended and there is a report in work_products: %s. Read it before you go on." % names
    if found["data"]:
        return "data", "The subagent has ended without a report, but search_results has %d file(s): have the report written from them." \
            % len(found["data"])
    return "nothing", "The subagent has ended and left neither a report nor search results: look at what stopped it, and start it again."


def guard(call):
    flags = argparse.ArgumentParser()
    flags.add_argument("--log", default=".hookrun/stops.jsonl")
    log = flags.parse_args().log
    event = str(call.get("hook_event_name"))[:100]
    # Claude Code's own agents, such as the one that compacts, have no type, and nobody waits for their files.
    subagent = event == "SubagentStop" and call.get("agent_type") != ""
    state, message = told(workspace(call)) if subagent else (None, None)
    try:
        fields = taken(call, "session_id", "transcript_path", "agent_id", "agent_type", "agent_transcript_path")
        append(place(call, log), {"event": event, "timestamp": now(), **fields, **({"left": state} if state else {})})
    except OSError as error:  # the message is more important than the record
        print("agent_stop.py: no record was written: %s" % error, file=sys.stderr)
    return hint(message) if message else None


serve(guard, on_error="pass")
