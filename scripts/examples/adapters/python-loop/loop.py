#!/usr/bin/env python3
# An agent loop that keeps `hookrun serve` open, for any model with OpenAI's chat API. It needs no Python packages.
# Use: MODEL_URL=http://127.0.0.1:8000/v1 WORKSPACE=. loop.py 'tidy up'. MODEL, MODEL_KEY and HOOKRUN are optional.
import contextlib, itertools, json, os, subprocess, sys, urllib.request

WORKSPACE = os.environ.get("WORKSPACE") or "."
PROMPT = sys.argv[1] if len(sys.argv) > 1 else "Say hello."
SHELL = {"name": "shell", "description": "Notes a shell command.",
         "parameters": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}}
HOOKRUN = [os.environ.get("HOOKRUN") or "hookrun", "serve", "-C", WORKSPACE]
ids = itertools.count(1)

def ask(method, **params):
    """Returns the outcome and its texts. Without an outcome the loop ends: no tool may run without a verdict."""
    request = {"jsonrpc": "2.0", "id": next(ids), "method": method, "params": {"prompt": PROMPT, **params}}
    try:
        server.stdin.write(json.dumps(request).encode() + b"\n")
        server.stdin.flush()
        answer = json.loads(server.stdout.readline())
        if answer["id"] != request["id"]:
            raise ValueError("this answers another call")
        outcome = answer["result"]
    except (OSError, ValueError, LookupError, TypeError) as error:
        sys.exit("loop: the hooks gave no verdict, so nothing more is run: %r" % error)
    for kind, texts in ("warning", outcome.get("warnings", [])), ("message", outcome.get("system_messages", [])):
        for text in texts:
            print("hookrun: %s: %s" % (kind, "".join(c if c.isprintable() else " " for c in text)), file=sys.stderr)
    if outcome.get("stop"):  # also before a tool: it does not run
        sys.exit("loop: a hook ends this: %s" % outcome.get("stop_reason", ""))
    return outcome, [inject["content"] for inject in outcome.get("inject", [])]

def shell(args):
    """The tool itself: returns its result, and whether it failed."""
    try:
        command = json.loads(args)["command"]
        with open(os.path.join(WORKSPACE, "ran"), "a", encoding="utf-8") as file:
            file.write(command + "\n")
    except (OSError, ValueError, LookupError, TypeError) as error:
        return "shell cannot run this: %r" % error, True
    return "ran " + command, False

def call_tool(call):
    tool, args = call["function"]["name"], call["function"]["arguments"]
    pre, texts = ask("pre-tool", tool=tool, args=args, tool_use_id=call["id"])
    args = json.dumps(pre["updated_input"]) if "updated_input" in pre else args
    result, failed, blocked = pre.get("reason"), False, pre["decision"] != "continue"
    if not blocked:
        result, failed = shell(args) if tool == "shell" else ("there is no such tool", True)
    post, more = ask("post-tool", tool=tool, args=args, tool_use_id=call["id"], result=result, failed=failed, blocked=blocked)
    output = post.get("updated_output", result)
    result, reason = output if isinstance(output, str) else json.dumps(output), post.get("reason")
    if post["decision"] != "continue" and post["cause"] != "policy":
        result, reason = reason, ""  # a hook that must check it has failed
    return "\n\n".join(filter(None, [result, *texts, *more, reason]))

def model(messages):
    body = {"model": os.environ.get("MODEL") or "default", "messages": messages, "tools": [{"type": "function", "function": SHELL}]}
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ.get("MODEL_KEY", "none")}
    request = urllib.request.Request(os.environ["MODEL_URL"].rstrip("/") + "/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=600) as answer:
        return json.load(answer)["choices"][0]["message"]

def loop():
    begin, texts = ask("pre-execute")
    if begin["decision"] != "continue":
        sys.exit("loop: a hook blocks this: %s" % begin["reason"])
    messages = [{"role": "user", "content": "\n\n".join([PROMPT, *texts])}]
    while True:
        messages.append(model(messages))
        if not messages[-1].get("tool_calls"):
            return messages[-1]["content"]
        messages += [{"role": "tool", "tool_call_id": call["id"], "content": call_tool(call)} for call in messages[-1]["tool_calls"]]

server = subprocess.Popen(HOOKRUN, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
try:
    print(loop())
finally:
    with contextlib.suppress(OSError):
        server.stdin.close()  # then hookrun ends, and its hooks with it
    server.wait()
