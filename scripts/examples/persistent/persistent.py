# Makes a persistent hook of a function: it reads one line of JSON for each call and writes one.
# Use: serve(function). The function gets the call, and returns None, a text for the model, or an answer as a dict.
import json
import os
import sys

# Both pipes move to other descriptors, so that no stray print or child process can write an answer or read a call.
CALLS, ANSWERS = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "w")
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
os.dup2(2, 1)
sys.stdout = sys.stderr  # stderr can print any text in every locale


def serve(function):
    for line in CALLS:
        print(_answer(function, line), file=ANSWERS, flush=True)


def _answer(function, line):
    own = {}  # the id of the call, which says what this answers
    try:
        call = json.loads(line)
        own = {"id": call["id"]} if "id" in call else own
        result = function(call)
        if isinstance(result, str):
            result = {"hookSpecificOutput": {"hookEventName": call["hook_event_name"], "additionalContext": result}}
        if result is not None and not isinstance(result, dict):
            raise TypeError("the function must return None, a text or a dict, not %r" % (result,))
        return json.dumps({**(result or {}), **own}, allow_nan=False)
    except (Exception, SystemExit) as error:  # a gate that crashed must not look like one that approved
        return json.dumps({"exit_code": 2, "stderr": "%s: %r" % (os.path.basename(sys.argv[0]), error), **own})
