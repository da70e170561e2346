#!/usr/bin/env python3
"""An agent loop for any model with OpenAI's chat API, on the package hookrun alone.

Use: MODEL_URL=http://127.0.0.1:8000/v1 WORKSPACE=. loop.py 'tidy up'. MODEL, MODEL_KEY and HOOKRUN are optional.
"""
import json, os, subprocess, sys, urllib.request
from hookrun import Failed, Gate, HookrunError, Stopped

WORKSPACE = os.environ.get("WORKSPACE") or "."
SHELL = {"name": "shell", "description": "Runs a shell command.",
         "parameters": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}}

def shell(args):
    run = subprocess.run(["sh", "-c", args["command"]], cwd=WORKSPACE, capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(f"{run.stdout}{run.stderr}exit code {run.returncode}")
    return run.stdout

def call_tool(gate, call):
    try:
        return gate.wrap(call["function"]["name"], json.loads(call["function"]["arguments"]), shell, call["id"], "return")
    except (Failed, RuntimeError, LookupError, TypeError, ValueError) as error:
        return f"failed: {error}"

def model(messages):
    body = {"model": os.environ.get("MODEL") or "default", "messages": messages, "tools": [{"type": "function", "function": SHELL}]}
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ.get("MODEL_KEY", "none")}
    request = urllib.request.Request(os.environ["MODEL_URL"].rstrip("/") + "/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=600) as answer:
        return json.load(answer)["choices"][0]["message"]

with Gate(WORKSPACE) as gate:
    try:
        asked = gate.prompt(sys.argv[1] if len(sys.argv) > 1 else "Say hello.")
        messages = [{"role": "user", "content": asked.text}, model([{"role": "user", "content": asked.text}])] if asked.runs else []
        while messages and messages[-1].get("tool_calls"):
            messages += [{"role": "tool", "tool_call_id": c["id"], "content": call_tool(gate, c)} for c in messages[-1]["tool_calls"]]
            messages.append(model(messages))
        print(messages[-1]["content"] if messages else sys.exit(f"loop: a hook holds this up: {asked.stop_reason or asked.reason}"))
    except HookrunError as error:
        sys.exit(f"loop: {'a hook ends this' if isinstance(error, Stopped) else 'the hooks gave no verdict'}: {error}")
