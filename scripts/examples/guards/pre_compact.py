#!/usr/bin/env python3
# Counts and records compactions. With --memory it saves the end of the conversation before each. It never blocks.
# Wire: {"type": "command", "command": "python3", "args": ["-B", "${CLAUDE_PROJECT_DIR}/.hooks/pre_compact.py"]} at PreCompact
from guards import serve
from lifecycle import append, kept, now, place, taken
import argparse
import json
import os
import stat
import sys

MAX_READ = 1 << 20  # of a transcript, from its end


def limit():
    """How many characters of a transcript are saved."""
    try:
        return max(0, int(os.environ["UA_MEMORY_FLUSH_MAX_CHARS"]))
    except (KeyError, ValueError):
        return 4000


def said(line):
    """The text of a transcript's line, and who said it; empty for tools and the like."""
    try:
        message = json.loads(line).get("message") or {}
        content = message["content"]
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        text = "\n".join(block["text"] for block in blocks if block.get("type") == "text").strip()
        return "%s: %s\n" % (message.get("role"), text) if text else ""
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):  # another kind of line, or cut off
        return ""


def end_of(path):
    """The last words of a transcript."""
    with open(path, "rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - MAX_READ))
        text = "".join(said(line) for line in file)
    return text[-limit():] if limit() else ""


def size(call):
    """The size of the transcript, or None. Only a regular file: a pipe or a device would be read for ever."""
    path = call.get("transcript_path")
    try:
        about = os.stat(os.path.expanduser(path)) if isinstance(path, str) and path else None
        return about.st_size if about and stat.S_ISREG(about.st_mode) else None
    except (OSError, ValueError):
        return None


def capture(call):
    flags = argparse.ArgumentParser()
    flags.add_argument("--log", default=".hookrun/compactions.jsonl")
    flags.add_argument("--memory", help="a file that gets the end of the conversation")
    flags = flags.parse_args()
    log, session = place(call, flags.log), taken(call, "session_id").get("session_id", "")
    with kept(log + ".counts") as counts:  # the record is written under its lock, so the log is in order
        counts[session] = counts.get(session, 0) + 1
        trigger = call.get("trigger") if call.get("trigger") in ("auto", "manual") else "unknown"
        record = {"count": counts[session], "trigger": trigger, "session_id": session,
                  "transcript_path": taken(call, "transcript_path").get("transcript_path"), "timestamp": now()}
        if size(call) is not None:
            record["transcript_size_bytes"] = size(call)
        append(log, record)
    if flags.memory and size(call):
        text = end_of(os.path.expanduser(call["transcript_path"]))
        if text:
            with open(place(call, flags.memory), "a", encoding="utf-8", errors="replace") as memory:
                memory.write("## %s: compaction %d of session %s\n\n%s\n" % (record["timestamp"], record["count"], session, text))


def guard(call):
    try:
        capture(call)
    except (Exception, SystemExit) as error:  # a failed record must not block the conversation
        print("pre_compact.py: %s: %s" % (type(error).__name__, error), file=sys.stderr)
    return {"continue": True}


serve(guard, on_error="pass")
