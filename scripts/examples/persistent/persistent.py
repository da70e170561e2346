# Makes a hook that stays of a function: for each call one line of JSON comes in, and one goes out.
# Use: serve(function). It gets the call, and returns None, a text for the model, or an answer as a dict.
import json
import os
import sys

# Both pipes move to other numbers. Neither a stray print nor a child process can then answer for the function or read a call.
CALLS, ANSWERS = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
os.dup2(2, 1)
sys.stdout = sys.stderr  # it can print any text, whatever the locale


def serve(function):
    for line in CALLS:
        ANSWERS.write(_answer(function, line).encode() + b"\n")
        ANSWERS.flush()


def _answer(function, line):
    try:
        call = json.loads(line)
        said = function(call)
        if isinstance(said, str):
            said = {"hookSpecificOutput": {"hookEventName": call["hook_event_name"], "additionalContext": said}}
        if said is not None and not isinstance(said, dict):
            raise TypeError("the function must return None, a text or a dict, not %r" % (said,))
        return json.dumps(said or {}, allow_nan=False)
    except (Exception, SystemExit) as error:  # a gate that crashed must not look like one that approved
        return json.dumps({"exit_code": 2, "stderr": "%s: %r" % (os.path.basename(sys.argv[0]), error)})
