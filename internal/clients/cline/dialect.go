// Package cline is the dialect of Cline CLI 3.0.65, recorded with the real client. Hooks are executables and run one
// after the other at an event. Their JSON counts at every exit code; every other failure fails open. A block cancels
// the whole run.
package cline

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is the dialect of Cline CLI.
var Dialect = &dialect.Dialect{
	Name:   "cline",
	Events: events,
	Run:    dialect.Schedule{Timeout: hookTimeout, MaxContext: 50_000},
	Hooks:  hooks{},
	Files:  files,
}

// Client is how the client calls hookrun, its tools, and how hookrun is installed in it.
var Client = &client.Client{
	Dialect:    Dialect,
	InputEvent: inputEvent,
	Detect:     func(c *dialect.Call) bool { return inputEvent(c.ClientInput) != "" },
	Read:       readInput,
	Answer: func(o protocol.Outcome) (client.Reply, error) {
		return client.AtExit0(output(o))
	},
	Errors:   client.ErrorByBlock,
	Tools:    tools,
	ToolName: toolName,
	MCP:      "SERVER__TOOL",
	Install:  install,
}

// hooks implements dialect.Hooks.
type hooks struct{ dialect.Base }

func (hooks) Event(c *dialect.Call) protocol.Event { return eventNamed(c) }

func (hooks) CallLimit() time.Duration { return hookTimeout - 10*time.Second }

const (
	clientName  = "Cline"
	hookTimeout = 2 * time.Minute // the client's limit for a hook, fixed

	before protocol.Event = "PreToolUse"
	after  protocol.Event = "PostToolUse"
)

// events are the names of the executables. The client waits for hooks at two of these events only.
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

// hookNames are the names of the events in hook inputs, in the same order.
var hookNames = []string{"agent_start", "agent_resume", "prompt_submit", "tool_call", "tool_result", "agent_end",
	"agent_abort", "agent_error", "session_shutdown"}

// readsAnswer reports whether an answer counts at the event. At all other events the client does not wait for hooks.
func readsAnswer(e protocol.Event) bool { return e == before || e == after }

// eventNamed returns the client's name for the call's event.
func eventNamed(c *dialect.Call) protocol.Event {
	return dialect.EventNamed(c, "UserPromptSubmit", before, after)
}

// inputEvent returns the event of a hook input, or "" if another client sent the input.
func inputEvent(doc string) protocol.Event {
	if at := slices.Index(hookNames, gjson.Get(doc, "hookName").String()); at >= 0 &&
		gjson.Get(doc, "clineVersion").Exists() {
		return events[at].Name
	}
	return ""
}

// tools lists the client's tools, each with the project's name.
var tools = []dialect.Tool{
	runCommands + " shell",
	"read_files fs_read",
	"editor fs_edit fs_write", // editor and apply_patch also make files
	"apply_patch fs_edit fs_write",
	"search_codebase fs_grep",
	"fetch_web_content web_fetch", "web_search web_search",
	"skills skill", "ask_question ask_user",
	"spawn_agent delegate", "team_spawn_teammate delegate", "team_run_task delegate",
	"team_send_message delegate", "team_broadcast delegate",
}

// toolName adds mcp__ to the name of an MCP tool, SERVER__TOOL in this client.
func toolName(c *dialect.Call) string {
	if strings.Contains(c.Tool, "__") && !strings.HasPrefix(c.Tool, "mcp__") {
		return "mcp__" + c.Tool
	}
	return ""
}
