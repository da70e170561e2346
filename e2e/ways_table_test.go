//go:build unix

package e2e

import (
	"fmt"
	"strings"

	"github.com/hookrun/hookrun/queue"
)

// Entries of hooks files.
const (
	auditEntry = `{"name": "audit", "events": ["post-tool"], "command": "cat >>audit.jsonl"}`
	blockEntry = `{"name": "guard", "events": ["pre-tool"], "command": "echo no >&2; exit 2"}`
	askEntry   = `{"name": "asks", "events": ["pre-tool"], "command": "echo '{\"hookSpecificOutput\":` +
		`{\"permissionDecision\":\"ask\",\"permissionDecisionReason\":\"who may?\"}}'"}`
)

// wayHook is an entry whose hook prints a text. Its name is the event.
func wayHook(event, prints string) string {
	return fmt.Sprintf(`{"name": %q, "events": [%q], "command": ["printf", "%%s", %q]}`, event, event, prints)
}

// wayShell is an entry whose hook is a line for sh.
func wayShell(event, line string, more ...string) string {
	return fmt.Sprintf(`{"name": "hook", "events": [%q], "command": %q%s}`, event, line,
		strings.Join(append([]string{""}, more...), ", "))
}

const (
	rewriteAnswer = `{"hookSpecificOutput":{"updatedInput":{"command":"ls -l"}}}`
	redactAnswer  = `{"hookSpecificOutput":{"updatedToolOutput":"[removed]"}}`
	stopAnswer    = `{"continue":false,"stopReason":"enough"}`
	blockAnswer   = `{"decision":"block","reason":"not this"}`

	textEntry = `{"name": "texts", "events": ["post-tool"], "command": "echo after"}`
)

var (
	ranLs    = []map[string]any{{"command": "ls"}}
	ranLsL   = []map[string]any{{"command": "ls -l"}}
	ranAfter = []string{"PostToolUse: ran"}
)

var waysTable = []wayRow{
	{name: "no hooks", hooks: auditEntry, want: wayResult{Text: "ran", Ran: ranLs, After: ranAfter}},
	{name: "block", hooks: blockEntry, want: wayResult{Text: "no"}},
	{name: "block, then the hooks after the tool", hooks: blockEntry + "," + auditEntry + "," +
		wayHook("post-tool", "noted"), want: wayResult{Text: "no\n\nnoted", After: []string{"PostToolUse: no"}}},
	{name: "block, then a stop", hooks: blockEntry + "," + auditEntry + "," + wayHook("post-tool", stopAnswer),
		want: wayResult{Text: "no", Stop: "enough", After: []string{"PostToolUse: no"}}},
	{name: "block, then a change of the reason", hooks: blockEntry + "," + wayHook("post-tool", redactAnswer),
		want: wayResult{Text: "[removed]"}},
	{name: "block, then hooks of a client that has no such event", hooks: blockEntry + "," +
		`{"name": "audit", "events": ["post-tool"], "command": "cat >>audit.jsonl", "dialect": "codex"}`,
		want: wayResult{Text: "no"}},
	{name: "defer", hooks: auditEntry + "," + wayHook("pre-tool",
		`{"hookSpecificOutput":{"permissionDecision":"defer","permissionDecisionReason":"later"}}`),
		want: wayResult{Text: "later", After: []string{"PostToolUse: later"}}},
	{name: "rewrite", hooks: wayHook("pre-tool", rewriteAnswer) + "," + auditEntry,
		want: wayResult{Text: "ran", Ran: ranLsL, After: ranAfter}},
	{name: "inject", hooks: wayHook("pre-tool", "before") + "," + wayHook("post-tool", "after"),
		want: wayResult{Text: "ran\n\nbefore\n\nafter", Ran: ranLs}},
	{name: "texts of the queue", hooks: wayHook("pre-tool", "before") + "," + wayHook("post-tool", "after"),
		queue: []queue.Entry{{Session: "s1", Content: "one"}, {Session: "s1", Content: "two", Strategy: "user_message"},
			{Session: "s2", Content: "of another session"}},
		want: wayResult{Text: "ran\n\nbefore\n\nafter\n\none\n\ntwo", Ran: ranLs}},
	{name: "texts of the queue after a block", hooks: blockEntry,
		queue: []queue.Entry{{Session: "s1", Content: "one"}}, want: wayResult{Text: "no\n\none"}},
	{name: "message to the user", hooks: wayHook("pre-tool", `{"systemMessage":"good luck"}`),
		want: wayResult{Text: "ran", Ran: ranLs, Told: []string{"good luck"}}},
	{name: "feedback", hooks: wayHook("post-tool", blockAnswer) + "," + textEntry,
		want: wayResult{Text: "ran\n\nafter\n\nnot this", Ran: ranLs}},
	{name: "change of the result", hooks: wayHook("post-tool", redactAnswer),
		want: wayResult{Text: "[removed]", Ran: ranLs}},
	{name: "change of the result into an object",
		hooks: wayHook("post-tool", `{"hookSpecificOutput":{"updatedToolOutput":{"rows":["é"]}}}`) + "," + textEntry,
		want:  wayResult{Text: `{"rows":["é"]}` + "\n\nafter", Ran: ranLs}},
	{name: "withheld result", hooks: wayHook("pre-tool", "before") + "," +
		wayShell("post-tool", "kill -9 $$", `"on_failure": "block"`), want: wayResult{
		Text: "post-tool hook 'hook' was killed by SIGKILL\n\nbefore", Ran: ranLs}},
	{name: "failing tool", hooks: auditEntry, call: wayCall{Fails: true},
		want: wayResult{Text: "no such file", Ran: ranLs, After: []string{"PostToolUseFailure: no such file"}}},
	{name: "failing tool and a text", hooks: wayHook("post-tool", "look into the log"), call: wayCall{Fails: true},
		want: wayResult{Text: "no such file\n\nlook into the log", Ran: ranLs}},
	{name: "stop before the tool", hooks: wayHook("pre-tool", stopAnswer) + "," + auditEntry,
		want: wayResult{Stop: "enough"}},
	{name: "stop before the tool, without a reason", hooks: wayHook("pre-tool", `{"continue":false}`),
		want: wayResult{Stop: "Stopped by project hook 'pre-tool'"}},
	{name: "stop after the tool", hooks: wayHook("post-tool", stopAnswer),
		want: wayResult{Text: "ran", Stop: "enough", Ran: ranLs}},
	{name: "ask, and nobody is there", hooks: askEntry + "," + auditEntry,
		want: wayResult{Text: "who may?", After: []string{"PostToolUse: who may?"}}},
	{name: "ask, and a person says yes", hooks: askEntry + "," + wayHook("pre-tool", rewriteAnswer) + "," + auditEntry,
		call: wayCall{Ask: "yes"}, want: wayResult{Text: "ran", Ran: ranLsL, After: ranAfter}},
	{name: "ask, and a person says no", hooks: askEntry + "," + auditEntry, call: wayCall{Ask: "no"},
		want: wayResult{Text: "a person said no: who may?", After: []string{
			"PostToolUse: a person said no: who may?"}}},
	{name: "a person is not asked about a block", hooks: askEntry + "," + blockEntry, call: wayCall{Ask: "yes"},
		want: wayResult{Text: "no"}},
	{name: "no hooks file", want: wayResult{Text: "ran", Ran: ranLs}},
	{name: "no hooks file, and hooks are required", call: wayCall{Require: true},
		want: wayResult{Error: " needs "}},
	{name: "hooks are required, and there are some", hooks: blockEntry, call: wayCall{Require: true},
		want: wayResult{Text: "no"}},
	{name: "bad hooks file", file: `{"hooks": [{"name": "x", "comand": "true"}]}`,
		want: wayResult{Error: `.tenex-hooks.json:1:`}},
	{name: "hook over its timeout", hooks: wayShell("pre-tool", "sleep 60", `"timeout": "200ms"`), want: wayResult{
		Text: "ran", Ran: ranLs, Told: []string{"pre-tool hook 'hook' timed out after 200ms; continuing"}}},
	{name: "gate over its timeout", hooks: auditEntry + "," +
		wayShell("pre-tool", "sleep 60", `"timeout": "200ms"`, `"on_failure": "block"`), want: wayResult{
		Text: "pre-tool hook 'hook' timed out after 200ms", After: []string{
			"PostToolUse: pre-tool hook 'hook' timed out after 200ms"}}},
	{name: "gate killed by a signal", hooks: wayShell("pre-tool", "kill -9 $$"), want: wayResult{
		Text: "Tool call blocked by project hook 'hook' (killed by SIGKILL, nothing on stderr)"}},
	{name: "block, then a hook that fails", hooks: blockEntry + "," + wayShell("post-tool", "kill -9 $$"),
		want: wayResult{Text: "no", Told: []string{
			"post-tool hook 'hook' was killed by SIGKILL; ignored, the tool did not run"}}},
	{name: "names of tools", file: `{"tools": {"terminal": "shell"}, "hooks": [{"name": "r", "block": "no listing",
		"events": ["pre-tool"], "if": "shell(ls)"}]}`, call: wayCall{Tool: "terminal"},
		want: wayResult{Text: "no listing"}},
	{name: "hooks that nobody has allowed", hooks: blockEntry, call: wayCall{Env: map[string]string{
		"HOOKRUN_TRUST": "required"}}, want: wayResult{Text: "ran", Ran: ranLs, Told: []string{"hookrun: the hooks " +
		"of DIR do not run, since nobody has allowed them; look at them and run: hookrun allow DIR (there is no " +
		"record of them in STATE/hookrun)"}}},
	{name: "prompt", hooks: wayHook("pre-execute", "The build is run by make."), call: wayCall{Prompt: "fix it"},
		want: wayResult{Text: "fix it\n\nThe build is run by make."}},
	{name: "block of a prompt", hooks: wayHook("pre-execute", blockAnswer), call: wayCall{Prompt: "fix it"},
		want: wayResult{Text: "not this"}},
	{name: "stop at a prompt", hooks: wayHook("pre-execute", stopAnswer), call: wayCall{Prompt: "fix it"},
		want: wayResult{Stop: "enough"}},
}
