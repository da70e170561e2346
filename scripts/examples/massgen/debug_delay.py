#!/usr/bin/env python3
# PostToolUse: makes an agent slow once, after some tools, so that the others have something to tell it while it works. Built
# after MassGen's debug_delay_seconds and debug_delay_after_n_tools, which stand under the agent in $MASSGEN_ROUND_STATE.
# Wire: {handler: ./debug_delay.py, type: command, timeout: 60}; a delay longer than the timeout would be cut off by it.
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
if delay:  # outside the lock: nobody else is to wait for it
    print("debug delay: %g s after %d tools" % (delay, done), file=sys.stderr)
    time.sleep(delay)
answer()
