#!/usr/bin/env python3
# PostToolUse: delays an agent once, after some tools, so that others can send it something while it works. The agent's
# debug_delay_seconds and debug_delay_after_n_tools, as in MassGen, are in $MASSGEN_ROUND_STATE.
# Wire: {handler: ./debug_delay.py, type: command, timeout: 60}; a delay must be shorter than the timeout.
import json
import os
import sys
import time

from massgen import answer, kept, round_of

event = json.load(sys.stdin.buffer)
with kept(os.environ["MASSGEN_ROUND_STATE"]) as state:
    mine = round_of(state, event.get("agent_id"))[0]
    done = mine["tools_done"] = mine.get("tools_done", 0) + 1
    delay = mine.get("debug_delay_seconds", 0) if done == mine.get("debug_delay_after_n_tools", 3) else 0
if delay:  # after the lock is released
    print("debug delay: %g s after %d tools" % (delay, done), file=sys.stderr)
    time.sleep(delay)
answer()
