"""Modules for agent frameworks, each on the core. A module imports its framework."""

from __future__ import annotations

from hookrun import AsyncGate, Blocked, Stopped


async def guard_prompt(gate: AsyncGate, prompt: str) -> str:
    """Returns the user's message with the texts of the hooks, or raises Blocked or Stopped.

    Most frameworks have no step at which an adapter could change the message. Await this before the agent runs.
    """
    asked = await gate.prompt(prompt)
    if asked.stop:
        raise Stopped(asked.stop_reason, asked.decision, asked.outcome)
    if not asked.runs:
        raise Blocked(asked.reason, asked.decision, asked.outcome)
    return asked.text
