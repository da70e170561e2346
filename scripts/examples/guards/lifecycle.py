# What the lifecycle hooks share: where their files are, one JSON line more, and a state that parallel hooks change in turns.
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
    """A path of a flag: relative ones are of the workspace. Its folder is there afterwards."""
    path = os.path.join(workspace(call) or ".", path)
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    return path


def taken(call, *keys):
    """These fields of the call, as far as they are texts; the file must not grow by what a strange client puts there."""
    return {key: call[key][:2000] for key in keys if isinstance(call.get(key), str) and call[key]}


def append(path, record):
    """Adds a line. It is one write at the end of the file, so lines of parallel hooks do not mix."""
    line = json.dumps(record).encode() + b"\n"
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK, 0o600)  # nobody may ever read a pipe
    try:
        os.write(file, line)
    finally:
        os.close(file)


@contextlib.contextmanager
def kept(path):
    """The JSON object in a file, to be changed; a file that is missing is an empty one. Parallel hooks take turns by a lock,
    which opens when its holder dies. It has a file of its own, since the state is replaced by a rename: nobody reads half."""
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
