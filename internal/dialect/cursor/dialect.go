// Package cursor is the dialect of Cursor's hooks. Nobody has run it against the client: its rules are those of the
// client's documents, and where these are silent, those that hold a call up.
package cursor

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/lazy"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is that of the hooks of events for all tools, and of all events without a tool.
var Dialect = &dialect.Dialect{
	Name:     "cursor",
	Events:   func() []protocol.Event { return events.Names() },
	TurnEnds: []protocol.Event{"stop", "subagentStop"},
	Timeout:  time.Minute, // the documents name none
	Causes:   dialect.HookCauses,
	Failure: func(e protocol.Event, cause protocol.Cause) protocol.Decision {
		// A shell that is not there must do no less than one that blocks.
		if cause == protocol.CauseUnstarted && ruleOf(e).does&(permits|submits) != 0 {
			return protocol.Block
		}
		return protocol.Continue
	},
	AlwaysBlocks: func(e protocol.Event, cause protocol.Cause) bool {
		return cause == protocol.CauseOutput && ruleOf(e).does&permits != 0
	},
	CannotBlock:  func(e protocol.Event) bool { return ruleOf(e).does&(permits|submits|context) == 0 },
	Parallel:     true,
	Environment:  environment,
	SubjectField: func(e protocol.Event) string { return events.SubjectField(e) },
	Event:        eventOf,
	EncodeInput:  payload,
	Decode: func(c *protocol.Call, hook string, r *dialect.HookResult) dialect.Verdict {
		return decode(eventOf(c), hook, r)
	},
	Merge: merge,
	EncodeOutput: func(o protocol.Outcome) ([]byte, int, error) {
		return dialect.AtExit0(hookOutput(o))
	},
	Detect:          func(c *protocol.Call) bool { return c.Field("cursor_version") != "" },
	ProjectVariable: "CURSOR_PROJECT_DIR",
	ToolName:        toolName,
	ReadInput:       readInput,
	FitResult:       fitResult,
	Tools:           tools,
	Settings:        settings,
	Install:         install,
}

func init() {
	Dialect.Variant = func(e protocol.Event) *dialect.Dialect { // a copy of Dialect, which cannot name it
		if ruleOf(e).kind != "" {
			return special.Get()
		}
		return nil
	}
}

// special is that of the hooks of events for one kind of tool. They come behind those for all tools, at the same call.
var special = lazy.Value[*dialect.Dialect]{Make: func() *dialect.Dialect {
	d := *Dialect
	d.Variant = nil
	d.Event = specialEvent
	d.Subject = func(c *protocol.Call) string {
		if e := specialEvent(c); e == "beforeShellExecution" || e == "afterShellExecution" {
			return gjson.Get(c.Args, "command").String()
		}
		return ""
	}
	d.EncodeInput = specialInput
	d.Decode = func(c *protocol.Call, hook string, r *dialect.HookResult) dialect.Verdict {
		return decode(specialEvent(c), hook, r)
	}
	return &d
}}

// effect is what hooks can do at an event.
type effect int

const (
	permits  effect = 1 << iota // its answer has a permission
	asks                        // and that may be ask
	rewrites                    // its answer may have another input for the tool
	submits                     // its answer may have "continue": false
	context                     // its answer may have a text for the model
	follows                     // its answer may have the user's next message
)

// eventRule is what one event of the client is like. kind is what tools it is for: the project's name, or mcp; "": all.
type eventRule struct {
	name    protocol.Event
	subject string // the field that matchers are held against; "": they mean nothing, or stand for the event itself
	does    effect
	kind    string
}

func (m eventRule) Event() (protocol.Event, string) { return m.name, m.subject }

var events = dialect.Rules[eventRule]{
	{"sessionStart", "", context, ""},
	{"beforeSubmitPrompt", "", submits | context, ""},
	{"preToolUse", "tool_name", permits | asks | rewrites | context, ""},
	{"beforeShellExecution", "command", permits | asks, "shell"},
	{"beforeMCPExecution", "tool_name", permits | asks, "mcp"},
	{"beforeReadFile", "tool_name", permits, "fs_read"},
	{"postToolUse", "tool_name", context, ""},
	{"postToolUseFailure", "tool_name", context, ""},
	{"afterShellExecution", "command", 0, "shell"},
	{"afterMCPExecution", "tool_name", 0, "mcp"},
	{"afterFileEdit", "tool_name", 0, "fs_write"},
	{"subagentStart", "subagent_type", permits, ""},
	{"subagentStop", "subagent_type", follows, ""},
	{"preCompact", "", 0, ""},
	{"afterAgentResponse", "", 0, ""},
	{"afterAgentThought", "", 0, ""},
	{"stop", "", follows, ""},
	{"sessionEnd", "", 0, ""},
	{"beforeTabFileRead", "", permits, ""},
	{"afterTabFileEdit", "", 0, ""},
	{"workspaceOpen", "", 0, ""},
}

func ruleOf(e protocol.Event) eventRule { return events.Of(e, eventRule{name: e}) }

// eventOf names the call's event among those for all tools. One for a kind of tools stays what it is: the client has
// run the hooks of the other before.
func eventOf(c *protocol.Call) protocol.Event {
	if ruleOf(c.Event).kind != "" {
		return c.Event
	}
	switch c.Event.Canonical() {
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

// specialEvent names the call's event among those for one kind of tools, "" where there is none.
func specialEvent(c *protocol.Call) protocol.Event {
	if ruleOf(c.Event).kind != "" {
		return c.Event
	}
	moment, general := c.Event.Canonical(), eventOf(c)
	if moment != protocol.PreTool && moment != protocol.PostTool || general == "postToolUseFailure" {
		return ""
	}
	for _, m := range events {
		if m.kind != "" && m.name.Canonical() == moment && isKind(c.Tool, m.kind) {
			return m.name
		}
	}
	return ""
}

// isKind reports whether a tool, by whatever client's name, is of a kind.
func isKind(tool, kind string) bool {
	if kind == "mcp" {
		return strings.HasPrefix(tool, mcpPrefix) || strings.HasPrefix(tool, "mcp__")
	}
	names := append(dialect.ToolNames(tool), tool)
	return slices.Contains(names, kind) || kind == "fs_write" && (slices.Contains(names, "fs_edit") || tool == "Write")
}

func environment(c *protocol.Call) []string {
	env := []string{"CURSOR_PROJECT_DIR=" + c.Workspace, "CLAUDE_PROJECT_DIR=" + c.Workspace}
	if c.Event == "" { // of a process that sees many calls
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
