#!/usr/bin/env python3
# Leaves some tools to subagents: the primary agent must delegate what they do.
# Wire: {"command": ["python3", "-B", ".hooks/disallowed.py"], "events": ["pre-tool"], "persistent": true, "on_failure": "block"}
from guards import DATA, block, serve

import os


def subagent(call):
    """Whether a subagent makes the call: it has a parent call, a transcript or a name that is not the primary agent's, or Claude
    Code's two marks of a subagent. What is not known of the primary agent exempts nobody."""
    for key, variable in (("transcript_path", "UA_PRIMARY_TRANSCRIPT"), ("agent_id", "UA_PRIMARY_AGENT")):
        if call.get(key) and os.environ.get(variable) and call[key] != os.environ[variable]:
            return True
    return bool(call.get("parent_tool_use_id") or call.get("agent_id") and call.get("agent_type"))


def guard(call):
    name = call["tool_name"] + ""  # an error if it is no text
    if name not in DATA["disallowed"]["tools"] or subagent(call):
        return None
    instead = "Delegate with the Task tool, to research-specialist for instance."
    return block(call, "Tool '%s' is disallowed for Primary Agent. %s" % (name, instead),
                 "%s is not available for the Primary Agent. %s" % (name, instead))


serve(guard)
