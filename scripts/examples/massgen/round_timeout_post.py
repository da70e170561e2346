#!/usr/bin/env python3
# PostToolUse: tells an agent once per round that its time is nearly up. Built after MassGen's RoundTimeoutPostHook.
# Wire: {handler: ./round_timeout_post.py, type: command, timeout: 5}, and round_timeout_pre.py at PreToolUse.

# For the orchestrator, with the state in $MASSGEN_ROUND_STATE:
#   round_timeout_post.py reset AGENT ROUND   a round begins
#   round_timeout_post.py wrap-up AGENT       ask the agent to finish; prints false if it was asked or warned already
#   round_timeout_post.py consume AGENT       print the text, if no hook can give it to the agent
import json
import os
import sys
import time

from massgen import RULE, answer, kept, round_of

OF_A_ROUND = ("soft_timeout_fired_at", "soft_timeout_reason", "wrap_up_requested", "consecutive_hard_denials", "force_terminate",
              "midstream_injections_this_round")
DELIVERABLE = """
What is judged is your `deliverable/` directory, by itself. Before you submit, see that it has all that its user needs: every
file, what these files depend on, and a word on how to run it. Leave nothing half done in there.
"""


def text(state, mine, elapsed, limit, grace, manual):
    kind = "voting" if mine["round"] else "initial answer"
    spent = "(%.0fs / %gs)" % (elapsed, limit)
    return "\n".join(["", RULE, "⏰ ANSWER NOW REQUESTED - PLEASE WRAP UP" if manual else
                      "⏰ ROUND TIME LIMIT APPROACHING - PLEASE WRAP UP", RULE, "",
                      "You are asked to bring this %s round to its end now %s." % (kind, spent) if manual else
                      "The time for this %s round is up %s." % (kind, spent),
                      DELIVERABLE if state.get("use_two_tier_workspace") else "",
                      "Start nothing new. What is left out here can come in a later round. Submit in one of two ways:",
                      "1. `new_answer`: the best answer that you have, finished or not",
                      "2. `vote`: for an answer that is there and good enough", "",
                      "You have %g seconds for that. After them every other tool is blocked." % grace, RULE, ""])


def warning(state, agent, asked_only=False):
    """The text that is due for an agent, or "". The grace period begins when the agent is warned, which is now."""
    mine, elapsed, limit, grace = round_of(state, agent)
    if mine.get("soft_timeout_fired_at") is not None:
        return ""
    manual = mine.pop("wrap_up_requested", False)  # dropped if there is no limit, so it can be requested again
    if limit is None or not manual and (asked_only or elapsed < limit):
        return ""
    mine.update(soft_timeout_fired_at=time.time(), soft_timeout_reason="manual" if manual else "timeout")
    return text(state, mine, elapsed, limit, grace, manual)


def main(command="", agent="", number=0):
    event = json.load(sys.stdin.buffer) if not command else {}
    with kept(os.environ["MASSGEN_ROUND_STATE"]) as state:
        mine = round_of(state, agent or event.get("agent_id"))[0]
        if command == "reset":
            for key in OF_A_ROUND:
                mine.pop(key, None)
            mine.update(round=int(number), round_start_time=time.time())
        elif command == "wrap-up":
            new = mine.get("soft_timeout_fired_at") is None and not mine.get("wrap_up_requested")
            mine["wrap_up_requested"] = new or mine.get("wrap_up_requested", False)
            print(json.dumps(new))
        elif command == "consume":
            sys.stdout.buffer.write(warning(state, agent, asked_only=True).encode())
        elif not command:
            answer(warning(state, event.get("agent_id")))
        else:
            sys.exit("round_timeout_post.py: what is %r? There are reset, wrap-up and consume" % command)


main(*sys.argv[1:])
