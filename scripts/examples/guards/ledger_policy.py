# How the ledger sees a call: its tool, whether it has side effects, and the key that equal calls share.
# Use: python3 -B ledger_policy.py TOOL... prints how the ledger classifies these tools.
import sys

from guards import DATA, tool_input

import hashlib
import json
import os
import re

CLASSES = ("external", "memory", "local", "read_only")
REPLAYS = ("REPLAY_EXACT", "REPLAY_IDEMPOTENT", "RELAUNCH")
WARNED = set()


def identity(raw):
    """Where a tool comes from, its namespace and its name. mcp__a__send and mcp__b__send have one name, and are two tools."""
    name = raw[:-5] if re.search("(?i)[^_]tools$", raw) and len(raw) > 10 else raw
    if name.startswith("mcp__") and name.count("__") > 1:
        origin, _, name = name.rpartition("__")
        return origin, "mcp", name
    if name.lower() in ("bash", "task"):
        return "claude_code", "claude_code", name.lower()
    return "composio", "composio", name


def policies():
    """The rules about tools; the first match counts. An unreadable file is an error, since it may have a rule for the tool."""
    *overlays, base = [os.getenv("UA_TOOL_POLICIES_" + name, "") for name in ("OVERLAY_PATHS", "OVERLAY_PATH", "PATH")]
    for path in filter(None, map(str.strip, [*",".join(overlays).split(","), base])):
        with open(path, encoding="utf-8") as file:
            yield from json.load(file)["policies"]
    yield from [] if base.strip() else DATA["ledger"]["policies"]


def classify(namespace, name):
    """The class of its side effects, what a repeated call is, and the name of the matching rule, or None."""
    known = DATA["ledger"]
    rule = next((rule for rule in policies() if (rule.get("tool_namespace") or namespace).lower() == namespace
                 and any(re.search(pattern, name, re.IGNORECASE) for pattern in rule["patterns"])), {})
    # Whole words: "get" is in widget_push, and "label" in list_labels. A word that acts wins: get_or_create creates.
    words = {word.lower() for word in re.findall("[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}
    kind = "external" if words & set(known["acts"]) else "read_only" if words & set(known["reads"]) else ""
    kind = rule.get("side_effect_class") or namespace == "mcp" and known["mcp_tools"].get(name.lower()) or kind
    kind = kind or ("local" if namespace == "mcp" else "external")
    replay = rule.get("replay_policy") or ("REPLAY_IDEMPOTENT" if kind == "read_only" else "REPLAY_EXACT")
    replay = "RELAUNCH" if name.lower() in known["relaunch"] else replay
    for value in {kind} - {*CLASSES, *WARNED} | {replay} - {*REPLAYS, *WARNED}:
        WARNED.add(value)
        print("ledger: the policy of %s says %r, which is not known: taken for the strictest" % (name, value), file=sys.stderr)
    return kind if kind in CLASSES else "external", replay if replay in REPLAYS else "REPLAY_EXACT", rule.get("name")


def without(value, keys):
    """The value without these keys, at every depth. 1.0 becomes 1, as most JSON readers treat it."""
    if isinstance(value, dict):
        return {key: without(inner, keys) for key, inner in value.items() if key not in keys}
    value = int(value) if isinstance(value, float) and value.is_integer() else value
    return [without(inner, keys) for inner in value] if isinstance(value, list) else value


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def scope(name, given, hashed):
    """What the side effect happens to."""
    if not isinstance(given, dict):
        return hashed
    name, get = name.upper(), given.get
    if "GMAIL_SEND_EMAIL" in name:
        attached, to = get("attachment"), get("to") or get("to_email") or get("recipient_email") or ""
        return "email:%s:%s:%s" % (to, get("subject") or "", isinstance(attached, dict) and attached.get("s3key") or "")
    if "UPLOAD" in name:
        return "upload:%s:%s" % (get("path") or get("file_path") or "", get("destination") or get("bucket") or "")
    return "memory:" + digest(canonical(get("content") or "")) if "MEMORY" in name else hashed


def clean(text):
    """Text that UTF-8, and so SQLite, can hold: JSON can contain half a surrogate pair."""
    return (text + "").encode("utf-8", "replace").decode()


def describe(call):
    """The columns of tool_calls that are known before the call, including everything for its key."""
    raw, known = clean(call["tool_name"]), DATA["ledger"]
    origin, namespace, name = identity(raw)
    kind, replay, rule = classify(namespace, name)
    request = without(tool_input(call), known["ignored_arguments"])
    ignored = known["ignored_by_multi_execute"] if "COMPOSIO_MULTI_EXECUTE_TOOL" in name.upper() else ()
    given = {key: value for key, value in request.items() if key not in ignored} if isinstance(request, dict) else request
    hashed = digest(canonical(given))
    return {"run_id": run(call), "step_id": step(call), "raw_tool_name": raw, "tool_name": name, "tool_namespace": namespace,
            "side_effect_class": kind, "replay_policy": replay, "policy_matched": rule is not None, "policy_rule_id": rule,
            "normalized_args_hash": hashed, "request_ref": canonical(request)[:known["kept_characters"]],
            "key_parts": [run(call), origin, name, hashed, clean(scope(name, given, hashed))]}


def run(call):
    return clean(os.environ.get("UA_RUN_ID") or call.get("session_id") or "unnamed")


def step(call):
    """What a session does in a run. Each agent of the session has its own."""
    return canonical([run(call), clean(call.get("session_id") or ""), clean(call.get("agent_id") or "")])


def key(row, nonce=None):
    return digest("|".join(row["key_parts"] + [nonce] * (nonce is not None)))


if __name__ == "__main__":
    for tool in sys.argv[1:]:
        print(tool, *classify(*identity(tool)[1:]))
