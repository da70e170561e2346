#!/usr/bin/env python3
"""Runs Claude Code's hooks by the OpenHands SDK, and answers as one hook of Claude Code would.

    pip install openhands-sdk==1.58.2          # Python 3.12 or later
    python3 openhands-sdk.py < HOOK-INPUT

The SDK looks for .openhands/hooks.json; this program gives it the settings that the case has for Claude Code, of which
it takes the part with hooks. The hooks find their scripts by $CLAUDE_PROJECT_DIR, which is set for them here.
"""
import json
import os
import sys

os.environ["CLAUDE_PROJECT_DIR"] = os.getcwd()
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # its import would look for a list on the internet
os.environ.setdefault("OPENHANDS_SUPPRESS_BANNER", "1")
stdout, sys.stdout = sys.stdout, sys.stderr  # its log is no answer

from openhands.sdk.hooks import HookConfig  # noqa: E402
from openhands.sdk.hooks.manager import HookManager  # noqa: E402


def main():
    call = json.load(sys.stdin)
    if call["hook_event_name"] != "PreToolUse":
        sys.exit("openhands-sdk.py calls the SDK at PreToolUse alone, not at " + call["hook_event_name"])
    with open(".claude/settings.json", encoding="utf-8-sig") as file:
        settings = json.load(file)
    config = HookConfig.model_validate({"hooks": settings.get("hooks") or {}})
    manager = HookManager(config=config, working_dir=os.getcwd(), session_id=call["session_id"])
    goes_on, results = manager.run_pre_tool_use(call["tool_name"], call["tool_input"])
    said = {}
    context = "\n".join(r.additional_context for r in results if r.additional_context)
    if context:
        said["additionalContext"] = context
    if not goes_on:
        said.update(permissionDecision="deny", permissionDecisionReason=manager.get_blocking_reason(results) or "")
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **said}}), file=stdout)


main()
