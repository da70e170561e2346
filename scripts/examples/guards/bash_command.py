# Shared by the guards of shell commands: a call's command, and the exports that bash_env.py puts before it.
# Use: from bash_command import command, exports, folded
import guards
import shlex  # after guards, which moves this folder to the end of the path


def exports(call):
    """What bash_env.py puts before a command; empty if no workspace is known."""
    place = guards.workspace(call)
    if not place:
        return ""
    return "export CURRENT_SESSION_WORKSPACE=%s; export UA_ARTIFACTS_DIR=%s; " % (shlex.quote(place), shlex.quote(guards.artifacts(call)))


def command(call):
    """The command without those exports. Later guards see them, and a folder called site.html or pdf must not decide about
    the command. Only the exact text is cut off, so nothing that runs is hidden."""
    said = guards.command(call)
    return said.removeprefix(exports(call))


def folded(call):
    """The command for matching words: in lower case, with one space for any white space or continued line."""
    return " ".join(command(call).replace("\\\n", " ").lower().split())
