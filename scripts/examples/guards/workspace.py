#!/usr/bin/env python3
# Blocks writes outside the workspace, the artifacts and the memory, and makes paths absolute.
# Wire: {"command": ["python3", "-B", ".hooks/workspace.py"], "events": ["pre-tool"], "persistent": true, "on_failure": "block"}
from guards import DATA, artifacts, block, rewrite, root, serve, tool_input, workspace

import os
import re


class Outside(Exception):
    """A path that leads out of the folders it may be in."""


def inside(place, *folders):
    """Whether a resolved path is in one of the folders, or is one."""
    return any(os.path.commonpath([place, folder]) == folder for folder in map(os.path.realpath, folders))


def relative(place, folder):
    """The part of a path below a folder."""
    scoped(place, folder, folder)
    return os.path.relpath(os.path.realpath(place), os.path.realpath(folder))


def scoped(path, base, *folders, reads=False, make_parent=False):
    """A path, relative to base and resolved. Raises Outside if it is in none of the folders, unless it is only read."""
    if len(path) > 4096:  # no system opens it, and resolving it would take too long
        raise Outside(path)
    full = os.path.join(os.path.realpath(base), os.path.expanduser(path))
    # A tool may drop a/.. from the text or go through a, which can be a link. Check both.
    place, as_text = os.path.realpath(full), os.path.realpath(os.path.normpath(full))
    if not reads and not (inside(place, *folders) and inside(as_text, *folders)):
        raise Outside(path)
    if make_parent:
        os.makedirs(os.path.dirname(place), exist_ok=True)
    return place


def reads(name):
    """Whether a tool only reads, by its name: one of the list, or one with a word for reading and none for writing."""
    rules = DATA["workspace"]
    words = {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name.rpartition("__")[2])}
    return name in rules["read_only"] or bool(words & set(rules["read_words"]) and not words & set(rules["write_words"]))


def plain(key):
    """A key without its style: some servers ignore case, so filePath and FILE_PATH are paths, too."""
    return key.replace("_", "").lower()


def checked(name, key, path, home):
    """The path for the tool."""
    rules = DATA["workspace"]
    for typo, meant in rules["typos"].items():
        path = path.replace(typo, meant)
    text_file = name.endswith("write_text_file")
    kept = [artifacts()] if text_file or rules["artifacts_for"] == "all" else []
    kept += [os.path.join(root({}), "memory")] if key in rules["memory_keys"] else []
    place = scoped(path, home, home, *kept)
    place.encode()  # an error if it is not UTF-8: in JSON it would be another path
    # An absolute path to a folder that outlives the session stays as written; so does a text file's.
    return path if os.path.isabs(path) and (text_file or not inside(place, home)) else place


def guard(call):
    home, given, name = workspace(call), tool_input(call), call["tool_name"]
    if not home or not isinstance(given, dict) or reads(name):
        return None
    fresh, known = dict(given), {plain(key) for key in DATA["workspace"]["keys"]}
    for key in given:
        if plain(key) not in known or not isinstance(given[key], str):
            continue
        try:
            fresh[key] = checked(name, key, given[key], home)
        except Outside:
            where = "Tool input '%s' contains path '%s' which is outside the session workspace " % (key, given[key][:500])
            where += "and UA_ARTIFACTS_DIR." if name.endswith("write_text_file") else "'%s'" % home
            return block(call, where, "Write into the session's folder, %s; what is for keeps goes to %s." % (home, artifacts()))
    return rewrite(call, fresh) if fresh != given else None


if __name__ == "__main__":
    serve(guard)
