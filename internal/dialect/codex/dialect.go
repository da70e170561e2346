package codex

import (
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is the dialect of Codex CLI 0.169.0, as the real client was recorded. All hooks of a call run at once, equal
// ones too. JSON counts with exit 0 alone, and is dropped whole for a key that the client does not know; exit 2 blocks
// if it has something on stderr. Everything else that goes wrong lets pass. Where it departs from the client is in the
// README.
var Dialect = &dialect.Dialect{
	Name:     "codex",
	Events:   func() []protocol.Event { return events.Names() },
	TurnEnds: []protocol.Event{"Stop", "SubagentStop"},
	Timeout:  600 * time.Second,
	TimeoutAt: func(e protocol.Event) time.Duration {
		if e == "Interrupt" || e == "SessionEnd" {
			return time.Second
		}
		return 0
	},
	Causes:      dialect.HookCauses,
	Failure:     dialect.FailsOpen,
	CannotBlock: func(e protocol.Event) bool { return ruleOf(e).does&fails == 0 },
	Parallel:    true,
	MaxContext:  10_000,

	SubjectField: func(e protocol.Event) string { return events.SubjectField(e) },
	Event:        eventOf,
	EncodeInput:  payload,
	Decode:       decode,
	// With any other exit it would not be read.
	EncodeOutput: func(o protocol.Outcome) ([]byte, int, error) {
		return dialect.AtExit0(hookOutput(o))
	},
	// Claude Code has no turn_id, and a model at the start of a session alone, where it has no permission_mode. At
	// SessionEnd nothing tells the two apart, and nothing that is answered counts.
	Detect: func(c *protocol.Call) bool {
		return c.Field("turn_id") != "" && c.Field("client_type") == "" ||
			c.Field("model") != "" && c.Field("permission_mode") != "" && c.Field("timestamp") == ""
	},
	Tools:       tools,
	ToolAliases: toolAliases,

	Settings: settings,
	Format:   format,
	Install:  install,
}

// client is how messages name it.
const client = "Codex"

// eventRule is what one event of the client is like.
type eventRule struct {
	name     protocol.Event
	subject  string // the field that matchers are held against
	does     effect
	decision string          // the words for a decision at the top level; "": there is no such field
	answer   []dialect.Field // what hookSpecificOutput may have; nil: there is no such field
}

func (m eventRule) Event() (protocol.Event, string) { return m.name, m.subject }

// effect is what hooks can do at an event.
type effect int

const (
	blocks   effect = 1 << iota // exit 2 and decision "block" hold something up, or after the fact are feedback
	fails                       // what a failure means can be set: it may block
	stops                       // continue: false ends the turn
	speaks                      // plain text on stdout is for the model
	deaf                        // nothing that a hook prints is read
	jsonOnly                    // text is an answer that cannot be read
	endless                     // continue: false, stopReason and suppressOutput are not supported
	replaces                    // continue: false puts a text in the place of the tool's result, and the turn goes on
	terse                       // systemMessage is all that an answer may have
)

var contextOnly = []dialect.Field{"additionalContext string"}

var events = dialect.Rules[eventRule]{
	{"SessionStart", "source", fails | stops | speaks, "", contextOnly},
	{"UserPromptSubmit", "", blocks | fails | stops | speaks, "block", contextOnly},
	{"PreModelRequest", "", deaf, "", nil},
	{"PostModelRequest", "", deaf, "", nil},
	{"PreToolUse", "tool_name", blocks | fails | endless, "approve|block",
		[]dialect.Field{"permissionDecision allow|deny|ask", "permissionDecisionReason string", "updatedInput any",
			"additionalContext string"}},
	{"PermissionRequest", "tool_name", blocks | fails | endless, "", []dialect.Field{"decision object"}},
	{"PostToolUse", "tool_name", blocks | fails | replaces, "block", []dialect.Field{"additionalContext string",
		"updatedMCPToolOutput any"}},
	{"SubagentStart", "agent_type", speaks, "", contextOnly},
	{"SubagentStop", "agent_type", blocks | stops | jsonOnly, "block", nil},
	{"Stop", "", blocks | stops | jsonOnly, "block", nil},
	{"PreCompact", "trigger", fails | stops, "", nil},
	{"PostCompact", "trigger", stops, "", nil},
	{"Interrupt", "", jsonOnly | terse, "", nil},
	{"SessionEnd", "reason", deaf, "", nil},
}

func ruleOf(e protocol.Event) eventRule {
	return events.Of(e, eventRule{name: e, does: blocks | fails})
}

// eventOf: a tool that failed has run all the same, and one that was blocked has not.
func eventOf(c *protocol.Call) protocol.Event {
	switch {
	case c.Event.Canonical() != protocol.PostTool:
		return dialect.ClaudeEvent(c.Event)
	case c.Blocked:
		return "" // an event that the client does not have
	}
	return "PostToolUse"
}
