"""The errors of this package. Each of them means: the tool must not run, or its result must not be shown."""

from __future__ import annotations

from typing import Any


class HookrunError(Exception):
    """The hooks gave no verdict, or a verdict that keeps the tool from running."""


class Blocked(HookrunError):
    """A hook keeps the tool from running.

    reason is the hook's. The error's text is for the model, in place of the tool's result: the reason, and behind it
    the texts of the hooks after the tool, which see a blocked call, too.
    """

    def __init__(self, reason: str, decision: str = "block", outcome: dict[str, Any] | None = None,
                 text: str = "") -> None:
        super().__init__(text or reason)
        self.reason = reason
        self.decision = decision
        self.outcome = outcome or {}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reason, self.decision, self.outcome, str(self)), self.__dict__


class Stopped(Blocked):
    """A hook ends the loop. The reason is for the user.

    Before a tool, result is None and the tool did not run. After a tool, and after a blocked call, result is what the
    model would have seen.
    """

    result: Any = None


class Failed(HookrunError):
    """The tool raised an error, and the hooks changed the error's text or added to it. The text is for the model.

    error is the tool's own error. Its text may contain what a hook has removed.
    """

    error: BaseException | None = None
