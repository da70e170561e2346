#!/usr/bin/env python3
# An agent loop around hookrun, in Python. Its model is a script with one shell call per line: {"command":"ls"}.
# Use: PROMPT='tidy up' agent-loop.py [FILE], in the workspace. Prints what the model would see; exits as hookrun.
import json, os, subprocess, sys, tempfile

PROMPT = os.environ.get("PROMPT") or "Do what the script says."
PROMPT_FILE = tempfile.NamedTemporaryFile(buffering=0)  # a prompt may be too long for a command line, or start with @
PROMPT_FILE.write(os.fsencode(PROMPT))
EVERY_CALL = ["--output", "json", "--prompt", "@" + PROMPT_FILE.name, "--session-id", "loop-%d" % os.getpid()]

def say(role, content):
    print(json.dumps({"role": role, "content": content}), flush=True)

def run_hooks(*flags, stdin=""):
    """Returns the outcome and its texts for the model. Without an outcome the loop ends."""
    try:
        run = subprocess.run([os.environ.get("HOOKRUN") or "hookrun", *flags, *EVERY_CALL], input=stdin.encode(), stdout=subprocess.PIPE)
    except OSError as error:
        sys.exit("agent-loop: hookrun cannot be started: %s" % error)
    if run.returncode not in (0, 2, 3):
        sys.exit("agent-loop: the hooks could not run, so the loop ends")
    outcome = json.loads(run.stdout)
    warnings = outcome.get("warnings", []) if run.returncode else []  # else they are on stderr already
    for line in ["warning: " + w for w in warnings] + ["message: " + m for m in outcome.get("system_messages", [])]:
        print("hookrun:", "".join(c if c.isprintable() else " " for c in line), file=sys.stderr)
    return outcome, [inject["content"] for inject in outcome.get("inject", [])]

def end_if_stopped(outcome):
    if outcome.get("stop"):  # hookrun's exit code is 3
        sys.exit(say("stopped", outcome["stop_reason"]) or 3)

def shell(args):
    """The tool itself: returns its result, and the flags of a failure."""
    try:
        run = subprocess.run(["sh", "-c", json.loads(args)["command"]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except (OSError, LookupError, TypeError, ValueError) as error:
        return "shell cannot run this: %r" % error, ["--failed"]
    text = run.stdout.decode(errors="replace")
    return (text + "exit code %d" % run.returncode, ["--failed"]) if run.returncode else (text, [])

def call_tool(args):
    pre, texts = run_hooks("pre-tool", "--tool", "shell", "--args", "-", stdin=args)
    end_if_stopped(pre)
    args = json.dumps(pre["updated_input"]) if "updated_input" in pre else args
    result, flags = shell(args) if pre["decision"] == "continue" else (pre["reason"], ["--blocked"])
    with tempfile.NamedTemporaryFile(buffering=0) as file:
        file.write(args.encode())
        post, more = run_hooks("post-tool", "--tool", "shell", "--args", "@" + file.name, "--result", "-", *flags, stdin=result)
    output = post.get("updated_output", result)
    result, reason = output if isinstance(output, str) else json.dumps(output), post.get("reason")
    if post["decision"] != "continue" and post["cause"] != "policy":
        result, reason = reason, ""  # a hook that must check it has failed
    say("tool", "\n\n".join(filter(None, [result, *texts, *more, reason])))
    end_if_stopped(post)

begin, texts = run_hooks("pre-execute")
end_if_stopped(begin)
if begin["decision"] != "continue":
    sys.exit(say("blocked", begin["reason"]) or 2)
say("user", "\n\n".join([PROMPT, *texts]))
for line in filter(str.strip, open(sys.argv[1] if len(sys.argv) > 1 else 0, encoding="utf-8", errors="replace")):
    say("call", line.rstrip("\n"))
    call_tool(line)
