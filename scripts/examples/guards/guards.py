# Makes a hook of a function, one-shot or persistent: it reads one line of JSON for each call and writes one.
# Use: import this first, then serve(function). It gets the call, and returns None or what block, hint and so on return.
import sys

# The folder of the hooks goes to the end of the path: a json.py there must not replace Python's own.
_HOOKS = sys.path.pop(0)
sys.path.insert(next((i for i, folder in enumerate(sys.path) if folder.endswith("-packages")), len(sys.path)), _HOOKS)

import json
import os


class Data(dict):
    """guards.json, read at the first use of a key. Use it inside the function: then a broken file is an error of the call,
    and so a verdict. At the top of a program it would be an exit 1, for which Claude Code fails open."""

    def __missing__(self, key):
        with open(os.path.join(os.path.dirname(os.path.realpath(__file__)), "guards.json"), encoding="utf-8") as file:
            self.update(json.load(file))
        return dict(self)[key]


DATA = Data()


def serve(function, on_error="block"):
    """Answers each call. An error is a block, or with on_error="pass" a line on stderr."""
    while os.open(os.devnull, os.O_RDWR) < 3:
        pass  # now 0, 1 and 2 are in use, even if the caller closed one
    # Both pipes move to other descriptors, so no stray print or child process can write an answer or read a call.
    calls, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr  # stderr can print any text in every locale
    line = calls.readline()
    while True:
        call, echo = None, {}
        try:
            if not line.rstrip().endswith(b"}"):
                line += calls.read()  # a call written on several lines ends with the input
            call = {**json.loads(line.decode("utf-8"))}  # an error if it is not an object
            echo = {key: call[key] for key in call if key == "id"}  # a persistent hook says which call it answers
            answer = json.dumps({**(function(call) or {}), **echo}, allow_nan=False)
        except (Exception, SystemExit) as error:
            answer = json.dumps({**_failure(call or {}, error, on_error), **echo})
        answers.write(answer.encode() + b"\n")
        answers.flush()
        if call is None or not (line := calls.readline()):  # one answer only to unreadable input
            return


def _failure(call, error, on_error):
    """A gate that crashed must block. So this is an answer, since not every exit code blocks."""
    why = "%s could not check this call: %s: %s" % (os.path.basename(sys.argv[0]), type(error).__name__, error)
    if on_error == "pass":
        return print(why.encode("utf-8", "backslashreplace").decode(), file=sys.stderr) or {}
    return block(call, why[:2000])


def block(call, reason, message=None):
    answer = {"decision": "block", "reason": reason, **(hint(message) if message else {})}
    if call.get("hook_event_name", "PreToolUse") == "PreToolUse":  # the only event with these fields
        deny = {"permissionDecision": "deny", "permissionDecisionReason": reason}
        answer["hookSpecificOutput"] = {"hookEventName": "PreToolUse", **deny}
    return answer


def hint(said):
    """A text for the person. The tool runs."""
    return {"systemMessage": said}


def context(call, said):
    """A text for the model. The tool runs."""
    return {"hookSpecificOutput": {"hookEventName": call["hook_event_name"], "additionalContext": said}}


def rewrite(call, new_input):
    """The tool runs with other arguments. This does not approve the call."""
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": new_input}}


def tool_input(call):
    """The arguments as they came: mostly an object, but a model can send anything."""
    return call["tool_input"] if "tool_input" in call else call.get("args")


def command(call):
    """The text of a shell command, a list of words joined. An error if it is neither."""
    given = tool_input(call)
    said = given.get("command", call.get("command", "")) if isinstance(given, dict) else given or call.get("command", "")
    return said if isinstance(said, str) else " ".join(word + "" for word in said + [])


def result(call):
    """What the tool returned: the first of these that is not empty."""
    said = [v for v in map(call.get, "tool_response tool_result tool_output result error".split()) if v is not None]
    return next((value for value in said if value != ""), said[0] if said else None)


def failed(call):
    said = result(call) if isinstance(result(call), dict) else {}
    return bool(call.get("hook_event_name") == "PostToolUseFailure" or any(at.get("is_error") for at in (call, said)) or said.get("error"))


def workspace(call):
    """The folder of the session, or of the project, or None."""
    return next(filter(None, map(os.environ.get, ("CURRENT_SESSION_WORKSPACE", "HOOKRUN_WORKSPACE", "CLAUDE_PROJECT_DIR"))), None)


def root(call):
    """A session is ROOT/AGENT_RUN_WORKSPACES/NAME; a project is its own root."""
    place = os.path.realpath(workspace(call) or ".")
    return os.path.dirname(os.path.dirname(place)) if os.environ.get("CURRENT_SESSION_WORKSPACE") else place


def artifacts(call=None):
    """The folder for files that outlive a session."""
    named = os.environ.get("UA_ARTIFACTS_DIR", "").strip()
    return os.path.realpath(os.path.expanduser(named) if named else os.path.join(root(call), "artifacts"))
