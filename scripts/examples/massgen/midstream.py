#!/usr/bin/env python3
# PostToolUse: runs a command, and gives its output to the model. Built after MassGen's mid_stream_injection.
# Wire: {handler: ./midstream.py, type: command, timeout: 5}; the command is in $MASSGEN_CONTENT_CMD, or its arguments.

# The command gets the hook's event on stdin. Its output goes to the model unchanged, unless it is empty.
# If the command fails, the tool continues and the outcome has the error, so that the loss of the text is known.
import os
import subprocess
import sys

from massgen import answer

STRATEGY = os.environ.get("MASSGEN_CONTENT_STRATEGY") or "tool_result"
FAILED = os.environ.get("MASSGEN_CONTENT_ERROR") or "Injection callback failed"


def main(argv):
    try:
        done = subprocess.run(argv, input=sys.stdin.buffer.read(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["exit status %d" % done.returncode]
        why = said[-1] if done.returncode else ""
    except OSError as error:
        why = str(error)
    if why:
        answer(hook_errors=["%s: %s" % (FAILED, why)], metadata={"injection_skipped": True})
    else:
        text = done.stdout.decode("utf-8", "replace")
        answer(text if text.strip() else "", STRATEGY)


main(sys.argv[1:] or ["sh", "-c", os.environ.get("MASSGEN_CONTENT_CMD", "")])
