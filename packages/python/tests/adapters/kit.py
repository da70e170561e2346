"""The cases that each adapter is tested with. A file of cases imports all of this, and has a function play.

play(workspace, command, ran) runs an agent with a scripted model: the model calls shell with the command, and is done
once it has seen the result. play returns the texts of results that the model saw.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

BEFORE = r"""case $(cat) in
*'"command":"rm '*) echo 'rm is not for you' >&2; exit 2 ;;
*'"command":"ls"'*) echo '{"hookSpecificOutput":{"updatedInput":{"command":"ls -l"}}}' ;;
*'"command":"remember"'*) echo 'remember this' ;;
*'"command":"ask"'*) echo '{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"who may?"}}' ;;
*'"command":"stop"'*) echo '{"continue":false,"stopReason":"enough"}' ;;
esac"""
AFTER = r"""in=$(cat); case $in in
*'the key is 7'*) echo '{"hookSpecificOutput":{"updatedToolOutput":"[removed]"}}' ;;
*'"command":"note"'*) echo 'note this' ;;
*'"command":"rm -rf /"'*) echo "$in" >>blocked.jsonl ;;
*'"command":"rm noted"'*) echo 'note this' ;;
*'"command":"rm last"'*) echo '{"continue":false,"stopReason":"enough"}' ;;
*'"command":"ask"'*) echo "$in" >>blocked.jsonl ;;
*'"command":"fail"'*) printf %s "$in" >failed.json ;;
*'"command":"last"'*) echo '{"continue":false,"stopReason":"enough"}' ;;
esac"""
ENTRIES = [{"name": "before", "command": BEFORE, "events": ["pre-tool"]},
           {"name": "after", "command": AFTER, "events": ["post-tool"], "on_failure": "block"}]


@pytest.fixture
def workspace(hooks: Any) -> Path:
    path: Path = hooks(*ENTRIES)
    return path


def shell(command: str, ran: list[str]) -> str:
    """The tool itself."""
    ran.append(command)
    if command == "fail":
        raise RuntimeError("no such file")
    if command == "fail loudly":
        raise RuntimeError("the key is 7")
    return "the key is 7" if command == "cat key" else f"ran {command}"


@pytest.fixture
def run(request: pytest.FixtureRequest, workspace: Path) -> Callable[..., Any]:
    def run(command: str, **more: Any) -> tuple[list[str], list[str]]:
        ran: list[str] = []
        return ran, request.module.play(workspace, command, ran, **more)

    return run


def test_plain(run: Any) -> None:
    assert run("pwd") == (["pwd"], ["ran pwd"])


def test_block(run: Any) -> None:
    assert run("rm -rf /") == ([], ["rm is not for you"])


def seen_after(workspace: Path) -> list[tuple[str, str]]:
    """What the hooks after the tool got of blocked calls: the event, and the result."""
    path = workspace / "blocked.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    return [(call["hook_event_name"], call["result"]) for call in map(json.loads, lines)]


def test_hooks_after_a_blocked_call(run: Any, workspace: Path) -> None:
    run("rm -rf /")
    run("ask")
    assert seen_after(workspace) == [("PostToolUse", "rm is not for you"), ("PostToolUse", "who may?")]


def test_text_after_a_blocked_call(run: Any) -> None:
    assert run("rm noted") == ([], ["rm is not for you\n\nnote this"])


def test_person(run: Any) -> None:
    """A gate with a function that asks a person."""
    assert run("ask", ask=lambda call: call.reason == "who may?") == (["ask"], ["ran ask"])
    assert run("ask", ask=lambda call: False) == ([], ["a person said no: who may?"])


def test_rewrite(run: Any) -> None:
    assert run("ls") == (["ls -l"], ["ran ls -l"])


def test_inject_before(run: Any) -> None:
    assert run("remember") == (["remember"], ["ran remember\n\nremember this"])


def test_inject_after(run: Any) -> None:
    assert run("note") == (["note"], ["ran note\n\nnote this"])


def test_redact(run: Any) -> None:
    assert run("cat key") == (["cat key"], ["[removed]"])


def test_ask(run: Any) -> None:
    assert run("ask") == ([], ["who may?"])


def test_tool_that_raises(run: Any, workspace: Path) -> None:
    with contextlib.suppress(Exception):  # some frameworks end the run, and others tell the model
        assert run("fail")[0] == ["fail"]
    payload = json.loads((workspace / "failed.json").read_text())
    assert "no such file" in payload["error"] and payload["hook_event_name"] == "PostToolUseFailure"


def test_error_text_is_redacted(run: Any) -> None:
    try:
        ran, shown = run("fail loudly")
    except Exception as error:
        assert "the key is 7" not in str(error)
    else:
        assert ran == ["fail loudly"] and shown and "the key is 7" not in str(shown)


def test_no_verdict(run: Any) -> None:
    """If there is no verdict, the tool does not run, whatever the framework makes of the error."""
    ran: list[str] = []
    with contextlib.suppress(Exception):
        ran, shown = run("pwd", binary="/bin/false")
        assert shown and "ran" not in shown[0]
    assert ran == []


class Model:
    """A model on loopback, with the APIs of OpenAI's chat, Anthropic's messages and Gemini.

    It calls a tool once, and says that all is done when it sees the result.
    """

    def __init__(self, command: str, tool: str = "shell") -> None:
        self.shown: list[str] = []
        self.request = ""  # the last one
        self.asked = 0
        self.call = tool, {"command": command}
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if self.path.startswith("/v1/messages"):
                    kind, body = "text/event-stream", model.anthropic(request)
                elif self.path.endswith(":generateContent"):
                    kind, body = "application/json", json.dumps(model.gemini(request))
                else:
                    kind, body = "application/json", json.dumps(model.openai(request))
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body.encode())))
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def openai(self, request: Any) -> Any:
        self.asked += 1
        shown = [m["content"] for m in request["messages"] if m["role"] == "tool"]
        self.shown = [c if isinstance(c, str) else c[0]["text"] for c in shown]
        message: dict[str, Any] = {"role": "assistant", "content": "all done"}
        if not shown:
            function = {"name": self.call[0], "arguments": json.dumps(self.call[1])}
            message = {"role": "assistant", "content": None,
                       "tool_calls": [{"id": "call-1", "type": "function", "function": function}]}
        return {"id": "1", "object": "chat.completion", "created": 1, "model": "scripted",
                "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
                "choices": [{"index": 0, "message": message, "finish_reason": "stop" if shown else "tool_calls"}]}

    def gemini(self, request: Any) -> Any:
        self.asked += 1
        parts = [part for content in request["contents"] for part in content["parts"]]
        self.shown = [str(p["functionResponse"]["response"]) for p in parts if "functionResponse" in p]
        part: dict[str, Any] = {"text": "all done"}
        if not self.shown:
            part = {"functionCall": {"name": self.call[0], "args": self.call[1]}}
        return {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}]}

    def anthropic(self, request: Any) -> str:
        tools = [tool["name"] for tool in request.get("tools", [])]
        reason, start = "end_turn", {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": "all done"}
        if self.call[0] in tools:  # else the client asks for a title or the like
            self.asked += 1
            self.request = json.dumps(request["messages"])
            blocks = [b for m in request["messages"] if isinstance(m["content"], list) for b in m["content"]]
            shown = [b["content"] for b in blocks if b["type"] == "tool_result"]
            self.shown = [c if isinstance(c, str) else c[0]["text"] for c in shown]
            if not shown:
                reason = "tool_use"
                start = {"type": "tool_use", "id": "call-1", "name": self.call[0], "input": {}}
                delta = {"type": "input_json_delta", "partial_json": json.dumps(self.call[1])}
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {"id": "m", "type": "message", "role": "assistant", "model": "scripted", "content": [],
                   "usage": usage}
        events = [{"type": "message_start", "message": message},
                  {"type": "content_block_start", "index": 0, "content_block": start},
                  {"type": "content_block_delta", "index": 0, "delta": delta},
                  {"type": "content_block_stop", "index": 0},
                  {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}, {"type": "message_stop"}]
        return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


@contextlib.contextmanager
def serving(command: str, tool: str = "shell") -> Iterator[Model]:
    model = Model(command, tool)
    thread = threading.Thread(target=model.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield model
    finally:
        model.server.shutdown()
        model.server.server_close()
        thread.join()


EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def run_example(name: str, folder: Path, tool: str = "shell", **env: str) -> tuple[str, list[str]]:
    """Runs an example for a model that wants to touch a file, which a hook blocks. Returns its output."""
    with serving("touch made", tool) as model:
        variables = {"MODEL_URL": model.url + ("" if "adk" in name else "/v1"),
                     "ANTHROPIC_BASE_URL": model.url, "WORKSPACE": str(folder),
                     "HOME": str(folder), **env}
        done = subprocess.run([sys.executable, str(EXAMPLES / name), "go"], env={**os.environ, **variables},
                              capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert not (folder / "made").exists()
    return done.stdout, model.shown


@pytest.fixture
def no_touch(hooks: Any) -> Path:
    script = "case $(cat) in *touch*) echo 'not this' >&2; exit 2 ;; esac"
    path: Path = hooks({"name": "no-touch", "command": script, "events": ["pre-tool"]})
    return path


def test_example(request: pytest.FixtureRequest, no_touch: Path) -> None:
    name = getattr(request.module, "EXAMPLE", "")
    if not name:
        pytest.skip("its file has a test of its own")
    said, shown = run_example(name, no_touch, getattr(request.module, "EXAMPLE_TOOL", "shell"),
                              **getattr(request.module, "EXAMPLE_ENV", {}))
    assert "all done" in said
    assert len(shown) == 1 and "not this" in shown[0]
