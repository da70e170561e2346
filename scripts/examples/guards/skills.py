#!/usr/bin/env python3
# Tells the model which of the project's skills fit a prompt, or a Task's subagent. --skills=false turns it off.
# Wire: {"command": ["python3", "-B", ".hooks/skills.py"], "events": ["pre-execute"]}, and once more with ["pre-tool"] and "matcher": "Task"
from guards import DATA, context, root, serve, tool_input
from advice import advice
import argparse
import os
import re

MAX_READ = 1 << 14  # of a SKILL.md, whose front matter comes first
MAX_DESCRIPTION = 100


def front_matter(path):
    """The plain keys in the front matter of a SKILL.md. It reads the YAML that is in use there: a value on the line, in
    quotes, or indented below."""
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        lines = file.read(MAX_READ).splitlines()
    fields, key = {}, None
    for line in lines[1:] if lines[:1] == ["---"] else []:
        if line.rstrip() == "---":
            break
        found = re.match(r"([\w-]+):(?:\s+(.*))?$", line)
        if found:
            key, value = found[1], (found[2] or "").strip()
            fields[key] = "" if re.match(r"[|>][+-]?\d?$", value) else value
        elif key and line[:1] in " \t":
            fields[key] += " " + line.strip()
    return {key: re.sub(r"^([\"'])(.*)\1$", r"\2", value.strip()) for key, value in fields.items()}


def skills(folder):
    """The skills of a folder, by name, in order: what they are for, and where they are."""
    found = {}
    for entry in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        path = os.path.join(folder, entry, "SKILL.md")
        if os.path.isfile(path):  # not a pipe, which may have no writer
            fields = front_matter(path)
            about = " ".join(fields.get("description", "").split())
            if len(about) > MAX_DESCRIPTION:
                about = about[:MAX_DESCRIPTION].rstrip() + "…"
            found[fields.get("name") or entry] = (about, path)
    return found


def fits(skill, prompt):
    """Whether a prompt contains the name of a skill, or a word for it, as whole words."""
    names = [skill.replace("-", " ").replace("_", " "), *DATA["skill_hint"].get(skill, [])]
    return any(re.search(r"(?<!\w)%ss?(?!\w)" % re.escape(name.lower()), prompt) for name in names)


def listed(found):
    return "\n".join("- %s: %s (%s)" % (name, about or "no description", path) for name, (about, path) in found.items())


def guard(call):
    flags = argparse.ArgumentParser()
    flags.add_argument("--skills-dir", default=".claude/skills", help="a folder with NAME/SKILL.md; a relative one is of the project")
    flags.add_argument("--skills", default="true")
    flags = flags.parse_args()
    if flags.skills == "false":
        return None
    known = skills(os.path.join(root(call), flags.skills_dir))
    if call.get("hook_event_name") == "UserPromptSubmit":
        prompt = call.get("prompt") if isinstance(call.get("prompt"), str) else ""
        prompt = re.sub(r"[\s_-]+", " ", prompt.lower())
        fitting = {name: skill for name, skill in known.items() if fits(name, prompt)}
        return context(call, "Skills that fit this; read the file before you begin:\n" + listed(fitting)) if fitting else None
    args = tool_input(call)
    agent = args.get("subagent_type") if isinstance(args, dict) else None
    expected = DATA["skills"].get(agent, []) if isinstance(agent, str) else []
    fitting = {name: known[name] for name in expected if name in known}
    return advice(call, "%s is expected to use these skills; name them in its prompt:\n%s" % (agent, listed(fitting))) if fitting else None


serve(guard, on_error="pass")
