// Package junie is the dialect of Junie CLI, taken from its documents and from public adapters: the client itself was
// not recorded. Its hooks are an early access feature. They have Claude Code's form, and the input names the project in
// project_path, since the client starts hooks in a folder of its own.
package junie

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/protocol"
)

const clientName = "Junie CLI"

// Dialect is the dialect of Junie CLI. Hooks run one after the other.
var Dialect = &dialect.Dialect{
	Name:   "junie",
	Events: events,
	Run:    dialect.Schedule{Timeout: 10 * time.Second},
	Hooks:  hooks{},
	Files:  files,
}

// Client is how the client calls hookrun, its tools, and how hookrun is installed in it.
var Client = &client.Client{
	Dialect: Dialect,
	Detect:  func(c *dialect.Call) bool { return c.Field("project_path") != "" },
	Read: func(c *dialect.Call, _ gjson.Result) {
		c.Workspace = c.Field("project_path")
		c.Dir = c.Workspace // cwd is the client's own folder
	},
	Answer: func(o protocol.Outcome) (client.Reply, error) {
		return client.AtExit0(output(o))
	},
	Errors:  client.ErrorByExitAndBlock,
	Tools:   tools,
	MCP:     "TOOL", // no document names the form
	Install: install,
}

// hooks implements dialect.Hooks.
type hooks struct{ dialect.Base }

func (hooks) Event(c *dialect.Call) protocol.Event { return dialect.ClaudeEvent(c) }

const before = "PreToolUse"

var events = dialect.Events{
	{Name: "SessionStart", Subject: "source", OnFailure: dialect.AlwaysOpen},
	{Name: "UserPromptSubmit", OnFailure: dialect.Open, Can: dialect.Block | dialect.Inject},
	{Name: before, Subject: "tool_name", OnFailure: dialect.Open, Can: dialect.Block},
	{Name: "PermissionRequest", Subject: "tool_name", OnFailure: dialect.AlwaysOpen},
	{Name: "Stop", OnFailure: dialect.AlwaysOpen},
	{Name: "StopFailure", OnFailure: dialect.AlwaysOpen},
	{Name: "SessionEnd", OnFailure: dialect.AlwaysOpen},
	{OnFailure: dialect.AlwaysOpen},
}

// tools lists the names that the client shows for its groups of tools, as Claude Code calls them.
var tools = []dialect.Tool{"Bash shell", "Read fs_read", "Write fs_write", "Edit fs_edit", "Glob fs_glob",
	"Grep fs_grep", "WebSearch web_search", "AskUserQuestion ask_user"}

// Encode passes on the client's own input, or builds one from the fields of the call.
func (hooks) Encode(c *dialect.Call) (dialect.Payload, []string, error) {
	event := dialect.ClaudeEvent(c)
	return client.EncodeInput(c, event, func(o *dialect.Object) {
		o.Text("hook_event_name", string(event))
		o.TextIfAny("session_id", c.SessionID)
		o.Text("cwd", cmp.Or(c.Dir, c.Workspace))
		o.Text("project_path", c.Workspace)
	}, func(o *dialect.Object) {
		if event == "UserPromptSubmit" {
			o.Text("prompt", c.Prompt)
		}
	})
}

// validWords shows the answers that block, for messages.
const validWords = `an answer that blocks is {"hookSpecificOutput": {"permissionDecision": "deny", ` +
	`"permissionDecisionReason": "…"}} before a tool, {"decision": "block", "reason": "…"} at the prompt, or exit 2`

// Decode reads an answer as Claude Code reads the words that both have. Exit 2 blocks, with stderr as the reason, and
// JSON counts at exit 0 alone.
func (hooks) Decode(c *dialect.Call, hook string, r *dialect.HookResult) dialect.Verdict {
	m := events.Of(dialect.ClaudeEvent(c))
	v := client.DecodeExit(m, hook, r)
	text := strings.TrimSpace(r.Stdout.All())
	object, isJSON := client.JSONValue(text)
	if v.Status != dialect.StatusOK || !isJSON || !object.IsObject() || r.Stdout.LeftOut() > 0 {
		return v
	}
	who := dialect.MessagePrefix(m.Name, hook)
	v = dialect.OK()
	top := dialect.LastOf(object)
	within := dialect.LastOf(top["hookSpecificOutput"])
	if m.Can&dialect.Inject != 0 {
		v.Context = dialect.StringOf(within["additionalContext"])
	}
	word, why := dialect.StringOf(top["decision"]), dialect.StringOf(top["reason"])
	if m.Name == before {
		word = cmp.Or(dialect.StringOf(within["permissionDecision"]), word)
		why = cmp.Or(dialect.StringOf(within["permissionDecisionReason"]), why)
	}
	decision, known := dialect.PermissionWords.Decision(word)
	if word == "block" {
		decision, known = protocol.Block, true
	}
	switch {
	case m.Can&dialect.Block != 0 && known && decision != protocol.Continue:
		v.Decide(decision, cmp.Or(why, "Blocked by a hook"))
	case m.Can&dialect.Block != 0 && word == "allow":
		v.Approve(why)
	case word != "" && word != "allow" && word != "approve" || top["continue"].Type == gjson.False:
		v.NoteDoubt(who, clientName, errors.New("it decides nothing at "+string(m.Name)+"; "+validWords))
	default:
		v.NoteDoubt(who, clientName, nearmiss.MisspelledBlock(object, validWords))
	}
	return client.DoubtEqualKeys(who, object, v)
}
