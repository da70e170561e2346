# Shared by the lifecycle hooks: their files, appending a JSON line, and a state that parallel hooks change in turns.
# Use: from lifecycle import append, kept, now, place, taken
from guards import workspace
import contextlib
import datetime
import fcntl
import json
import os


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")


def place(call, path):
    """The path in a flag, relative to the workspace. Its folder is created."""
    path = os.path.join(workspace(call) or ".", path)
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    return path


def taken(call, *keys):
    """These fields of the call, if they are strings, so that the file cannot grow by unknown data."""
    return {key: call[key][:2000] for key in keys if isinstance(call.get(key), str) and call[key]}


def append(path, record):
    """Appends a line with one write, so that the lines of parallel hooks do not mix."""
    line = json.dumps(record).encode() + b"\n"
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK, 0o600)  # a pipe may have no reader
    try:
        os.write(file, line)
    finally:
        os.close(file)


@contextlib.contextmanager
def kept(path):
    """The JSON object in a file, to be changed; a missing file is an empty object. Parallel hooks take turns by a lock, which
    is released when its holder dies. The lock has its own file, since a rename replaces the state: nobody reads half."""
    with open(path + ".lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        state = {}
        if os.path.exists(path):
            with open(path, "rb") as file:
                state = json.load(file)
        yield state
        with open(path + ".new", "w", encoding="ascii") as file:
            json.dump(state, file)
        os.replace(path + ".new", path)
