#!/usr/bin/env python3
# PreToolUse: blocks all but `vote` and `new_answer` when the grace period is over. After MassGen's RoundTimeoutPreHook.
# Wire: {handler: ./round_timeout_pre.py, type: command, timeout: 5}, and round_timeout_post.py at PostToolUse.

# It only blocks an agent that was warned; the state says when. Without a shared state, with $MASSGEN_ROUND alone (the
# JSON {"round", "round_start_time", "timeout_settings"}), the clock decides. round_timeout_post.py begins a new round.
import json
import os
import sys
import time

from massgen import answer, kept, round_of

MOST = 10  # denials in a row, then the turn is ended
LAST = ("vote", "new_answer")
ONLY = "Only `vote` and `new_answer` are left. Submit now, and name what is not solved."


def by_clock(tool, given):
    mine = {key: given[key] for key in ("round", "round_start_time") if key in given}
    _, elapsed, limit, grace = round_of({"timeout_settings": given.get("timeout_settings"), "agents": {"": mine}}, "")
    if limit is None or elapsed < limit + grace or tool in LAST:
        return ""
    return "⛔ HARD TIMEOUT - TOOL `%s` BLOCKED\nThis round is over its time (%.0fs / %gs).\n%s" % (tool, elapsed, limit + grace, ONLY)


def by_state(tool, state, agent):
    """Why the tool must not run, or "". It counts denials, because an agent may try for ever."""
    mine, _, limit, grace = round_of(state, agent)
    warned = mine.get("soft_timeout_fired_at")
    if limit is None:
        return ""
    if mine.get("force_terminate"):  # even a vote is too late
        return "⛔ FORCE TERMINATED - TOOL `%s` BLOCKED\nThere were %d blocked calls in a row: this turn is ended." % (
            tool, mine["consecutive_hard_denials"])
    if warned is None:
        return ""
    since = time.time() - warned
    if since < grace or tool in LAST:
        mine["consecutive_hard_denials"] = 0
        return ""
    n = mine["consecutive_hard_denials"] = mine.get("consecutive_hard_denials", 0) + 1
    mine["force_terminate"] = n >= MOST
    why = "⛔ HARD TIMEOUT - TOOL `%s` BLOCKED (attempt #%d)\nYou were warned %.0fs ago, and had %gs from then.\n%s" % (
        tool, n, since, grace, ONLY)
    return why + ("\n⚠️ WARNING: %d blocked calls in a row. After %d the turn is ended." % (n, MOST) if n >= 3 else "")


event = json.load(sys.stdin.buffer)
if os.environ.get("MASSGEN_ROUND_STATE"):
    with kept(os.environ["MASSGEN_ROUND_STATE"]) as STATE:
        reason = by_state(event["tool_name"], STATE, event.get("agent_id"))
else:
    reason = by_clock(event["tool_name"], json.loads(os.environ["MASSGEN_ROUND"]))
if reason:
    print(json.dumps({"allowed": False, "decision": "deny", "reason": reason}))
else:
    answer()
