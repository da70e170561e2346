// Package cline is the dialect of Cline CLI 3.0.65, as the real client was recorded. Its hooks are executables, one
// after the other at an event. What they print as JSON counts at every exit code; whatever else goes wrong fails open.
// A block cancels the whole run.
package cline

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is the dialect of Cline CLI.
var Dialect = &dialect.Dialect{
	Name:   "cline",
	Events: events,
	Causes: dialect.ProcessCauses,
	Run:    dialect.Schedule{Timeout: patience, MaxContext: 50_000},
	Hooks:  hooks{},
	Client: &dialect.Client{
		Detect: func(c *dialect.Call) bool { return inputEvent(c.ClientInput) != "" },
		Read:   readInput,
		Reply: func(o protocol.Outcome) (dialect.Reply, error) {
			return dialect.AtExit0(output(o))
		},
		Errors:   dialect.ErrorByBlock,
		Tools:    tools,
		ToolName: toolName,
	},
	Files:   files,
	Install: install,
}

// hooks are the client's hooks, with the defaults of dialect.Base.
type hooks struct{ dialect.Base }

func (hooks) Event(c *dialect.Call) protocol.Event { return eventNamed(c.Event) }

func (hooks) CallLimit() time.Duration { return patience - 10*time.Second }

func (hooks) InputEvent(doc string) protocol.Event { return inputEvent(doc) }

const (
	client   = "Cline"
	patience = 2 * time.Minute // the client's, for a hook; nothing changes it

	before protocol.Event = "PreToolUse"
	after  protocol.Event = "PostToolUse"
)

// events are the names of executables. At all but two the client does not wait for its hooks.
var events = dialect.Events{
	{Name: "TaskStart", OnFailure: dialect.AlwaysOpen},
	{Name: "TaskResume", OnFailure: dialect.AlwaysOpen},
	{Name: "UserPromptSubmit", OnFailure: dialect.AlwaysOpen},
	{Name: before, Subject: "tool_name", OnFailure: dialect.Open, Can: dialect.Block | dialect.Inject},
	{Name: after, Subject: "tool_name", OnFailure: dialect.Open, Can: dialect.Block | dialect.Inject},
	{Name: "TaskComplete", OnFailure: dialect.AlwaysOpen},
	{Name: "TaskCancel", OnFailure: dialect.AlwaysOpen},
	{Name: "TaskError", OnFailure: dialect.AlwaysOpen},
	{Name: "SessionShutdown", OnFailure: dialect.AlwaysOpen},
	{OnFailure: dialect.AlwaysOpen},
}

// hookNames are what their inputs call them, in the order of events.
var hookNames = []string{"agent_start", "agent_resume", "prompt_submit", "tool_call", "tool_result", "agent_end",
	"agent_abort", "agent_error", "session_shutdown"}

// holds reports whether an answer counts at the event. At all others the client does not wait for its hooks.
func holds(e protocol.Event) bool { return e == before || e == after }

// eventNamed returns the client's name for an event.
func eventNamed(e protocol.Event) protocol.Event {
	return dialect.EventNamed(e, "UserPromptSubmit", before, after)
}

// inputEvent is the event of a hook input of this client, "" for an input of another one.
func inputEvent(doc string) protocol.Event {
	if at := slices.Index(hookNames, gjson.Get(doc, "hookName").String()); at >= 0 &&
		gjson.Get(doc, "clineVersion").Exists() {
		return events[at].Name
	}
	return ""
}

// tools are the client's tools by the names that projects have for such tools.
var tools = []dialect.Tool{
	runCommands + " shell",
	"read_files fs_read",
	"editor fs_edit fs_write", // it makes files, too; so does apply_patch
	"apply_patch fs_edit fs_write",
	"search_codebase fs_grep",
	"fetch_web_content web_fetch", "web_search web_search",
	"skills skill", "ask_question ask_user",
	"spawn_agent delegate", "team_spawn_teammate delegate", "team_run_task delegate",
	"team_send_message delegate", "team_broadcast delegate",
}

// toolName writes the name of an MCP tool as all the others do. The client joins server and tool by two underscores.
func toolName(c *dialect.Call) string {
	if strings.Contains(c.Tool, "__") && !strings.HasPrefix(c.Tool, "mcp__") {
		return "mcp__" + c.Tool
	}
	return ""
}
