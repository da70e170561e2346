# What the guards of shell commands share: the command of a call, and the exports that bash_env.py puts before it.
# Use: from bash_command import command, exports, folded
import guards
import shlex  # after guards, which moves this folder to the end of the path


def exports(call):
    """What bash_env.py puts before a command, or a blank text where nobody knows a workspace."""
    place = guards.workspace(call)
    if not place:
        return ""
    return "export CURRENT_SESSION_WORKSPACE=%s; export UA_ARTIFACTS_DIR=%s; " % (shlex.quote(place), shlex.quote(guards.artifacts(call)))


def command(call):
    """The command without those exports. A guard that comes later sees them, and a folder called site.html or pdf must neither
    let a command pass nor hold it up. Only the very text is cut off, so nothing that runs is hidden."""
    said = guards.command(call)
    return said.removeprefix(exports(call))


def folded(call):
    """The command as a list of words is held against it: in lower case, each white space or continued line one blank."""
    return " ".join(command(call).replace("\\\n", " ").lower().split())
