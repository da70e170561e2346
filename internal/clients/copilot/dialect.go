// Package copilot is Copilot CLI: its dialect, in both forms of its files, its tools and its installation.
package copilot

import (
	"time"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is the dialect of GitHub Copilot CLI 1.0.102, recorded with the real client. Hooks run one after the other.
// Before a tool every failure but a timeout blocks; at other events only a JSON answer does. A file can write events in
// camelCase or as Claude Code does, and a hook's input and answer depend on the spelling: see inCamelCase.
// conformance/README.md lists the differences from the client.
var Dialect = &dialect.Dialect{
	Name:   "copilot",
	Events: events,
	Others: true,
	Run:    dialect.Schedule{Timeout: 30 * time.Second},
	Hooks:  hooks{},
	Files:  files,
}

// Client is how the client calls hookrun, its tools, and how hookrun is installed in it.
var Client = &client.Client{
	Dialect:         Dialect,
	Detect:          detect,
	Read:            readResult,
	Answer:          reply,
	Errors:          client.ErrorByExitAndBlock,
	ProjectVariable: "COPILOT_PROJECT_DIR",
	Tools:           tools,
	MCP:             "SERVER-TOOL",
	AnsweringFiles:  answeringFiles,
	Install:         install,
}

// hooks implements dialect.Hooks.
type hooks struct {
	dialect.Base
	camel bool // the events are in camelCase
}

func (h hooks) Event(c *dialect.Call) protocol.Event {
	e := ruleOf(eventOf(c)).Name
	if h.camel {
		return camelName(e)
	}
	return e
}

// OnFailure fails open after a timeout, and after an unreadable answer except at PermissionRequest.
func (hooks) OnFailure(e dialect.Event, f dialect.Fault) dialect.OnFailure {
	unread := f.Cause == protocol.CauseOutput && ruleOf(e.Name).Name != "PermissionRequest"
	if unread || f.Cause == protocol.CauseTimeout {
		return max(e.OnFailure, dialect.Open)
	}
	return e.OnFailure
}

func (hooks) Environment(c *dialect.Call) []string {
	return []string{"COPILOT_CLI=1", "COPILOT_PROJECT_DIR=" + c.Workspace, "CLAUDE_PROJECT_DIR=" + c.Workspace}
}

func (h hooks) Decode(c *dialect.Call, hook string, r *dialect.HookResult) dialect.Verdict {
	return decode(ruleOf(eventOf(c)), h.camel, hook, r)
}

// Ends reports whether a verdict skips later hooks: at PreToolUse every decision but continue, at PostToolUse a block,
// and at PermissionRequest the block of a failed hook.
func (hooks) Ends(e protocol.Event, v *dialect.Verdict) bool {
	switch m := ruleOf(e); {
	case m.Name == "PreToolUse":
		return v.Decision != protocol.Continue
	case m.Name == "PermissionRequest":
		return v.Decision == protocol.Block && v.Cause != protocol.CausePolicy
	default:
		return m.Name == "PostToolUse" && v.Decision == protocol.Block
	}
}

// Posts is true: hooks can have the type "http".
func (hooks) Posts() bool { return true }

func (hooks) HiddenVariables() []string { return []string{"GITHUB_TOKEN="} }

func (hooks) Merge(m *dialect.Merging) { client.MergeUnsupported(m) }

// Variants returns hooks with events in camelCase first, because they run first.
func (hooks) Variants() []*dialect.Dialect { return []*dialect.Dialect{inCamelCase.Get(), Dialect} }

// inCamelCase is the dialect of hooks with events in camelCase. Their input does not name the event, so hookrun itself
// never runs at such an event.
var inCamelCase = lazy.Value[*dialect.Dialect]{Make: func() *dialect.Dialect {
	d, form := *Dialect, *files
	form.Reader = camelReader{}
	d.Files, d.Hooks, d.Events = &form, hooks{camel: true}, nil
	for _, s := range spellings {
		row := ruleOf(s.camel).Event
		row.Name = s.camel
		d.Events = append(d.Events, row)
	}
	return &d
}}

// Effects that only this client has.
const (
	denies   = dialect.OwnEffect << iota // exit 2 and almost any failure block
	lastWord                             // the last of several answers counts
)

// events lists the events in Claude Code's spelling. Block means a JSON decision with a reason.
var events = dialect.Events{
	{Name: "SessionStart", OnFailure: dialect.AlwaysOpen, Can: dialect.Inject},
	{Name: "UserPromptSubmit", Common: protocol.PreExecute, OnFailure: dialect.Open,
		Can:    dialect.Block | dialect.Inject,
		Fields: []dialect.Field{"modifiedPrompt", "handled", "responseContent"}},
	{Name: "PreToolUse", Common: protocol.PreTool, Subject: "tool_name", Can: denies | dialect.Inject},
	{Name: "PreMcpToolCall", OnFailure: dialect.AlwaysOpen},
	{Name: "PermissionRequest", Common: "PermissionRequest", Subject: "tool_name", Can: denies | lastWord},
	{Name: "PostToolUse", Common: protocol.PostTool, Subject: "tool_name", OnFailure: dialect.Open,
		Can: dialect.Block | dialect.Inject},
	{Name: "PostToolUseFailure", Common: protocol.PostTool, OnFailure: dialect.AlwaysOpen, Can: dialect.Inject},
	{Name: "SubagentStart", Subject: "agent_name", OnFailure: dialect.AlwaysOpen, Can: dialect.Inject},
	{Name: "SubagentStop", OnFailure: dialect.AlwaysOpen, Can: dialect.Block | lastWord | dialect.EndsTurn,
		Fields: []dialect.Field{"modifiedResponse"}},
	{Name: "Stop", OnFailure: dialect.AlwaysOpen, Can: dialect.Block | lastWord | dialect.EndsTurn},
	{Name: "ErrorOccurred", OnFailure: dialect.AlwaysOpen},
	{Name: "PreCompact", OnFailure: dialect.AlwaysOpen},
	{Name: "Notification", OnFailure: dialect.AlwaysOpen, Can: dialect.Inject},
	{Name: "SessionEnd", OnFailure: dialect.AlwaysOpen},
	{OnFailure: dialect.AlwaysOpen},
}

const transformed = "userPromptTransformed"

// promptTransformed is an event that only exists in camelCase.
var promptTransformed = dialect.Event{Name: transformed, OnFailure: dialect.AlwaysOpen,
	Fields: []dialect.Field{"modifiedTransformedPrompt"}}

// spellings has each event in camelCase and in Claude Code's spelling.
var spellings = []struct{ camel, name protocol.Event }{
	{"sessionStart", "SessionStart"},
	{"userPromptSubmitted", "UserPromptSubmit"},
	{transformed, transformed},
	{"preToolUse", "PreToolUse"},
	{"preMcpToolCall", "PreMcpToolCall"},
	{"permissionRequest", "PermissionRequest"},
	{"postToolUse", "PostToolUse"},
	{"postToolUseFailure", "PostToolUseFailure"},
	{"subagentStart", "SubagentStart"},
	{"subagentStop", "SubagentStop"},
	{"agentStop", "Stop"},
	{"errorOccurred", "ErrorOccurred"},
	{"preCompact", "PreCompact"},
	{"notification", "Notification"},
	{"sessionEnd", "SessionEnd"},
}

// rule is the row of an event, with the methods that read answers.
type rule struct{ dialect.Event }

// ruleOf returns the rule of an event in either spelling.
func ruleOf(e protocol.Event) rule {
	if e == transformed {
		return rule{promptTransformed}
	}
	for _, s := range spellings {
		if s.camel == e {
			e = s.name
		}
	}
	return rule{events.Of(e)}
}

// camelName returns an event's name in camelCase.
func camelName(e protocol.Event) protocol.Event {
	for _, s := range spellings {
		if s.name == e {
			return s.camel
		}
	}
	return e
}

// eventOf returns the client's event for a call. A failed tool has an event of its own, and a blocked tool has no
// event.
func eventOf(c *dialect.Call) protocol.Event {
	return client.ClaudeEventAfter(c, "PostToolUseFailure", "")
}

// detect reports whether the client sent the input. Other clients send no timestamp, or send a permission_mode, a
// tool_use_id, or a transcript_path at events at which this client sends none.
func detect(c *dialect.Call) bool {
	ofAgent := c.Field("agent_name") != "" || c.Field("stop_reason") != "" || c.Event == "PreCompact"
	return c.Field("timestamp") != "" && c.SessionID != "" && c.Field("permission_mode") == "" && c.ToolUseID == "" &&
		(ofAgent || c.TranscriptPath == "")
}
