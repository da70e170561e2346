"""The cases that record.py gives the client: hooks in its config.toml, and their scripts."""

CASES = []


def SCRIPT(name, body):
    return {"content": f"#!/bin/sh\nH={name}; . ./hooks/rec.sh\n{body}\n", "mode": "0755"}


def hook(event="PreToolUse", command="./hooks/a.sh", **fields):
    import json
    lines = [f"event = {json.dumps(event)}", f"command = {json.dumps(command)}"]
    lines += [f"{k} = {v if isinstance(v, str) and v.startswith('=') else json.dumps(v)}".replace("= =", "= ")
              for k, v in fields.items()]
    return "[[hooks]]\n" + "\n".join(lines) + "\n"


def case(file, id, note, event="PreToolUse", config=None, scripts=None, files=None, expect=None, stdin=None,
         departs=None):
    scripts = {f"hooks/{n}.sh": SCRIPT(n, body) for n, body in (scripts or {"a": ":"}).items()}
    CASES.append({"file": file, "id": id, "note": note, "event": event, "config_text": config or hook(event),
                  "files": {**scripts, **(files or {})}, "expect": expect or {}, "stdin": stdin,
                  **({"departs": departs} if departs else {})})


def says(text):
    return f"cat <<'E'\n{text}\nE"


DENY = '{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "REASON"}}'

# What an exit code means.
for id, note, body in [
    ("exit0-silent", "exit 0, nothing said", ":"),
    ("exit0-text", "plain text", "echo MSG"),
    ("exit0-stderr", "text on stderr alone", "echo MSG >&2"),
    ("exit2-stderr", "exit 2", "echo REASON >&2; exit 2"),
    ("exit2-blanks", "white space around the reason is dropped", "printf '\\n\\n REASON \\n two \\n\\n' >&2; exit 2"),
    ("exit2-silent", "exit 2 without a word", "exit 2"),
    ("exit2-stdout", "the text on stdout is not read", "echo MSG; exit 2"),
    ("exit2-json-allow", "nor is JSON", says('{"hookSpecificOutput": {"permissionDecision": "allow"}}') + "\nexit 2"),
    ("exit2-json-deny", "nor is its reason", says(DENY) + "\necho STDERR >&2; exit 2"),
    ("exit1-stderr", "FAILS OPEN", "echo REASON >&2; exit 1"),
    ("exit1-json-deny", "FAILS OPEN: JSON beside exit 1 is not read", says(DENY) + "\nexit 1"),
    ("exit3", "FAILS OPEN", "exit 3"),
    ("exit255", "FAILS OPEN", "exit 255"),
    ("kill9", "FAILS OPEN", "kill -9 $$"),
    ("kill9-json-deny", "FAILS OPEN", says(DENY) + "\nkill -9 $$"),
    ("term-exit2", "exit 2 in its own trap", "trap 'exit 2' TERM; kill $$; sleep 1"),
]:
    case("exit", "pre-" + id, note, scripts={"a": body})
case("exit", "pre-command-missing", "FAILS OPEN: the program does not exist", config=hook(command="./hooks/absent.sh"))
case("exit", "pre-not-executable", "FAILS OPEN", config=hook(command="./note.txt"), files={"note.txt": "#!/bin/sh\n"})
case("exit", "pre-syntax", "a command that sh cannot parse ends with its code, 2: a block",
     config=hook(command="if then"))
case("exit", "pre-line", "a shell line", config=hook(command="./hooks/a.sh && echo REASON >&2 && exit 2"))

# What JSON means.
SPECIFIC = '{"hookSpecificOutput": {%s}}'
for id, note, text in [
    ("deny", "a deny", DENY),
    ("deny-no-reason", "a deny without a reason", SPECIFIC % '"permissionDecision": "deny"'),
    ("deny-empty-reason", "an empty reason", SPECIFIC % '"permissionDecision": "deny", "permissionDecisionReason": ""'),
    ("deny-blank-reason", "a reason of blanks",
     SPECIFIC % '"permissionDecision": "deny", "permissionDecisionReason": "  "'),
    ("deny-reason-blanks", "blanks around it",
     SPECIFIC % '"permissionDecision": "deny", "permissionDecisionReason": "  REASON \\n"'),
    ("deny-reason-number", "a reason that is no text",
     SPECIFIC % '"permissionDecision": "deny", "permissionDecisionReason": 7'),
    ("deny-message", "a message beside it is not the reason",
     '{"message": "MSG", "hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "REASON"}}'),
    ("deny-message-alone", "a message in the place of a reason",
     '{"message": "MSG", "hookSpecificOutput": {"permissionDecision": "deny"}}'),
    ("deny-message-list", "FAILS OPEN: a message that is a list loses the deny",
     '{"message": ["MSG"], "hookSpecificOutput": {"permissionDecision": "deny"}}'),
    ("deny-message-object", "FAILS OPEN: so does an object", SPECIFIC % '"permissionDecision": "deny", "message": {}'),
    ("deny-message-number", "a number is a text", SPECIFIC % '"permissionDecision": "deny", "message": 7'),
    ("deny-message-null", "null is none", SPECIFIC % '"permissionDecision": "deny", "message": null'),
    ("deny-upper", "FAILS OPEN: another letter", SPECIFIC % '"permissionDecision": "Deny"'),
    ("deny-other-event", "hookEventName is not looked at",
     SPECIFIC % '"hookEventName": "Stop", "permissionDecision": "deny", "permissionDecisionReason": "REASON"'),
    ("deny-unknown-keys", "keys that it does not know",
     '{"a": 1, "hookSpecificOutput": {"b": [], "permissionDecision": "deny", "permissionDecisionReason": "REASON"}}'),
    ("deny-updated-input", "a new input beside it",
     SPECIFIC % '"permissionDecision": "deny", "permissionDecisionReason": "REASON", "updatedInput": {"command": "x"}'),
    ("equal-keys", "the last of two equal keys counts",
     SPECIFIC % '"permissionDecision": "deny", "permissionDecision": "allow"'),
    ("equal-keys-deny", "the last of two equal keys counts",
     SPECIFIC % '"permissionDecision": "allow", "permissionDecision": "deny"'),
    ("allow", "an allow", SPECIFIC % '"permissionDecision": "allow", "permissionDecisionReason": "REASON"'),
    ("ask", "FAILS OPEN: nobody is asked", SPECIFIC % '"permissionDecision": "ask"'),
    ("defer", "FAILS OPEN", SPECIFIC % '"permissionDecision": "defer"'),
    ("updated-input", "no rewrite", SPECIFIC % '"permissionDecision": "allow", "updatedInput": {"command": "touch x"}'),
    ("context", "no context", SPECIFIC % '"additionalContext": "CTX"'),
    ("message", "a message before a tool is for nobody", '{"message": "MSG"}'),
    ("top-block", "FAILS OPEN: no decision at the top level", '{"decision": "block", "reason": "REASON"}'),
    ("top-deny", "FAILS OPEN: nor this one", '{"permissionDecision": "deny"}'),
    ("continue-false", "FAILS OPEN", '{"continue": false, "stopReason": "REASON"}'),
    ("system-message", "shown to nobody", '{"systemMessage": "MSG"}'),
    ("specific-list", "FAILS OPEN", '{"hookSpecificOutput": [{"permissionDecision": "deny"}]}'),
    ("specific-null", "no answer", '{"hookSpecificOutput": null}'),
    ("array", "FAILS OPEN", "[" + DENY + "]"),
    ("text-before", "FAILS OPEN", "checking\n" + DENY),
    ("text-behind", "FAILS OPEN", DENY + "\nchecked"),
    ("twice", "FAILS OPEN", DENY + "\n" + DENY),
    ("trailing-comma", "FAILS OPEN", DENY[:-1] + ",}"),
    ("truncated", "FAILS OPEN", DENY[:-3]),
    ("blanks", "white space around it", "\n\n  " + DENY + "\n\n"),
    ("number", "a number alone", "7"),
]:
    case("json", "json-" + id, note, scripts={"a": says(text)})
case("json", "json-bom", "behind a byte order mark", scripts={"a": "printf '\\357\\273\\277'\n" + says(DENY)})
case("json", "json-stderr", "FAILS OPEN: on stderr", scripts={"a": f"{{ {says(DENY)}\n}} >&2"})
case("json", "json-latin1", "a byte that is not UTF-8 in the reason",
     scripts={"a": "printf '%s\\377%s' '" + DENY[:-9] + "' 'REASON\"}}'"})

# At the prompt.
for id, note, body in [
    ("text", "plain text is context", "echo ' CTX '"),
    ("text-lines", "also of several lines", "printf 'CTX\\n\\ntwo\\n'"),
    ("message", "so is a message", says('{"message": "CTX"}')),
    ("message-specific", "also in there", says(SPECIFIC % '"message": "CTX"')),
    ("message-number", "also a number", says('{"message": 7}')),
    ("message-both", "the one at the top counts", says('{"message": "CTX", "hookSpecificOutput": {"message": "no"}}')),
    ("message-blank", "a blank one is none, so the whole of stdout is context", says('{"message": " "}')),
    ("message-list", "as where there is no message", says('{"message": ["CTX"]}')),
    ("json", "JSON without a message is context as it is", says('{"a": 1}')),
    ("empty-object", "also this", says("{}")),
    ("context", "additionalContext is no message", says(SPECIFIC % '"additionalContext": "CTX"')),
    ("broken-json", "broken JSON is text", says('{"CTX": ')),
    ("exit1", "FAILS OPEN: text beside another exit code is dropped", "echo CTX; exit 1"),
    ("exit2", "exit 2", "echo CTX; echo REASON >&2; exit 2"),
    ("exit2-silent", "exit 2 without a word", "exit 2"),
    ("deny", "a deny", says(DENY)),
    ("deny-no-reason", "a deny without a reason", says(SPECIFIC % '"permissionDecision": "deny"')),
    ("deny-message", "its message is what the user reads",
     says('{"message": "MSG", "hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "R"}}')),
    ("deny-message-list", "FAILS OPEN, and the deny is context",
     says('{"message": ["MSG"], "hookSpecificOutput": {"permissionDecision": "deny"}}')),
    ("block", "FAILS OPEN: the decision is context", says('{"decision": "block", "reason": "REASON"}')),
    ("silent", "nothing said", ":"),
]:
    case("prompt", "prompt-" + id, note, event="UserPromptSubmit", scripts={"a": body})
PROMPT = dict(event="UserPromptSubmit")
case("prompt", "prompt-two", "texts of two hooks, in the order of the file", **PROMPT,
     config=hook("UserPromptSubmit") + hook("UserPromptSubmit", "./hooks/b.sh"),
     scripts={"a": "sleep 0.5; echo ONE", "b": "echo TWO"})
case("prompt", "prompt-text-and-block", "a block beside a text", **PROMPT,
     config=hook("UserPromptSubmit") + hook("UserPromptSubmit", "./hooks/b.sh"),
     scripts={"a": "echo ONE", "b": "echo REASON >&2; exit 2"}, expect={"any": ["inject"]})
case("prompt", "prompt-matchers", "a matcher is held against the prompt", **PROMPT, config="".join(
    hook("UserPromptSubmit", f"./hooks/mark.sh p{i:02}", matcher=m)
    for i, m in enumerate(["", "go", "^go$", "^g", "GO", "*", ".*", "x"])))
case("prompt", "prompt-timeout", "FAILS OPEN: what it printed before its timeout is dropped", **PROMPT,
     config=hook("UserPromptSubmit", timeout=1), scripts={"a": "echo CTX; exec sleep 20"})

# After a tool nothing counts, and nobody waits.
for id, note, body in [
    ("exit2", "exit 2", "echo REASON >&2; exit 2"), ("text", "text", "echo CTX"),
    ("deny", "a deny", says(DENY)), ("message", "a message", says('{"message": "CTX"}')),
    ("context", "additionalContext", says(SPECIFIC % '"additionalContext": "CTX"')),
    ("output", "another result", says(SPECIFIC % '"updatedToolOutput": "X"')),
    ("block", "a block", says('{"decision": "block", "reason": "REASON"}')),
]:
    # The client may have ended before the hook has.
    case("post", "post-" + id, note + " after a tool: nothing comes of it", event="PostToolUse", scripts={"a": body},
         expect={"ran": ["a"]})
    if id in ("exit2", "deny"):
        case("post", "postfail-" + id, note + " after a tool that failed: nothing comes of it",
             event="PostToolUseFailure", scripts={"a": body}, expect={"ran": ["a"]})

# The end of a turn, and the start of a session.
for id, note, body in [
    ("silent", "nothing said", ":"), ("text", "text", "echo MSG"),
    ("exit2", "exit 2: the agent goes on, once", "echo REASON >&2; exit 2"),
    ("exit2-silent", "without a word", "exit 2"), ("exit1", "FAILS OPEN", "echo REASON >&2; exit 1"),
    ("deny", "a deny", says(DENY)), ("block", "nothing comes of it", says('{"decision": "block", "reason": "R"}')),
]:
    case("stop", "stop-" + id, note, event="Stop", scripts={"a": body})
for id, body in [("text", "echo CTX"), ("exit2", "echo REASON >&2; exit 2"), ("deny", says(DENY))]:
    case("session", "session-start-" + id, "nothing comes of it", event="SessionStart", scripts={"a": body})
case("session", "session-start-matchers", "a matcher is held against the source", event="SessionStart",
     config="".join(hook("SessionStart", f"./hooks/mark.sh p{i:02}", matcher=m)
                    for i, m in enumerate(["startup", "start", "resume", "", "Startup"])))

# Several hooks.
TWO = hook() + hook(command="./hooks/b.sh")
case("several", "several-deny-deny", "the first in the file gives the reason, though it is the slower", config=TWO,
     scripts={"a": "sleep 0.5; echo ONE >&2; exit 2", "b": "echo TWO >&2; exit 2"})
case("several", "several-allow-deny", "a deny counts whatever others say", config=TWO,
     scripts={"a": says(SPECIFIC % '"permissionDecision": "allow"'), "b": says(DENY)})
case("several", "several-exit1-deny", "also beside a failure", config=TWO, scripts={"a": "exit 1", "b": says(DENY)})
case("several", "several-overlap", "they run at once", config=TWO, scripts={"a": "sleep 1", "b": "sleep 1"},
     expect={"overlapped": True})
case("several", "several-same", "equal commands run once", config=hook() + hook(), scripts={"a": ":"})
case("several", "several-same-matchers", "also under two matchers that both match",
     config=hook(matcher="Bash") + hook(matcher="^B"), scripts={"a": ":"})
case("several", "several-same-second", "the first of them does not match", config=hook(matcher="X") + hook(matcher="^B"),
     scripts={"a": ":"})
case("several", "several-same-timeouts", "the first counts, with its timeout",
     config=hook(matcher="Ba", timeout=20) + hook(matcher="Bas", timeout=1),
     scripts={"a": "sleep 2; echo REASON >&2; exit 2"})
case("several", "several-events", "the same command at two events",
     config=hook() + hook("PostToolUse"), scripts={"a": ":"}, expect={"ran": ["a"], "runs": {"a": 1}})

# Matchers.
PATTERNS = ["Bash", "Ba", "^Bash$", "^B", "sh$", "bash", "BASH", "", "*", ".*", "Bash|Edit", "Edit|Write", "Edit | Bash",
            " Bash", "B.sh", "[", "(", "(?i)bash", "^(Bash|Edit)$", "(?!Bash)", "^(?!Bash)", "mcp__.*", "\\w+", "B\\x61sh",
            "Bash,Edit", "!Bash", "|", "Edit|", "B{1}ash", "(?<n>B)ash", "\\p{L}", "^$"]
case("match", "match-tool", "JavaScript's regular expressions, found anywhere in the tool's name", config="".join(
    hook(command=f"./hooks/mark.sh p{i:02}", matcher=m) for i, m in enumerate(PATTERNS)))
case("match", "match-stop", "at Stop there is nothing that a matcher is held against", event="Stop", config="".join(
    hook("Stop", f"./hooks/mark.sh p{i:02}", matcher=m) for i, m in enumerate(["", "Bash", ".*", "^$", "*"])))

# The process.
case("process", "proc-basic", "cwd, session, environment, stdin", expect={"hook_stdin": True})
case("process", "proc-arguments", "what a command is given", config=hook(command="./hooks/a.sh 'x y' $HOME$((1+1))"),
     scripts={"a": 'printf "%s|" "$#" "$1" >"$ORACLE_REC/args"'}, expect={"notes": {"args": "2|x y|"}})
case("process", "proc-shell", "it is sh, not bash", config=hook(command='./hooks/a.sh; test -z "$BASH_VERSION" || exit 2'))
case("process", "proc-ignores-stdin", "stdin is never read", config=hook(command="exec <&-; echo REASON >&2; exit 2"))
case("process", "proc-timeout", "FAILS OPEN", config=hook(timeout=1),
     scripts={"a": "echo REASON >&2; sleep 20; exit 2"})
case("process", "proc-timeout-deny", "FAILS OPEN: printed before the timeout", config=hook(timeout=1),
     scripts={"a": says(DENY) + "\nexec sleep 20"})
case("process", "proc-timeout-exit2-on-term", "FAILS OPEN: it exits with 2 when it is told to end",
     config=hook(timeout=1), scripts={"a": "trap 'echo REASON >&2; exit 2' TERM; sleep 20 & wait"})
case("process", "proc-bg-closed", "leaves a child behind with closed output",
     scripts={"a": "sleep 6 >/dev/null 2>&1 &"}, expect={"left_running": True})
case("process", "proc-bg-holds-stdout-deny",
     "denies at once, and a child holds stdout",
     departs="the client waits for the child, and the deny counts then; hookrun does not wait",
     scripts={"a": "sleep 4 &\n" + says(DENY)}, expect={"left_running": True, "max_ms": 3500})
case("process", "proc-bg-holds-stdout-timeout",
     "denies at once, and a child holds stdout until the timeout",
     departs="the client FAILS OPEN; hookrun takes the deny",
     config=hook(timeout=1), scripts={"a": "sleep 6 &\n" + says(DENY)},
     expect={"decision": "block", "reason": "REASON", "left_running": True})
case("process", "proc-env", "no variables of the client's own",
     scripts={"a": 'env | grep -E "^(KIMI|CLAUDE|.*PROJECT_DIR)" | grep -v NO_AUTO_UPDATE >"$ORACLE_REC/own"; :'},
     expect={"notes": {"own": ""}})

# Faults of the file.
OK = hook(command="./hooks/b.sh")
for id, note, text in [
    ("timeout-0", "timeout 0", hook(timeout=0)), ("timeout-601", "timeout 601", hook(timeout=601)),
    ("timeout-600", "the longest timeout", hook(timeout=600)), ("timeout-1", "the shortest", hook(timeout=1)),
    ("timeout-fraction", "timeout 1.5", hook(timeout=1.5)), ("timeout-float", "timeout 2.0", hook(timeout=2.0)),
    ("timeout-negative", "timeout -1", hook(timeout=-1)), ("timeout-text", "a timeout that is a text", hook(timeout="5")),
    ("unknown-key", "an unknown key", hook(name="x")), ("type-key", "Claude's type", hook(type="command")),
    ("unknown-event", "an unknown event", hook("BeforeTool")), ("event-case", "an event in other letters",
                                                                hook("pretooluse")),
    ("event-missing", "no event", '[[hooks]]\ncommand = "./hooks/a.sh"\n'),
    ("command-empty", "an empty command", hook(command="")), ("command-blank", "a command of a blank", hook(command=" ")),
    ("command-missing", "no command", '[[hooks]]\nevent = "PreToolUse"\n'),
    ("command-list", "a command that is a list", hook(command=["./hooks/a.sh"])),
    ("matcher-number", "a matcher that is a number", hook(matcher=7)),
    ("matcher-empty", "an empty matcher", hook(matcher="")),
    ("entry-number", "an entry that is no table", None),
    ("upper-key", "a key in other letters", '[[hooks]]\nEvent = "PreToolUse"\ncommand = "./hooks/a.sh"\n'),
]:
    config = "hooks = [7]\n" if text is None else text + OK
    case("config", "cfg-" + id, note, config=config, scripts={"a": ":", "b": ":"})
case("config", "cfg-table", "hooks is a table", config='[hooks]\nx = 1\n')
case("config", "cfg-codex-form", "Codex's form",
     config='[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "./hooks/a.sh"\n')
case("config", "cfg-text", "hooks is a text", config='hooks = "x"\n')
case("config", "cfg-other-keys", "other sections of the client's, and unknown ones",
     config='[unknown]\nx = 1979-05-27\n' + hook() + '[thinking]\nenabled = false\n')
case("config", "cfg-broken", "broken TOML: the client has no model then, and ends", config=hook() + "x = \n")
case("config", "cfg-equal-keys", "a key twice, which is no TOML: the same", config=hook() + 'event = "Stop"\n')

# What a hook is given.
for event in ("UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "SessionStart", "TurnStarted",
              "TaskStarted"):
    case("given", "given-" + event, "stdin at " + event, event=event, scripts={"a": ":"},
         expect={"ran": ["a"], "hook_stdin": True})
