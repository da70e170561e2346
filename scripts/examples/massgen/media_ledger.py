#!/usr/bin/env python3
# PostToolUse: keeps a ledger of media that were read and made, with their context. After MassGen's media_call_ledger.
# Wire: {matcher: "*read_media|*generate_media", handler: ./media_ledger.py, type: command, timeout: 5}

# The file is .massgen_scratch/verification/media_call_ledger.json. If it cannot be written, the outcome says so.
import contextlib
import datetime
import hashlib
import json
import os
import pathlib
import sys

from massgen import answer, kept


def parsed(value, kind):
    """The value, parsed if it is JSON text; empty if it is of another type."""
    with contextlib.suppress(ValueError):
        value = json.loads(value) if isinstance(value, str) else value
    return value if isinstance(value, kind) else kind()


def as_text(value):
    """Whether the value contains JSON as text. Then the arguments are also kept as the model wrote them."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return isinstance(value, str) and bool(parsed(value, dict) or parsed(value, list)) or any(map(as_text, inner))


def mappings(tool, given, made, root):
    def text(value): return value.strip() if isinstance(value, str) else ""
    def full(path): return os.path.normpath(os.path.join(root, path)) if text(path) else str(path)
    if tool == "read_media":
        for i, item in enumerate(parsed(given.get("inputs"), list) or [given.get("inputs")]):
            files = parsed(parsed(item, dict).get("files"), dict).items()
            yield from ("input[%d].%s -> %s" % (i, label, full(path)) for label, path in files)
    else:
        images = parsed(given.get("input_images"), list) or list(filter(text, [given.get("input_images")]))
        yield from ("input_image[%d] -> %s" % (i, full(path)) for i, path in enumerate(images))
        yield from ["input_audio -> " + full(given["input_audio"])] if given.get("input_audio") else []
    yield from ["continue_from -> " + text(given["continue_from"])] if text(given.get("continue_from")) else []
    batch = made.get("batch") and isinstance(made.get("results"), list)
    several = [("output[%d]" % i, parsed(one, dict)) for i, one in enumerate(made["results"])] if batch else [("output", made)]
    yield from ("%s -> %s" % (n, o["file_path"]) for n, o in several if tool == "generate_media" and text(o.get("file_path")))


def entry(event, tool, root, folder, now):
    given, made = event.get("tool_input") or {}, parsed(event.get("tool_output"), dict)
    raw = json.dumps(given) if as_text(given) else ""
    given, raw = ({}, given["raw"]) if list(given) == ["raw"] else (given, raw)  # arguments that are no JSON
    context, snapshot = root / "CONTEXT.md", None
    if context.is_file():  # even without use_context: the agent had this context
        content = context.read_bytes()
        snapshot = folder / "context_snapshots" / ("context_%s.md" % hashlib.sha256(content).hexdigest()[:12])
        snapshot.parent.mkdir(parents=True, exist_ok=True)
        snapshot.write_bytes(content)
    return {"timestamp": now, "tool": tool, "success": made.get("success") if isinstance(made.get("success"), bool) else None,
            "agent_id": event.get("agent_id") or "unknown", "tool_name": event["tool_name"], "tool_arguments": given,
            "backend": made.get("backend") or given.get("backend_type"), "model": made.get("model") or given.get("model"),
            "context_used": snapshot is not None, "context_snapshot_path": snapshot and snapshot.relative_to(root).as_posix(),
            "output_error": None if made.get("error") is None else str(made["error"]).strip(),
            "file_mappings": list(mappings(tool, given, made, root)), **({"tool_arguments_raw": raw} if raw else {})}


def main(event):
    tool = next((kind for kind in ("read_media", "generate_media") if event["tool_name"].lower().endswith(kind)), None)
    root = pathlib.Path(event.get("workspace_path") or os.environ.get("HOOKRUN_WORKSPACE") or os.getcwd()).resolve()
    folder = root / ".massgen_scratch" / "verification"
    if tool:
        folder.mkdir(parents=True, exist_ok=True)
        with kept(str(folder / "media_call_ledger.json"), {"version": 1, "updated_at": None, "entries": []}) as ledger:
            ledger["updated_at"] = datetime.datetime.now(datetime.timezone.utc).isoformat()
            ledger["entries"].append(entry(event, tool, root, folder, ledger["updated_at"]))


try:
    main(json.load(sys.stdin.buffer))
    answer()
except Exception as error:  # the call was made and has not failed
    answer(hook_errors=["Media call ledger: %s" % error])
