#!/usr/bin/env python3
# Shows an agent its peers' answers in the middle of a round. Built after MassGen's mid_stream_injection.
# Use: peer_answer.py --session S --agent A @answers.json after a peer's answer; or with --print for midstream.py.

# The newest answers: {"agent_a": {"label": "agent1.2", "content": "…", "workspace": "/…/agent_a_workspace"}, …}
# The state file has what A knows already. A peer is shown by its label, so that nobody votes for a name.
import os
import re

from massgen import RULE, deliver, document, kept, producer, round_of
from peer_timing import due, split

LONGEST = 500  # characters of an answer
CHECK = """1. ADD A TASK to your plan: score the new answers, and run the checklist again.
2. Read what is in their workspaces, beside your own work.
3. Call submit_checklist with the newest labels above; those alone are enough if your checklist was accepted before.
4. If it is refused, fix what it names and call submit_checklist again.
5. If it says iterate, call propose_improvements (or draft_approach), do the work, then new_answer."""
VOTE = """1. ADD A TASK to your plan: weigh the answers above. Read what is in their workspaces, beside your own work.
2. Then choose one:
   VOTE      theirs is complete and right (the vote tool)
   BUILD     take theirs further and submit what comes of it
   MERGE     make one answer of the best of both
   CONTINUE  yours is the better way"""
SHARE = """1. Read what the others have made; know how it all fits together.
2. Stay with your own part. Touch theirs only where the two meet.
3. Submit with new_answer what is done and checked. Call stop when there is nothing left to add."""


def text(config, mine, answers, shown):
    base, seen = mine.get("temp_workspace", "temp_workspaces"), mine.get("seen", {})
    owned = [a for a in answers.values() if a.get("workspace")]
    places = {a["workspace"].rstrip("/"): os.path.join(base, split(a["label"])[0]) for a in owned}
    # Match a workspace as a whole path: /w/agent_a is not in /w/agent_a2 or /x/w/agent_a.
    paths = re.compile(r"(?<![\w.-])(?:%s)(?![\w-]|\.\w)" % "|".join(map(re.escape, sorted(places, key=len, reverse=True))))
    fresh, updated, changes, bodies = [], [], [], []
    for who, a in shown.items():
        anon, old = split(a["label"])[0], seen.get(who)
        (updated if old else fresh).append("%s (%s)" % (anon, "%s -> %s" % (old, a["label"]) if old else a["label"]))
        changes.append("  - %s: %s" % (anon, "%s -> %s" % (old, a["label"]) if old else "now available as " + a["label"]))
        body = paths.sub(lambda m: places[m[0]], a["content"]) if places else a["content"]
        body = body[:LONGEST] + "..." if len(body) > LONGEST else body
        # Indented, so that no answer can imitate the lines around it.
        bodies += ["  [%s] (workspace: %s):" % (anon, os.path.join(base, anon)), "    " + body.replace("\n", "\n    "), ""]
    header = [", ".join(who) + what for who, what in ((fresh, " submitted new answer(s)"), (updated, " updated their answer(s)")) if who]
    alone, checks = config.get("coordination_mode") == "decomposition", config.get("voting_sensitivity") == "checklist_gated"
    title = "UPDATE: ANOTHER AGENT SUBMITTED WORK" if alone else "⚠️  IMPORTANT: NEW ANSWER RECEIVED - ACTION REQUIRED"
    todo = [SHARE] * alone + [CHECK] * checks or [VOTE]
    heading = "RECOMMENDED ACTION:" if todo == [SHARE] else "REQUIRED ACTION:"
    return "\n".join(["", RULE, title, RULE, "", "[UPDATE: %s]" % "; ".join(header), "", "ANSWER LABEL UPDATES:", *changes, "",
                      *bodies, RULE, heading, RULE, "", "\n\n".join(todo), "", RULE])


def main():
    flags = producer("Queues the newest answers of an agent's peers, if it is the time for that.").parse_args()
    agent, answers = flags.agent[0] if flags.agent else os.environ.get("MASSGEN_AGENT_ID", ""), document(flags)
    answers.pop(agent, None)  # its own
    with kept(os.environ["MASSGEN_ROUND_STATE"]) as config:
        mine, elapsed, limit, grace = round_of(config, agent)
        shown, mine["restart_pending"] = due(config, mine, answers, limit is None or limit - elapsed >= grace)
        if shown:  # an error in deliver leaves the state unchanged
            deliver(flags, text(config, mine, answers, shown), "peer", [agent])
            mine.setdefault("seen", {}).update((who, a["label"]) for who, a in shown.items())
            for key, more in (("injection_count", 1), ("midstream_injections_this_round", len(shown))):
                mine[key] = mine.get(key, 0) + more


main()
