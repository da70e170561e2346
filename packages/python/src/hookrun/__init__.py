"""Runs the hooks of a project around the tool calls of an agent loop.

    from hookrun import Gate

    with Gate(workspace=".") as gate:
        shown = gate.wrap("shell", {"command": "ls"}, run_shell)

A Gate keeps one `hookrun serve` open and starts a new one if the server dies. If there is no verdict, for whatever
reason, the call raises HookrunError: the tool must not run then.
"""

from ._async import AsyncGate
from ._errors import Blocked, Failed, HookrunError, Stopped
from ._find import find_hookrun
from ._gate import Gate
from ._outcome import Call, Prompt, Result, Verdict, fold, text

__all__ = [
    "AsyncGate",
    "Blocked",
    "Call",
    "Failed",
    "Gate",
    "HookrunError",
    "Prompt",
    "Result",
    "Stopped",
    "Verdict",
    "find_hookrun",
    "fold",
    "text",
]
