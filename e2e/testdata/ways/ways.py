"""Makes each call of stdin, a JSON array, by the Python package, and prints the results as a JSON array."""

import json
import logging
import sys

from hookrun import Gate, HookrunError, Stopped


class Heard(logging.Handler):
    """Keeps what the user is told."""

    def __init__(self):
        super().__init__()
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage().split(": ", 1)[1])


def made(call, heard):
    ran = []

    def tool(args):
        ran.append(args)
        if call["fails"]:
            raise RuntimeError("no such file")
        return "ran"

    options = {"ask": lambda asked: call["ask"] == "yes"} if call["ask"] else {}
    answer = {"text": "", "stop": "", "error": ""}
    with Gate(call["dir"], session_id=call["session"], env=call["env"], require_hooks=call["require"], **options) as gate:
        try:
            if call["prompt"]:
                asked = gate.prompt(call["prompt"])
                answer.update(text=asked.text if asked.runs else asked.reason, stop=asked.stop_reason)
            else:
                answer["text"] = gate.wrap(call["tool"], {"command": "ls"}, tool, "call-1", on_block="return")
        except Stopped as stopped:
            answer.update(text=stopped.result or "", stop=stopped.reason)
        except (HookrunError, RuntimeError) as error:
            failed = bool(ran) and call["fails"]
            answer["text" if failed else "error"] = str(error)
    return {**answer, "ran": ran, "told": heard.lines}


results = []
for each in json.load(sys.stdin):
    handler = Heard()
    logging.getLogger("hookrun").handlers = [handler]
    results.append(made(each, handler))
json.dump(results, sys.stdout)
