"""What a Gate makes of the hooks' answers."""

from __future__ import annotations

import json
import logging
import pickle
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from conftest import Hooks, answer, entry, specific

from hookrun import Blocked, Call, Failed, Gate, HookrunError, Stopped

BLOCK = entry("pre-tool", 'case $(cat) in *"rm -rf"*) echo "rm is not for you" >&2; exit 2 ;; esac')


class Tool:
    """A tool that notes its calls."""

    def __init__(self, result: Any = "ran", error: Exception | None = None) -> None:
        self.calls: list[Any] = []
        self.result = result
        self.error = error

    def __call__(self, args: Any) -> Any:
        self.calls.append(args)
        if self.error is not None:
            raise self.error
        return self.result


def test_no_hooks(hooks: Hooks) -> None:
    with Gate(hooks()) as gate:
        args = {"command": "ls"}
        pre = gate.before("shell", args, id="call-1")
        assert (pre.decision, pre.reason, pre.inject, pre.messages) == ("continue", "", [], [])
        assert pre.args is args
        assert pre.runs and not pre.stop and not pre.approved
        assert pre.outcome["version"] == 1
        result = {"n": 1}
        post = gate.after("shell", args, result)
        assert post.result is result
        assert (post.decision, post.reason, post.inject) == ("continue", "", [])
        assert gate.prompt("hello").text == "hello"
        assert gate.wrap("shell", args, Tool(["a", 1])) == ["a", 1]


def test_block(hooks: Hooks) -> None:
    tool = Tool()
    with Gate(hooks(BLOCK)) as gate:
        pre = gate.before("shell", {"command": "rm -rf /"})
        assert (pre.decision, pre.reason, pre.runs) == ("block", "rm is not for you", False)
        with pytest.raises(Blocked, match="^rm is not for you$") as caught:
            gate.wrap("shell", {"command": "rm -rf /"}, tool)
        assert (caught.value.reason, caught.value.decision) == ("rm is not for you", "block")
        assert caught.value.outcome["cause"] == "policy"
        assert not isinstance(caught.value, Stopped)
        again = pickle.loads(pickle.dumps(caught.value))
        assert (again.reason, again.decision, again.outcome) == (
            caught.value.reason, caught.value.decision, caught.value.outcome)
        assert gate.wrap("shell", {"command": "rm -rf /"}, tool, on_block="return") == "rm is not for you"
        with pytest.raises(ValueError, match="on_block is 'ignore'"):
            gate.wrap("shell", {"command": "rm -rf /"}, tool, on_block="ignore")
        assert tool.calls == []
        assert gate.wrap("shell", {"command": "ls"}, tool) == "ran"
        assert tool.calls == [{"command": "ls"}]


def test_arguments_as_text(hooks: Hooks) -> None:
    with Gate(hooks({"name": "r", "block": "no", "events": ["pre-tool"], "if": "shell(rm *)"})) as gate:
        assert gate.before("shell", json.dumps({"command": "rm x"})).decision == "block"
        assert gate.before("shell", json.dumps({"command": "ls"})).decision == "continue"


def test_ask_and_defer(hooks: Hooks) -> None:
    tool = Tool()
    for decision in "ask", "defer":
        said = specific(permissionDecision=decision, permissionDecisionReason="a person must see this")
        with Gate(hooks(answer("pre-tool", said))) as gate:
            pre = gate.before("shell", {})
            assert (pre.decision, pre.reason, pre.runs) == (decision, "a person must see this", False)
            with pytest.raises(Blocked) as caught:
                gate.wrap("shell", {}, tool)
            assert caught.value.decision == decision
    assert tool.calls == []


ASKS = answer("pre-tool", specific(permissionDecision="ask", permissionDecisionReason="who may?",
                                   updatedInput={"command": "ls -l"}))


@pytest.mark.parametrize("answered, ran", [(True, True), (False, False), (None, False), ("yes", False), (1, False)])
def test_ask_a_person(hooks: Hooks, answered: Any, ran: bool) -> None:
    calls, tool = [], Tool()

    def ask(call: Call) -> Any:
        calls.append(call)
        return answered

    with Gate(hooks(ASKS), ask=ask) as gate:
        shown = gate.wrap("shell", {"command": "ls"}, tool, "call-1", on_block="return")
        assert gate.before("shell", {}).decision == "ask", "the loop that calls before asks by itself"
    assert calls == [Call("shell", {"command": "ls -l"}, "call-1", "who may?")]
    assert (shown, tool.calls) == (("ran", [{"command": "ls -l"}]) if ran else ("a person said no: who may?", []))


def test_ask_that_fails(hooks: Hooks) -> None:
    async def ask(call: Call) -> bool:
        raise AssertionError

    def no_person(call: Call) -> bool:
        raise KeyError("nobody is there")

    tool, hook_asks = Tool(), hooks(ASKS)
    with Gate(hook_asks, ask=ask) as gate, pytest.raises(HookrunError, match="use AsyncGate for a coroutine function"):
        gate.wrap("shell", {}, tool)
    with Gate(hook_asks, ask=no_person) as gate, pytest.raises(KeyError, match="nobody is there"):
        gate.wrap("shell", {}, tool)
    assert tool.calls == []


def test_only_an_ask_is_for_a_person(hooks: Hooks) -> None:
    def ask(call: Call) -> bool:
        raise AssertionError

    for said in ({"continue": False, "stopReason": "enough", **specific(permissionDecision="ask")},
                 specific(permissionDecision="deny"), specific(permissionDecision="defer")):
        with Gate(hooks(answer("pre-tool", said)), ask=ask) as gate, pytest.raises(Blocked):
            gate.wrap("shell", {}, Tool())


AUDIT = entry("post-tool", "cat >>audit.jsonl; echo noted", "audit")


@pytest.mark.parametrize("on_block", ["raise", "return"])
def test_hooks_after_the_tool_see_a_blocked_call(hooks: Hooks, on_block: str) -> None:
    folder = hooks(BLOCK, AUDIT)
    with Gate(folder) as gate:
        if on_block == "return":
            shown = gate.wrap("shell", {"command": "rm -rf /"}, Tool(), "call-1", on_block="return")
        else:
            with pytest.raises(Blocked) as caught:
                gate.wrap("shell", {"command": "rm -rf /"}, Tool(), "call-1")
            shown = str(caught.value)
            assert (caught.value.reason, str(pickle.loads(pickle.dumps(caught.value)))) == ("rm is not for you", shown)
    assert shown == "rm is not for you\n\nnoted"
    [seen] = [json.loads(line) for line in (folder / "audit.jsonl").read_text().splitlines()]
    assert (seen["args"], seen["result"], seen["tool_use_id"]) == (
        {"command": "rm -rf /"}, "rm is not for you", "call-1")
    assert seen["hook_event_name"] == "PostToolUse" and "error" not in seen


def test_hook_that_ends_the_loop_after_a_blocked_call(hooks: Hooks) -> None:
    with Gate(hooks(BLOCK, answer("post-tool", {"continue": False, "stopReason": "enough"}))) as gate:
        with pytest.raises(Stopped, match="^enough$") as caught:
            gate.wrap("shell", {"command": "rm -rf /"}, Tool(), on_block="return")
        assert caught.value.result == "rm is not for you"


def test_a_stop_before_the_tool_is_seen_by_no_hook_after_it(hooks: Hooks) -> None:
    folder = hooks(answer("pre-tool", {"continue": False, "stopReason": "enough"}), AUDIT)
    with Gate(folder) as gate, pytest.raises(Stopped):
        gate.wrap("shell", {}, Tool())
    assert not (folder / "audit.jsonl").exists()


def test_blocked_call_in_the_form_of_a_client(hooks: Hooks) -> None:
    """Codex runs no hook after a call that was blocked."""
    folder = hooks(BLOCK, {**AUDIT, "dialect": "codex"})
    with Gate(folder) as gate:
        gate.wrap("shell", {"command": "rm -rf /"}, Tool(), on_block="return")
        assert not (folder / "audit.jsonl").exists()
        gate.wrap("shell", {"command": "ls"}, Tool())
        assert (folder / "audit.jsonl").exists()


def test_require_hooks(tmp_path: Path) -> None:
    tool = Tool()
    with Gate(tmp_path) as gate:
        assert gate.wrap("shell", {}, tool) == "ran"
    with Gate(tmp_path, require_hooks=True) as gate:
        for call in (lambda: gate.wrap("shell", {}, tool), lambda: gate.after("shell", {}, ""),
                     lambda: gate.prompt("hello")):
            with pytest.raises(HookrunError, match="no hooks file in .*--require-hooks needs one"):
                call()
        assert len(tool.calls) == 1
    (tmp_path / ".tenex-hooks.json").write_text('{"hooks": []}')
    with Gate(tmp_path, require_hooks=True) as gate:
        assert gate.wrap("shell", {}, tool) == "ran"


def test_display(hooks: Hooks) -> None:
    with Gate(hooks(entry("post-tool", "printf %0400d 7"))) as gate:
        post = gate.after("shell", {}, "ran")
    assert post.inject == ["0" * 399 + "7"]
    assert post.display == ["[INJECTION] " + "0" * 300 + "..."]


def test_approved(hooks: Hooks) -> None:
    with Gate(hooks(answer("pre-tool", specific(permissionDecision="allow")))) as gate:
        pre = gate.before("shell", {})
        assert pre.approved and pre.runs


def test_rewrite(hooks: Hooks) -> None:
    tool = Tool()
    seen = entry("post-tool", 'cat >seen.json', "seen")
    folder = hooks(answer("pre-tool", specific(updatedInput={"command": "ls -l"})), seen)
    with Gate(folder) as gate:
        args = {"command": "ls"}
        assert gate.before("shell", args).args == {"command": "ls -l"}
        gate.wrap("shell", args, tool, id="call-7")
    assert tool.calls == [{"command": "ls -l"}]
    assert args == {"command": "ls"}
    payload = json.loads((folder / "seen.json").read_text())
    assert (payload["args"], payload["tool_use_id"], payload["result"]) == ({"command": "ls -l"}, "call-7", "ran")


def test_inject(hooks: Hooks) -> None:
    with Gate(hooks(entry("pre-tool", "echo before", "a"), entry("post-tool", "echo after", "b"))) as gate:
        assert gate.before("shell", {}).inject == ["before"]
        assert gate.after("shell", {}, "ran").inject == ["after"]
        assert gate.wrap("shell", {}, Tool()) == "ran\n\nbefore\n\nafter"
        assert gate.wrap("shell", {}, Tool({"ä": 1})) == '{"ä":1}\n\nbefore\n\nafter'


def test_redact(hooks: Hooks) -> None:
    with Gate(hooks(answer("post-tool", specific(updatedToolOutput="[removed]")))) as gate:
        assert gate.after("shell", {}, "the key is 7").result == "[removed]"
        assert gate.wrap("shell", {}, Tool("the key is 7")) == "[removed]"


def test_feedback(hooks: Hooks) -> None:
    with Gate(hooks(answer("post-tool", {"decision": "block", "reason": "run the tests"}))) as gate:
        post = gate.after("shell", {}, "ran")
        assert (post.decision, post.reason, post.result) == ("block", "run the tests", "ran")
        assert gate.wrap("shell", {}, Tool()) == "ran\n\nrun the tests"


def test_failed_redactor_withholds_the_result(hooks: Hooks) -> None:
    with Gate(hooks(entry("post-tool", "kill -9 $$", on_failure="block"))) as gate:
        assert gate.after("shell", {}, "the key is 7").result == "[withheld by hookrun]"
        assert gate.wrap("shell", {}, Tool("the key is 7")) == "post-tool hook 'hook' was killed by SIGKILL"


def test_stop(hooks: Hooks) -> None:
    tool = Tool()
    stop = {"continue": False, "stopReason": "the budget is used up"}
    with Gate(hooks(answer("pre-tool", stop))) as gate:
        pre = gate.before("shell", {})
        assert (pre.stop, pre.stop_reason, pre.runs) == (True, "the budget is used up", False)
        for on_block in "raise", "return":
            with pytest.raises(Stopped, match="^the budget is used up$") as caught:
                gate.wrap("shell", {}, tool, on_block=on_block)
            assert caught.value.result is None
        assert tool.calls == []
    with Gate(hooks(answer("post-tool", stop))) as gate:
        with pytest.raises(Stopped, match="^the budget is used up$") as caught:
            gate.wrap("shell", {}, tool)
        assert caught.value.result == "ran"
        assert pickle.loads(pickle.dumps(caught.value)).result == "ran"


def test_tool_that_raises(hooks: Hooks) -> None:
    error = RuntimeError("no such file")
    folder = hooks(entry("post-tool", "cat >seen.json"))
    with Gate(folder) as gate:
        with pytest.raises(RuntimeError) as caught:
            gate.wrap("shell", {}, Tool(error=error))
        assert caught.value is error
    payload = json.loads((folder / "seen.json").read_text())
    assert (payload["error"], payload["hook_event_name"]) == ("no such file", "PostToolUseFailure")


def test_tool_that_raises_and_hooks_that_change_the_text(hooks: Hooks) -> None:
    error = RuntimeError("the key is 7")
    with Gate(hooks(answer("post-tool", specific(updatedToolOutput="[removed]")))) as gate:
        with pytest.raises(Failed, match=r"^\[removed\]$") as caught:
            gate.wrap("shell", {}, Tool(error=error))
        assert caught.value.error is error
        assert caught.value.__cause__ is None and caught.value.__suppress_context__
    with Gate(hooks(entry("post-tool", "echo 'look into the log'"))) as gate:
        with pytest.raises(Failed, match="^the key is 7\n\nlook into the log$"):
            gate.wrap("shell", {}, Tool(error=error))


def test_prompt(hooks: Hooks) -> None:
    folder = hooks(entry("pre-execute", "echo 'The build is run by make.'"), entry("pre-tool", "cat >seen.json", "b"))
    with Gate(folder, session_id="s1", agent_id="a1") as gate:
        asked = gate.prompt("fix the build")
        assert asked.runs
        assert asked.text == "fix the build\n\nThe build is run by make."
        gate.before("shell", {})
        payload = json.loads((folder / "seen.json").read_text())
        assert (payload["prompt"], payload["session_id"], payload["agent_id"]) == ("fix the build", "s1", "a1")
        gate.before("shell", {}, session_id="s2")  # for this call alone
        payload = json.loads((folder / "seen.json").read_text())
        assert (payload["session_id"], payload["agent_id"]) == ("s2", "a1")
    with Gate(hooks(entry("pre-execute", "echo no >&2; exit 2", on_failure="block"))) as gate:
        asked = gate.prompt("fix the build")
        assert (asked.runs, asked.decision, asked.reason) == (False, "block",
                                                              "pre-execute hook 'hook' exited with 2\nno")


def test_config_and_environment(hooks: Hooks, tmp_path: Path) -> None:
    hooks(entry("pre-tool", "exit 2"))
    for name in "one", "two":
        said = f'echo "$WORD {name}"'
        (tmp_path / f"{name}.json").write_text(json.dumps({"hooks": [entry("pre-tool", said, name)]}))
    with Gate(tmp_path / "project", config=tmp_path / "one.json", env={"WORD": "a"}) as gate:
        assert gate.before("shell", {}).inject == ["a one"]
    with Gate(tmp_path / "project", config=[tmp_path / "one.json", str(tmp_path / "two.json")],
              env={"WORD": "b"}) as gate:
        assert gate.before("shell", {}).inject == ["b one", "b two"]


def test_messages_are_for_the_user(hooks: Hooks, caplog: pytest.LogCaptureFixture) -> None:
    folder = hooks(answer("pre-tool", {"systemMessage": "good \u001b[31mluck"}, "m"),
                   entry("pre-tool", "kill -9 $$", "limp", on_failure="continue"))
    with caplog.at_level(logging.INFO, "hookrun"), Gate(folder) as gate:
        pre = gate.before("shell", {})
    assert pre.runs
    assert pre.messages == ["good \u001b[31mluck", "pre-tool hook 'limp' was killed by SIGKILL; continuing"]
    assert [record.getMessage() for record in caplog.records] == [
        "warning: pre-tool hook 'limp' was killed by SIGKILL; continuing", "system message: good \\x1b[31mluck"]


def test_values_that_are_no_json(hooks: Hooks) -> None:
    tool = Tool(result=object())
    with Gate(hooks()) as gate:
        nested: list[Any] = []
        nested.append(nested)
        deep: list[Any] = []
        for _ in range(100_000):
            deep = [deep]
        for args in {"a": object()}, {"a": float("nan")}, {"a": b"x"}, nested, {1, 2}, deep:
            with pytest.raises(HookrunError, match="are no JSON"):
                gate.wrap("shell", args, tool)
        assert tool.calls == []
        with pytest.raises(HookrunError, match="are no JSON"):
            gate.after("shell", {}, object())
        assert gate.before("shell", {"a": "\ud800 \u2028 \U0001f600"}).runs


async def coroutine(args: Any) -> str:
    return "the key is 7"


def test_results_that_no_hook_could_see(hooks: Hooks) -> None:
    with Gate(hooks()) as gate:
        for run in coroutine, iter, lambda args: (part for part in "ab"):
            with pytest.raises(HookrunError, match="whose content no hook can see"):
                gate.wrap("shell", [1], run)
        assert gate.wrap("shell", {}, Tool(float("inf"))) == float("inf")


@dataclass
class Answer:
    words: list[str]
    when: datetime


def test_results_that_are_no_json(hooks: Hooks) -> None:
    """Hooks get the fields or the text. The loop gets the object itself, unless a hook has something to say."""
    answer, other = Answer(["a"], datetime(2026, 1, 2)), object()
    folder = hooks(entry("post-tool", "cat >seen.json", "seen"))
    with Gate(folder) as gate:
        assert gate.wrap("shell", {}, Tool(answer)) is answer
        assert json.loads((folder / "seen.json").read_text())["result"] == (
            '{"words":["a"],"when":"2026-01-02 00:00:00"}')
        assert gate.wrap("shell", {}, Tool(other)) is other
        assert json.loads((folder / "seen.json").read_text())["result"] == str(other)
    with Gate(hooks(entry("post-tool", "echo more"))) as gate:
        assert gate.wrap("shell", {}, Tool(answer)) == '{"words":["a"],"when":"2026-01-02 00:00:00"}\n\nmore'


def test_a_call_that_is_too_long(hooks: Hooks) -> None:
    with Gate(hooks()) as gate:
        with pytest.raises(HookrunError, match="64 MiB at most"):
            gate.before("shell", {"a": "x" * (64 << 20)})
        assert gate.before("shell", {"a": "x" * (8 << 20)}).runs


def test_hooks_file_with_errors(hooks: Hooks) -> None:
    folder = hooks()
    (folder / ".tenex-hooks.json").write_text('{"hooks": [{"nam": "x"}]}')
    with Gate(folder) as gate:
        for _ in range(2):
            with pytest.raises(HookrunError, match=r"\.tenex-hooks\.json:1:12: .*nam"):
                gate.before("shell", {})
        hooks()
        assert gate.before("shell", {}).runs, "the next call starts another server"


def test_workspace_that_is_missing(tmp_path: Path) -> None:
    with Gate(tmp_path / "gone") as gate:
        with pytest.raises(HookrunError, match="no such file or directory"):
            gate.before("shell", {})


def test_a_call_that_is_wrong(hooks: Hooks) -> None:
    with Gate(hooks()) as gate:
        with pytest.raises(HookrunError, match='"tool" is missing'):
            gate.before("", {})
        assert gate.before("shell", {}).runs


def test_closed_gate(hooks: Hooks) -> None:
    gate = Gate(hooks())
    gate.close()
    gate.close()
    with pytest.raises(HookrunError, match="Gate is closed"):
        gate.before("shell", {})
    with pytest.raises(ValueError, match="timeout is 0"):
        Gate(hooks(), timeout=0)
    for milliseconds in 5000, 30_000, 600_000:  # as Node's Gate takes them
        with pytest.raises(ValueError, match=f"in seconds, and {milliseconds} of them .* give {milliseconds // 1000}"):
            Gate(hooks(), timeout=milliseconds)
    for longest, seconds in (3600, 3600), (timedelta(hours=2), 7200), (timedelta(milliseconds=1500), 1.5):
        assert Gate(hooks(), timeout=longest).timeout == seconds
