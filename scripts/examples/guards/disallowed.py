#!/usr/bin/env python3
# Blocks some tools for the primary agent, which must delegate to subagents.
# Wire: {"command": ["python3", "-B", ".hooks/disallowed.py"], "events": ["pre-tool"], "persistent": true, "on_failure": "block"}
from guards import DATA, block, serve

import os


def subagent(call):
    """Whether a subagent makes the call. It has a parent call, another transcript or name than the primary agent, or Claude
    Code's two fields for subagents. A name or transcript only counts if the primary agent's is known."""
    for key, variable in (("transcript_path", "UA_PRIMARY_TRANSCRIPT"), ("agent_id", "UA_PRIMARY_AGENT")):
        if call.get(key) and os.environ.get(variable) and call[key] != os.environ[variable]:
            return True
    return bool(call.get("parent_tool_use_id") or call.get("agent_id") and call.get("agent_type"))


def guard(call):
    name = call["tool_name"] + ""  # an error if it is no string
    if name not in DATA["disallowed"]["tools"] or subagent(call):
        return None
    instead = "Delegate with the Task tool, to research-specialist for instance."
    return block(call, "Tool '%s' is disallowed for Primary Agent. %s" % (name, instead),
                 "%s is not available for the Primary Agent. %s" % (name, instead))


serve(guard)
