"""What the hooks of a call answered."""

from __future__ import annotations

import inspect
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from ._errors import HookrunError

log = logging.getLogger("hookrun")

WITHHELD = "[withheld by hookrun]"


@dataclass(frozen=True)
class Call:
    """A tool call that a hook wants a person to decide on."""

    tool: str
    args: Any
    """The arguments that the tool would get: those of the call, or what a hook made of them."""
    id: str | None
    reason: str
    """Why the hook asks."""


@dataclass(frozen=True)
class Verdict:
    """The answer before a tool runs. Run the tool only if decision is "continue" and stop is False."""

    decision: str
    """"continue", "block", "ask" or "defer"."""
    reason: str
    args: Any
    """The arguments that the tool must get: those of the call, or what a hook made of them."""
    inject: list[str] = field(default_factory=list)
    """Texts for the model."""
    display: list[str] = field(default_factory=list)
    """For each of these texts a short one that a user interface shows in passing."""
    messages: list[str] = field(default_factory=list)
    """Texts for the user. They are logged, too, by the logger "hookrun"."""
    stop: bool = False
    stop_reason: str = ""
    approved: bool = False
    """A hook answered allow: the loop may skip its own prompt for permission."""
    outcome: dict[str, Any] = field(default_factory=dict)

    @property
    def runs(self) -> bool:
        """Whether the tool may run."""
        return self.decision == "continue" and not self.stop


@dataclass(frozen=True)
class Result:
    """The answer after a tool ran."""

    result: Any
    """The result to show: that of the tool, what a hook made of it, or a text that says that it is withheld."""
    inject: list[str] = field(default_factory=list)
    display: list[str] = field(default_factory=list)
    reason: str = ""
    """Feedback for the model, if a hook blocked."""
    decision: str = "continue"
    messages: list[str] = field(default_factory=list)
    stop: bool = False
    stop_reason: str = ""
    outcome: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Prompt:
    """The answer before the model sees the user's message. Go on only if decision is "continue" and stop is False."""

    decision: str
    reason: str
    prompt: str
    """The prompt to give to the model: that of the call, or what a hook made of it."""
    inject: list[str] = field(default_factory=list)
    display: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    stop: bool = False
    stop_reason: str = ""
    outcome: dict[str, Any] = field(default_factory=dict)

    @property
    def runs(self) -> bool:
        """Whether the model may see the prompt."""
        return self.decision == "continue" and not self.stop

    @property
    def text(self) -> str:
        """The prompt, and behind it the texts of the hooks."""
        return "\n\n".join(filter(None, [self.prompt, *self.inject]))


def check(outcome: Any, method: str, tool: str | None) -> dict[str, Any]:
    """Returns the outcome, or raises HookrunError if the outcome is not one of this call in a known form."""
    if not isinstance(outcome, dict) or "decision" not in outcome:
        raise HookrunError("hookrun gave an answer without a decision; is the program hookrun?")
    if outcome.get("version") != 1:
        raise HookrunError(f"hookrun answered in version {outcome.get('version')!r} of the outcome, and this package "
                           "reads version 1; install the package and the binary of one release")
    texts = ("reason", "stop_reason", "cause")
    lists = ("inject", "hooks", "warnings", "system_messages")
    if (outcome["decision"] not in ("continue", "block", "ask", "defer")
            or outcome.get("event") != method or outcome.get("tool") != tool
            or not all(isinstance(outcome.get(key, ""), str) for key in texts)
            or not all(isinstance(outcome.get(key, []), list) for key in lists)
            or not all(isinstance(outcome.get(key, False), bool) for key in ("stop", "approved"))
            or not all(isinstance(i, dict) and isinstance(i.get("content"), str) for i in outcome.get("inject", []))):
        raise HookrunError("hookrun gave an answer that is not one to this call; "
                           "install the package and the binary of one release")
    for kind, level in ("warnings", logging.WARNING), ("system_messages", logging.WARNING):
        for line in outcome.get(kind, []):
            log.log(level, "%s: %s", kind[:-1].replace("_", " "), printable(str(line)))
    return outcome


def printable(line: str) -> str:
    """Returns the line with escapes for characters that would steer a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in line)


def put_args(given: dict[str, Any], pre: Verdict) -> None:
    """Changes the arguments of a tool that runs, for a framework whose tool gets the same dict."""
    if pre.args != plain(given):
        given.clear()
        given.update(pre.args)


def _common(outcome: dict[str, Any]) -> dict[str, Any]:
    return {
        "decision": outcome["decision"],
        "reason": outcome.get("reason", ""),
        "inject": [text["content"] for text in outcome.get("inject", [])],
        "display": [str(text.get("display", "")) for text in outcome.get("inject", [])],
        "messages": [str(m) for m in [*outcome.get("system_messages", []), *outcome.get("warnings", [])]],
        "stop": outcome.get("stop", False),
        "stop_reason": outcome.get("stop_reason", ""),
        "outcome": outcome,
    }


def verdict(outcome: dict[str, Any], args: Any) -> Verdict:
    return Verdict(args=outcome.get("updated_input", args), approved=outcome.get("approved", False), **_common(outcome))


def result_of(outcome: dict[str, Any], result: Any) -> Result:
    hidden = WITHHELD if withheld(outcome) else result
    return Result(result=outcome.get("updated_output", hidden), **_common(outcome))


def withheld(outcome: dict[str, Any]) -> bool:
    """Whether a hook failed that might have changed the result: then the reason alone is for the model."""
    return outcome["decision"] != "continue" and outcome.get("cause") != "policy"


def prompt_of(outcome: dict[str, Any], prompt: str) -> Prompt:
    changed = outcome.get("updated_input", {"prompt": prompt})
    if not isinstance(changed, dict) or not isinstance(changed.get("prompt"), str):
        raise HookrunError("a hook changed the prompt into a value that is no text")
    return Prompt(prompt=changed["prompt"], **_common(outcome))


def plain(value: Any) -> Any:
    """Returns a tool's result as hooks get it: a value of JSON as it is, another object as its fields or its text.

    Hooks could not see what comes out of a coroutine or a stream later, so these are an error.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, (Awaitable, Iterator, AsyncIterator)):
        if inspect.iscoroutine(value):
            value.close()
        raise HookrunError(f"the tool returned a {type(value).__name__}, whose content no hook can see; collect the "
                           "content in the tool, and use AsyncGate for a coroutine function")
    try:
        json.dumps(value, allow_nan=False)
        return value
    except (TypeError, ValueError, RecursionError):
        pass
    try:
        return json.loads(json.dumps(value, default=_fields, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return str(value)


def _fields(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name) for f in fields(value)}
    return str(value)


def text(value: Any) -> str:
    """Returns a tool's result as the text that the model sees: a text as it is, another value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def fold(after: Result, before: Verdict | None = None) -> Any:
    """Returns what the model is to see of a tool's call: the result, and behind it the texts of the hooks.

    Without texts the result keeps its type. With texts it becomes a text.
    """
    texts = [*(before.inject if before else []), *after.inject]
    if withheld(after.outcome):
        return "\n\n".join([after.reason, *texts])
    texts.append(after.reason)
    if not any(texts):
        return after.result
    return "\n\n".join(filter(None, [text(after.result), *texts]))
