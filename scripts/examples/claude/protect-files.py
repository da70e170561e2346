#!/usr/bin/env python3
# A PreToolUse hook for Claude Code: no writes to .env files, .git and lock files, and no reading of .env files.
# Wire: settings.json for the client itself, tenex-hooks.json for any other loop whose tools have the same names.
import json
import os
import re
import sys

LOCK_FILES = {"package-lock.json", "pnpm-lock.yaml", "yarn.lock", "Cargo.lock", "poetry.lock", "uv.lock", "go.sum"}
SAMPLES = {".env.example", ".env.sample", ".env.template"}


def is_secret(path):
    name = os.path.basename(path)
    return (name == ".env" or name.startswith(".env.")) and name not in SAMPLES


def deny(reason):
    print(json.dumps({
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }
    }))
    sys.exit(0)


def check_file(tool, path):
    if is_secret(path):
        deny(f"{path} contains secrets. Ask the user for the value you need.")
    if tool == "Read":
        return
    if ".git" in path.split("/"):
        deny(f"{path} belongs to git. Use git commands to change it.")
    if os.path.basename(path) in LOCK_FILES:
        deny(f"{path} is written by the package manager. Run that instead.")


def main():
    try:
        call = json.load(sys.stdin)
        tool, args = call["tool_name"], call["tool_input"]
        if tool == "Bash":
            for word in re.split(r"[\s;|&<>()'\"=]+", args["command"]):
                if is_secret(word):
                    print(f"Do not touch {word} in the shell.", file=sys.stderr)
                    sys.exit(2)
        else:
            check_file(tool, args.get("file_path") or args["notebook_path"])
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        print(f"protect-files: this call could not be checked: {error!r}", file=sys.stderr)
        sys.exit(2)


main()
