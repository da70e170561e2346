// Package cursor is the dialect of Cursor's hooks. The rules come from the client's documents and were not tried with
// the client. If the documents leave a case open, the rule that blocks is used.
package cursor

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is the dialect of events for all tools, and of all events without a tool.
var Dialect = &dialect.Dialect{
	Name:   "cursor",
	Events: events,
	Others: true,
	Run:    dialect.Schedule{Timeout: time.Minute, Parallel: true}, // the documents name no timeout
	Hooks:  hooks{},
	Files:  files,
}

// Client is how the client calls hookrun, its tools, and how hookrun is installed in it.
var Client = &client.Client{
	Dialect: Dialect,
	Detect:  func(c *dialect.Call) bool { return c.Field("cursor_version") != "" },
	Read:    readInput,
	Answer: func(o protocol.Outcome) (client.Reply, error) {
		return client.AtExit0(hookOutput(o))
	},
	ProjectVariable: "CURSOR_PROJECT_DIR",
	Tools:           tools,
	ToolName:        toolName,
	MCP:             mcpPrefix + "TOOL",
	Install:         install,
}

// hooks implements dialect.Hooks.
type hooks struct{ dialect.Base }

func (hooks) Event(c *dialect.Call) protocol.Event { return eventOf(c) }

// OnFailure always fails closed after an unreadable answer about a permission. A hook that cannot be started may be a
// gate, so it fails closed too, unless a policy says otherwise.
func (hooks) OnFailure(e dialect.Event, f dialect.Fault) dialect.OnFailure {
	switch {
	case f.Cause == protocol.CauseOutput && e.Can&permits != 0:
		return dialect.AlwaysClosed
	case f.Cause == protocol.CauseUnstarted && e.Can&(permits|submits) != 0:
		return dialect.Closed
	}
	return e.OnFailure
}

// FollowsEntry is true: Cursor reads Claude Code's answers from the entries in Claude Code's settings.
func (hooks) FollowsEntry() bool { return true }

func (hooks) Encode(c *dialect.Call) (dialect.Payload, []string, error) { return payload(c) }

func (hooks) Decode(c *dialect.Call, hook string, r *dialect.HookResult) dialect.Verdict {
	return decode(eventOf(c), hook, r)
}

// Variants returns the hooks of events for all tools, then those for one kind of tool: at a call they run in this
// order.
func (hooks) Variants() []*dialect.Dialect { return []*dialect.Dialect{Dialect, oneKind.Get()} }

// oneKind is the dialect of events for one kind of tool.
var oneKind = lazy.Value[*dialect.Dialect]{Make: func() *dialect.Dialect {
	d := *Dialect
	d.Hooks, d.Events = oneKindHooks{}, nil
	for _, e := range events {
		if kindOf(e.Name) != "" {
			d.Events = append(d.Events, e)
		}
	}
	return &d
}}

// oneKindHooks implements dialect.Hooks for events for one kind of tool.
type oneKindHooks struct{ hooks }

func (oneKindHooks) Event(c *dialect.Call) protocol.Event {
	if kindOf(c.Event) == "" {
		return ""
	}
	return c.Event
}

func (oneKindHooks) ToolEvent(c *dialect.Call, names []string) protocol.Event {
	if kindOf(c.Event) != "" {
		return c.Event
	}
	moment, general := c.Common(), eventOf(c)
	if moment != protocol.PreTool && moment != protocol.PostTool || general == "postToolUseFailure" {
		return ""
	}
	for _, e := range events {
		if kind := kindOf(e.Name); kind != "" && e.CommonName() == moment && isKind(c.Tool, names, kind) {
			return e.Name
		}
	}
	return ""
}

func (h oneKindHooks) Subject(c *dialect.Call, field string) string {
	if e := c.Event; e == "beforeShellExecution" || e == "afterShellExecution" {
		if line := gjson.Get(c.Args, "command").String(); line != "" {
			return line
		}
	}
	return h.Base.Subject(c, field)
}

func (oneKindHooks) Encode(c *dialect.Call) (dialect.Payload, []string, error) {
	return oneKindInput(c)
}

func (oneKindHooks) Decode(c *dialect.Call, hook string, r *dialect.HookResult) dialect.Verdict {
	return decode(c.Event, hook, r)
}

// Effects that only this client has.
const (
	permits  = dialect.OwnEffect << iota // an answer may have a permission
	asks                                 // the permission may be ask
	rewrites                             // an answer may have another input for the tool
	submits                              // an answer may have "continue": false
	follows                              // an answer may have the user's next message
)

// rule is the row of an event, with the methods that read and write answers.
type rule struct{ dialect.Event }

func ruleOf(e protocol.Event) rule { return rule{events.Of(e)} }

// kindOf returns the kind of tool of an event: the project's name for the tool, or mcp; "" for an event of all tools.
func kindOf(e protocol.Event) string {
	switch e {
	case "beforeShellExecution", "afterShellExecution":
		return "shell"
	case "beforeMCPExecution", "afterMCPExecution":
		return "mcp"
	case "beforeReadFile":
		return "fs_read"
	case "afterFileEdit":
		return "fs_write"
	}
	return ""
}

var events = dialect.Events{
	{Name: "sessionStart", OnFailure: dialect.Open, Can: dialect.Inject},
	{Name: "beforeSubmitPrompt", Common: protocol.PreExecute, OnFailure: dialect.Open, Can: submits | dialect.Inject},
	{Name: "preToolUse", Common: protocol.PreTool, Subject: "tool_name", OnFailure: dialect.Open,
		Can: permits | asks | rewrites | dialect.Inject},
	{Name: "beforeShellExecution", Common: protocol.PreTool, Subject: "command", OnFailure: dialect.Open,
		Can: permits | asks},
	{Name: "beforeMCPExecution", Common: protocol.PreTool, Subject: "tool_name", OnFailure: dialect.Open,
		Can: permits | asks},
	{Name: "beforeReadFile", Common: protocol.PreTool, Subject: "tool_name", OnFailure: dialect.Open, Can: permits},
	{Name: "postToolUse", Common: protocol.PostTool, Subject: "tool_name", OnFailure: dialect.Open,
		Can: dialect.Inject},
	{Name: "postToolUseFailure", Common: protocol.PostTool, Subject: "tool_name", OnFailure: dialect.Open,
		Can: dialect.Inject},
	{Name: "afterShellExecution", Common: protocol.PostTool, Subject: "command", OnFailure: dialect.AlwaysOpen},
	{Name: "afterMCPExecution", Common: protocol.PostTool, Subject: "tool_name", OnFailure: dialect.AlwaysOpen},
	{Name: "afterFileEdit", Common: protocol.PostTool, Subject: "tool_name", OnFailure: dialect.AlwaysOpen},
	{Name: "subagentStart", Subject: "subagent_type", OnFailure: dialect.Open, Can: permits},
	{Name: "subagentStop", Subject: "subagent_type", OnFailure: dialect.AlwaysOpen, Can: follows | dialect.EndsTurn},
	{Name: "preCompact", OnFailure: dialect.AlwaysOpen},
	{Name: "afterAgentResponse", OnFailure: dialect.AlwaysOpen},
	{Name: "afterAgentThought", OnFailure: dialect.AlwaysOpen},
	{Name: "stop", OnFailure: dialect.AlwaysOpen, Can: follows | dialect.EndsTurn},
	{Name: "sessionEnd", OnFailure: dialect.AlwaysOpen},
	{Name: "beforeTabFileRead", OnFailure: dialect.Open, Can: permits},
	{Name: "afterTabFileEdit", OnFailure: dialect.AlwaysOpen},
	{Name: "workspaceOpen", OnFailure: dialect.AlwaysOpen},
	{OnFailure: dialect.AlwaysOpen},
}

// eventOf returns the call's event among the events for all tools. An event for one kind of tool stays as it is: the
// client has already run the hooks for all tools.
func eventOf(c *dialect.Call) protocol.Event {
	if kindOf(c.Event) != "" {
		return c.Event
	}
	switch c.Common() {
	case protocol.PreExecute:
		return "beforeSubmitPrompt"
	case protocol.PreTool:
		return "preToolUse"
	case protocol.PostTool:
		if c.Failed || c.Blocked || c.Event == "postToolUseFailure" || c.Event == "PostToolUseFailure" {
			return "postToolUseFailure"
		}
		return "postToolUse"
	}
	return c.Event
}

// isKind reports whether a tool, with the project's names, is of a kind.
func isKind(tool string, names []string, kind string) bool {
	is := func(name string) bool { return tool == name || slices.Contains(names, name) }
	switch kind {
	case "mcp":
		return isMCP(tool)
	case "fs_write":
		return is(kind) || is("fs_edit") || tool == "Write"
	}
	return is(kind)
}

func isMCP(tool string) bool {
	return strings.HasPrefix(tool, mcpPrefix) || strings.HasPrefix(tool, "mcp__")
}

func (hooks) Environment(c *dialect.Call) []string {
	env := []string{"CURSOR_PROJECT_DIR=" + c.Workspace, "CLAUDE_PROJECT_DIR=" + c.Workspace}
	if c.Event == "" { // a process for many calls
		return env
	}
	env = append(env, "CURSOR_VERSION="+given(c, "cursor_version"))
	if email := given(c, "user_email"); email != "" {
		env = append(env, "CURSOR_USER_EMAIL="+email)
	}
	if c.TranscriptPath != "" {
		env = append(env, "CURSOR_TRANSCRIPT_PATH="+c.TranscriptPath)
	}
	return env
}
