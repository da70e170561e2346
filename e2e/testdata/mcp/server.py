"""A small MCP server that does what a test tells it to. It writes every line that it gets to the file in SERVER_LOG.

Tools: echo (its text), structured (also as structured content), fail (isError), broken (an error of JSON-RPC), raw (whatever line
the argument says), big (so many bytes), hang (no answer), exit (with a code), bare (a result without content), stderr (a line there),
ask (a request to the client first), garbage (a line that is no JSON before the answer), progress (notifications before the answer).
"""

import json
import os
import sys

log = open(os.environ["SERVER_LOG"], "a", buffering=1) if "SERVER_LOG" in os.environ else None


def say(message):
    sys.stdout.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
    sys.stdout.flush()


def text(t, **more):
    return {"content": [{"type": "text", "text": t}], **more}


def call(id, name, args):
    answer = {"jsonrpc": "2.0", "id": id}
    match name:
        case "echo":
            answer["result"] = text(args.get("text", ""))
        case "structured":
            answer["result"] = text(args["text"], structuredContent={"text": args["text"]})
        case "fail":
            answer["result"] = text(args.get("text", "failed"), isError=True)
        case "broken":
            answer["error"] = {"code": -32603, "message": "broken"}
        case "raw":
            say(args["line"].replace("ID", json.dumps(id)))
            return
        case "big":
            answer["result"] = text("x" * args["size"])
        case "hang":
            return
        case "exit":
            os._exit(args["code"])
        case "bare":
            answer["result"] = {"_meta": {"a": 1}}
        case "stderr":
            print(args["text"], file=sys.stderr, flush=True)
            answer["result"] = text("said")
        case "ask":
            say({"jsonrpc": "2.0", "id": id, "method": "roots/list"})
            answer["result"] = text("asked")
        case "garbage":
            say("starting up...")
            say('{"jsonrpc":"2.0","id":1')
            answer["result"] = text("clean")
        case "progress":
            for n in range(args["n"]):
                say({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": n}})
            answer["result"] = text("done")
        case _:
            answer["error"] = {"code": -32602, "message": "no tool " + repr(name)}
    say(answer)


def handle(m):
    id, method = m.get("id"), m.get("method")
    if method == "initialize":
        say({"jsonrpc": "2.0", "id": id, "result": {
            "protocolVersion": m["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": os.environ.get("SERVER_NAME", "small server"), "version": "1"}}})
    elif method == "tools/list" and "SERVER_TOOLS" in os.environ:
        say({"jsonrpc": "2.0", "id": id, "result": {"tools": json.loads(os.environ["SERVER_TOOLS"])}})
    elif method == "tools/call":
        call(id, m["params"]["name"], m["params"].get("arguments") or {})
    elif id is not None and method is not None:
        say({"jsonrpc": "2.0", "id": id, "result": {}})


print("pid", os.getpid(), file=sys.stderr, flush=True)
for line in sys.stdin:
    if log:
        log.write(line)
    if not line.strip():
        continue
    try:
        m = json.loads(line)
    except ValueError:
        say({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "no JSON"}})
        continue
    if isinstance(m, list):
        say([{"jsonrpc": "2.0", "id": e["id"], "result": {}} for e in m if "id" in e and "method" in e])
    elif isinstance(m, dict):
        handle(m)
if "LINGER" in os.environ:  # a server that does not end by itself
    import signal
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        signal.pause()
