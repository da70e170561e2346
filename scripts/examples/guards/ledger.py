#!/usr/bin/env python3
# Keeps a ledger of tool calls. It denies a call with side effects that this run has made already or is making.
# Wire: {"command": ["python3", "-B", ".hooks/ledger.py"], "events": ["pre-execute", "pre-tool", "post-tool"], "persistent": true}

# Put it after all other guards: a call that a later guard blocks would stay unfinished until the next prompt.
# In Claude's settings the events are UserPromptSubmit, PreToolUse, PostToolUse and PostToolUseFailure.
from guards import DATA, block, context, failed, hint, result, serve, tool_input, workspace

import contextlib
import json
import os
import sys

import ledger_policy as policy

BAD_IN_NAMES = '<>{}[]"'


def guard(call):
    event = call.get("hook_event_name", "PreToolUse")
    if event == "PreToolUse":
        return before(call)
    try:
        import ledger_db
        return (turn if event == "UserPromptSubmit" else after)(call, ledger_db)
    except Exception as error:  # too late to block; the call stays unfinished, so the same call is denied
        return hint("The ledger could not record this: %s" % policy.clean(str(error)))


def before(call):
    kind = None
    try:
        row = policy.describe(call)
        kind = row["side_effect_class"]
        import ledger_db  # here, so that a Python without sqlite3 blocks and does not exit with 1
        reason, first = refusal(call, row, ledger_db)
    except Exception as error:
        reason, first = "Ledger prepare failed. A call without a record must not be made: %s" % policy.clean(str(error)), None
    if not reason:
        return first and context(call, first)
    if kind == "read_only":  # may be repeated, with or without a ledger
        return hint(reason)
    answer = block(call, reason)
    return {**answer, "reason": first} if first else answer


def refusal(call, row, ledger_db):
    """Why the call must not be made, and the result of the first; or None, and what the model should know."""
    given, name = tool_input(call), row["tool_name"]
    if set(BAD_IN_NAMES) & set(row["raw_tool_name"]):
        return "The name of the tool has one of %s in it. Call the tool by its name alone." % " ".join(BAD_IN_NAMES), None
    complete = isinstance(given, dict) and given.get("file_path") and given.get("content") is not None
    if name.lower() == "write" and not complete:
        return "Write needs file_path and content. Send both in one call.", None
    with ledger_db.transaction(ledger_db.path(call)) as db:
        old = ledger_db.earlier(db, row)
        cancel = ledger_db.cancelled(db, row["run_id"])
        if row["side_effect_class"] != "read_only" and cancel:
            return "This run is to be cancelled (%s). Stop here." % (cancel["cancel_reason"] or "no reason given"), None
        if row["side_effect_class"] != "read_only" and row["replay_policy"] == "REPLAY_EXACT":
            for one in old:
                if one["status"] == "succeeded" and not in_vain(one["response_ref"] or ""):
                    first = (one["response_ref"] or "")[:500]
                    return "Idempotent tool call detected. This run has made the same call, with success. Do not make it " \
                           "again. Its result: %s" % (first or "(no text)"), first
            for one in old:
                if one["status"] in ("prepared", "running"):
                    return "The same call began at %s and has no end in the ledger. Wait for its result. If it was cut off, " \
                           "the next prompt gives it up, or: ledger_db.py resume %s" % (one["created_at"], row["run_id"]), None
        if not ledger_db.prepare(db, row, call.get("tool_use_id") or "", policy.clean(workspace(call) or ""), 1 + len(old)):
            return "Prepared ledger row missing. Something else takes rows out of the ledger.", None
        lost = [one["created_at"] for one in old if one["status"] == "abandoned_on_resume"]
        if lost and row["replay_policy"] == "REPLAY_EXACT":
            return None, "The same call began at %s, and nobody knows how it ended: look whether it has been done." % lost[-1]
    return None, None


def in_vain(response):
    """Whether the text reports an error. An object with one has failed already, and "error": null is none."""
    return not response.lstrip().startswith("{") and "error" in response[:50].lower()


def parsed(response):
    """JSON that came as text, as it does in a tenex file."""
    with contextlib.suppress(ValueError, RecursionError):
        return json.loads(response) if isinstance(response, str) else response
    return response


def after(call, ledger_db):
    row, keep = policy.describe(call), DATA["ledger"]["kept_characters"]
    said, response = result(call), parsed(result(call))
    with ledger_db.transaction(ledger_db.path(call)) as db:
        old = ledger_db.unfinished(db, row, call.get("tool_use_id") or "")
        if old is None:  # it was denied, or is older than the ledger
            return print("ledger: no call that is open has this end", file=sys.stderr)
        text = said if isinstance(said, str) else "" if said is None else json.dumps(said, ensure_ascii=False)
        if failed({**call, "tool_response": response}):
            return ledger_db.fail(db, old, policy.clean(text)[:keep] or "tool error")
        found = response if isinstance(response, dict) else {}
        number = next((found[key] for key in ("id", "message_id", "request_id") if found.get(key)), None)
        ledger_db.receive(db, old, policy.clean(text)[:keep], number and policy.clean(str(number)))
    with ledger_db.transaction(ledger_db.path(call)) as db:  # a second one: if killed before it, the receipt stays
        ledger_db.promote(db, row["run_id"])


def turn(call, ledger_db):
    """A new prompt: no earlier call of this agent in this session still runs."""
    if os.path.exists(ledger_db.path(call)):
        with ledger_db.transaction(ledger_db.path(call)) as db:
            ledger_db.resume(db, policy.run(call), policy.step(call))


serve(guard)
