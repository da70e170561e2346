package copilot

import (
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/lazy"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is the dialect of GitHub Copilot CLI 1.0.102, as the real client was recorded. Hooks run one after the other.
// Before a tool any failure but a timeout blocks; elsewhere nothing but a JSON answer does. A file can name an event in
// camelCase or as Claude Code does, and the hook's input and answer depend on that: see inCamelCase. Where all this
// departs from the client is in docs/dialects/copilot-cli.md.
var Dialect = &dialect.Dialect{
	Name:   "copilot",
	Events: events,
	Causes: dialect.HookCauses,
	Run:    dialect.Schedule{Timeout: 30 * time.Second},
	Hooks:  hooks{},
	Client: &dialect.Client{
		Detect:          detect,
		Read:            readResult,
		Reply:           reply,
		Errors:          dialect.ErrorByExitAndBlock,
		ProjectVariable: "COPILOT_PROJECT_DIR",
		Tools:           tools,
	},
	Files:   files,
	Install: install,
}

// hooks are the client's hooks, with the defaults of dialect.Base.
type hooks struct {
	dialect.Base
	camel bool // their events are in camelCase
}

func (h hooks) Event(c *dialect.Call) protocol.Event {
	e := ruleOf(eventOf(c)).Name
	if h.camel {
		return camelName(e)
	}
	return e
}

// OnFailure: a timeout lets pass, and an answer that cannot be read does so, but where a permission is asked for.
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

// Ends: before a tool whatever holds it up ends the call, and so does a hook that failed where permission is asked for.
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

func (hooks) HiddenVariables() []string { return []string{"GITHUB_TOKEN="} }

func (hooks) Merge(m *dialect.Merging) { dialect.MergeNotRun(m) }

// Variants: hooks whose events are in camelCase run first.
func (hooks) Variants() []*dialect.Dialect { return []*dialect.Dialect{inCamelCase.Get(), Dialect} }

// inCamelCase is the dialect of hooks whose events are in camelCase. Their input has no name of the event, so hookrun
// itself is never called at one.
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

// What hooks can do at some events of this client alone.
const (
	denies   = dialect.OwnEffect << iota // exit 2 and almost any failure block
	lastWord                             // of several answers the last counts
)

// events are the events in Claude Code's spelling. Block is a decision with a reason in JSON.
var events = dialect.Events{
	{Name: "SessionStart", OnFailure: dialect.AlwaysOpen, Can: dialect.Inject},
	{Name: "UserPromptSubmit", OnFailure: dialect.Open, Can: dialect.Block | dialect.Inject,
		Fields: []dialect.Field{"modifiedPrompt", "handled", "responseContent"}},
	{Name: "PreToolUse", Subject: "tool_name", Can: denies | dialect.Inject},
	{Name: "PreMcpToolCall", OnFailure: dialect.AlwaysOpen},
	{Name: "PermissionRequest", Subject: "tool_name", Can: denies | lastWord},
	{Name: "PostToolUse", Subject: "tool_name", OnFailure: dialect.Open, Can: dialect.Block | dialect.Inject},
	{Name: "PostToolUseFailure", OnFailure: dialect.AlwaysOpen, Can: dialect.Inject},
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

// promptTransformed is an event in camelCase alone.
var promptTransformed = dialect.Event{Name: transformed, OnFailure: dialect.AlwaysOpen,
	Fields: []dialect.Field{"modifiedTransformedPrompt"}}

// spellings are the names of an event in camelCase and as Claude Code spells it.
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

// rule is the row of an event, with what the client makes of an answer there.
type rule struct{ dialect.Event }

// ruleOf finds the rule of an event by either name.
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

// camelName is an event's name in camelCase.
func camelName(e protocol.Event) protocol.Event {
	for _, s := range spellings {
		if s.name == e {
			return s.camel
		}
	}
	return e
}

// eventOf: the client has an event for a tool that failed, and none for one that was blocked.
func eventOf(c *dialect.Call) protocol.Event {
	switch e := dialect.ClaudeEvent(c.Event); {
	case dialect.Canonical(e) != protocol.PostTool:
		return e
	case c.Blocked:
		return ""
	case c.Failed:
		return "PostToolUseFailure"
	default:
		return e
	}
}

// detect: the others have no time in their inputs, or a mode of permissions, or at shared events always a transcript.
func detect(c *dialect.Call) bool {
	shared := c.Event == "SessionStart" || c.Event == "SessionEnd" || c.Event == "Notification"
	return c.Field("timestamp") != "" && c.SessionID != "" && c.Field("permission_mode") == "" &&
		!(shared && c.TranscriptPath != "")
}
