#!/usr/bin/env python3
"""Records what Kimi Code does with hooks: gives the real client each case of cases.py, offline, with a scripted model
on loopback, and writes the lines of *.jsonl beside this file.

    python3 record.py --client FOLDER/node_modules/.bin [--only 'json-*'] [-j 3] [-v]

FOLDER is where `npm install node@24 @moonshot-ai/kimi-code@2.1.0` was run. The expectations are what was seen: the tool
ran or it did not, and what the model was told. A case may add to them, and say what cannot be seen.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from cases import CASES

HERE = pathlib.Path(__file__).resolve().parent
PRELUDE = json.loads((HERE / "client.json").read_text())
TOOL = "echo TOOL-OK; echo model >>toolran"
FAILS = "echo TOOL-OK; echo model >>toolran; exit 3"
MODEL = """default_model = "m"
[providers.p]
type = "openai"
base_url = "http://127.0.0.1:%d/v1"
api_key = "none"
[models.m]
provider = "p"
model = "m"
max_context_size = 100000
"""


def chunk(delta, reason):
    return "data: " + json.dumps({
        "id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}) + "\n\n"


class Model(http.server.BaseHTTPRequestHandler):
    """asks for one call of the shell, and then ends the turn."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(body)
        if any(m["role"] == "tool" for m in body["messages"]):
            delta, reason = {"role": "assistant", "content": "done"}, "stop"
        else:
            call = {"command": self.server.command, "description": "Run the test command", **self.server.more}
            delta, reason = {"role": "assistant", "tool_calls": [{
                "index": 0, "id": "call_1", "type": "function",
                "function": {"name": "Bash", "arguments": json.dumps(call)}}]}, "tool_calls"
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write((chunk(delta, None) + chunk({}, reason) + "data: [DONE]\n\n").encode())

    def log_message(self, *args):
        pass


def text_of(content):
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or [])


def record(case, client):
    base = pathlib.Path(tempfile.mkdtemp(prefix="kimi-record-")).resolve()
    ws, home, rec = base / "ws", base / "home", base / "rec"
    for folder in (ws, home / ".kimi-code", rec, base / "tmp"):
        folder.mkdir(parents=True)
    for name, content in {**PRELUDE["files"], **case["files"]}.items():
        content = {"content": content} if isinstance(content, str) else content
        path = ws / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content["content"])
        path.chmod(int(content.get("mode", "0644"), 8))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    server.requests, server.command = [], FAILS if case["event"] == "PostToolUseFailure" else TOOL
    server.more = {"run_in_background": True} if case["event"] == "TaskStarted" else {}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    parts = [MODEL % server.server_port, case["config_text"]]
    if not case["config_text"].startswith("["):  # a key of the top level
        parts.reverse()
    (home / ".kimi-code/config.toml").write_text("".join(parts))
    env = {"PATH": f"{client}:{os.environ['PATH']}", "HOME": str(home), "TMPDIR": str(base / "tmp"), "LANG": "C.UTF-8",
           "TERM": "dumb", "KIMI_CODE_NO_AUTO_UPDATE": "1", "HTTP_PROXY": "http://127.0.0.1:9",
           "HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1", "ORACLE_REC": str(rec)}
    start = time.time()
    process = subprocess.Popen(["kimi", "-p", "go"], cwd=ws, env=env, stdin=subprocess.DEVNULL, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    try:
        out, err = process.communicate(timeout=90)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
    took = time.time() - start
    server.shutdown()
    seen = {"tool_ran": (ws / "toolran").exists(), "requests": len(server.requests), "exit_code": process.returncode}
    runs = collections.defaultdict(list)
    for folder in sorted(rec.iterdir()):
        if folder.is_dir():
            runs[folder.name.rsplit(".", 1)[0]].append(folder)
    time.sleep(0.3 if case["event"].startswith("Post") else 0)
    told = [re.sub("^Wall time: .*\n", "", text_of(m["content"])) for m in (server.requests or [{"messages": []}])[-1]["messages"]
            if m["role"] == "tool"]
    if told:
        seen["told"] = told
    users = [text_of(m["content"]) for m in (server.requests or [{"messages": []}])[-1]["messages"]
             if m["role"] == "user"]
    seen["user_texts"] = [u for u in users if u != "go" and "<system-reminder>" not in u]
    for stream, text in (("stdout", out), ("stderr", err)):
        text = "".join(line + "\n" for line in text.splitlines()
                       if not re.search("resume this session|^kimi version|^TOOL-OK$|^(• )?done$", line))
        if text.strip():
            seen[stream] = text.strip()[:160]
    seen["hooks_ms"] = []
    for name, folders in runs.items():
        for folder in folders:
            begin, end = (float((folder / f).read_text()) if (folder / f).exists() and (folder / f).read_text() else 0
                          for f in ("start", "end"))
            seen["hooks_ms"].append([name, round((end - begin) * 1000) if end else None])
    stdins = [(f / "stdin").read_text() for fs in runs.values() for f in fs if (f / "stdin").exists()]
    stdin = next((s for s in stdins if s and json.loads(s)["hook_event_name"] == case["event"]), None)
    text = json.dumps(seen, ensure_ascii=False)
    shutil.rmtree(base, ignore_errors=True)

    def plain(text):
        text = re.sub(r"session_[0-9a-f-]{36}", "session_<SESSION>", text.replace(str(ws), "<WORKSPACE>"))
        return text.replace(str(home), "<HOME>").replace(f":{server.server_port}/", ":PORT/")
    return {"case": case, "seen": json.loads(plain(text)), "stdin": stdin and json.loads(plain(stdin)),
            "ran": sorted(runs), "runs": {n: len(f) for n, f in runs.items()}, "took": took}


def line_of(found, stdins):
    """is a case in the form of ../README.md. Its expectations are what was seen."""
    case, seen = found["case"], found["seen"]
    event = case["event"]
    expect = {"ran": found["ran"], "decision": "continue"}
    if any(n > 1 for n in found["runs"].values()):
        expect["runs"] = found["runs"]
    if event == "PreToolUse" and not seen["tool_ran"] and "told" in seen:
        expect["decision"] = "block"
        expect["reason"] = seen["told"][0].split("</system>\n", 1)[1]
    if event == "UserPromptSubmit":
        if seen["requests"] == 0:
            expect["decision"] = "block"
            expect["reason"] = seen["stdout"].split("hook blocked\n\n  ", 1)[1]
        found_texts = [re.findall(r'<hook_result hook_event="\w+">\n(.*?)\n</hook_result>', u, re.S)
                       for u in seen["user_texts"]]
        if any(found_texts):
            expect["inject"] = [t for texts in found_texts for t in texts]
    if event == "Stop" and seen["requests"] > 2:
        expect["decision"], expect["reason"] = "block", seen["user_texts"][-1]
    expect.update(case["expect"])
    return {"id": case["id"], "event": event, "note": case["note"],
            **({"departs": case["departs"]} if "departs" in case else {}), "config_text": case["config_text"],
            "files": case["files"], "stdin": case["stdin"] or found["stdin"] or stdins[event], "expect": expect,
            "client": seen}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--client", required=True)
    parser.add_argument("--only", default="*")
    parser.add_argument("-j", type=int, default=3)
    parser.add_argument("-v", action="store_true")
    args = parser.parse_args()
    chosen = [c for c in CASES if fnmatch.fnmatch(c["id"], args.only)]
    stdins, results = {}, {}
    with concurrent.futures.ThreadPoolExecutor(args.j) as pool:
        for found in pool.map(lambda c: record(c, os.path.abspath(args.client)), chosen):
            results[found["case"]["id"]] = found
            if found["stdin"]:
                stdins.setdefault(found["case"]["event"], found["stdin"])
            if args.v:
                print(found["case"]["id"], json.dumps(found["seen"], ensure_ascii=False), flush=True)
    files = collections.defaultdict(dict)
    for path in HERE.glob("*.jsonl"):
        for line in path.read_text().splitlines():
            files[path.name][json.loads(line)["id"]] = line
    for case in chosen:
        if not (case["stdin"] or results[case["id"]]["stdin"] or case["event"] in stdins):
            print(case["id"], "no hook ran at its event, so nothing says what stdin is; record another case with it")
            continue
        files[case["file"] + ".jsonl"][case["id"]] = json.dumps(line_of(results[case["id"]], stdins), ensure_ascii=False)
    for name, lines in files.items():
        known = {c["id"] for c in CASES}
        (HERE / name).write_text("".join(lines[i] + "\n" for i in sorted(lines) if i in known))


if __name__ == "__main__":
    main()
