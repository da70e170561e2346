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
	Name:   "codex",
	Events: events,
	Causes: dialect.HookCauses,
	Run:    dialect.Schedule{Timeout: 600 * time.Second, Parallel: true, MaxContext: 10_000},
	Hooks:  hooks{},
	Client: &dialect.Client{
		Detect: detect,
		Reply: func(o protocol.Outcome) (dialect.Reply, error) {
			return dialect.AtExit0(hookOutput(o)) // with any other exit it would not be read
		},
		Tools:       tools,
		ToolAliases: toolAliases,
	},
	Files:   files,
	Install: install,
}

// hooks are the client's hooks, with the defaults of dialect.Base.
type hooks struct{ dialect.Base }

func (hooks) Event(c *dialect.Call) protocol.Event { return eventOf(c) }

// detect: Claude Code has no turn_id, and a model at the start of a session alone, where it has no permission_mode. At
// SessionEnd nothing tells the two apart, and nothing that is answered counts.
func detect(c *dialect.Call) bool {
	return c.Field("turn_id") != "" && c.Field("client_type") == "" ||
		c.Field("model") != "" && c.Field("permission_mode") != "" && c.Field("timestamp") == ""
}

// client is how messages name it.
const client = "Codex"

// rule is the row of an event, with what the client makes of an answer there.
type rule struct{ dialect.Event }

func ruleOf(e protocol.Event) rule { return rule{events.Of(e)} }

// What hooks can do at some events of this client alone.
const (
	speaks      = dialect.OwnEffect << iota // plain text on stdout is for the model
	decides                                 // an answer may have "decision": "block" at the top level
	unread                                  // nothing that a hook prints is read
	jsonOnly                                // text is an answer that cannot be read
	noStop                                  // continue: false, stopReason and suppressOutput are not supported
	replaces                                // continue: false replaces the tool's result, and the turn goes on
	messageOnly                             // systemMessage is all that an answer may have
)

var contextOnly = []dialect.Field{"additionalContext string"}

var events = dialect.Events{
	{Name: "SessionStart", Subject: "source", OnFailure: dialect.Open, Can: dialect.Stop | speaks | dialect.Inject,
		Fields: contextOnly},
	{Name: "UserPromptSubmit", OnFailure: dialect.Open,
		Can:    decides | dialect.Block | dialect.Stop | speaks | dialect.Inject,
		Fields: contextOnly},
	{Name: "PreModelRequest", OnFailure: dialect.AlwaysOpen, Can: unread},
	{Name: "PostModelRequest", OnFailure: dialect.AlwaysOpen, Can: unread},
	{Name: "PreToolUse", Subject: "tool_name", OnFailure: dialect.Open,
		Can: decides | dialect.Block | noStop | dialect.Inject,
		Fields: []dialect.Field{
			"permissionDecision allow|deny|ask", "permissionDecisionReason string", "updatedInput any",
			"additionalContext string",
		}},
	{Name: "PermissionRequest", Subject: "tool_name", OnFailure: dialect.Open, Can: dialect.Block | noStop,
		Fields: []dialect.Field{"decision object"}},
	{Name: "PostToolUse", Subject: "tool_name", OnFailure: dialect.Open,
		Can:    decides | dialect.Block | replaces | dialect.Inject,
		Fields: []dialect.Field{"additionalContext string", "updatedMCPToolOutput any"}},
	{Name: "SubagentStart", Subject: "agent_type", OnFailure: dialect.AlwaysOpen, Can: speaks | dialect.Inject,
		Fields: contextOnly},
	{Name: "SubagentStop", Subject: "agent_type", OnFailure: dialect.AlwaysOpen,
		Can: decides | dialect.Block | dialect.Stop | jsonOnly | dialect.EndsTurn},
	{Name: "Stop", OnFailure: dialect.AlwaysOpen,
		Can: decides | dialect.Block | dialect.Stop | jsonOnly | dialect.EndsTurn},
	{Name: "PreCompact", Subject: "trigger", OnFailure: dialect.Open, Can: dialect.Stop},
	{Name: "PostCompact", Subject: "trigger", OnFailure: dialect.AlwaysOpen, Can: dialect.Stop},
	{Name: "Interrupt", Timeout: time.Second, OnFailure: dialect.AlwaysOpen, Can: jsonOnly | messageOnly},
	{Name: "SessionEnd", Subject: "reason", Timeout: time.Second, OnFailure: dialect.AlwaysOpen, Can: unread},
	{OnFailure: dialect.Open, Can: dialect.Block}, // of a later version
}

// eventOf: a tool that failed has run all the same, and one that was blocked has not.
func eventOf(c *dialect.Call) protocol.Event {
	switch {
	case dialect.Canonical(c.Event) != protocol.PostTool:
		return dialect.ClaudeEvent(c.Event)
	case c.Blocked:
		return "" // an event that the client does not have
	}
	return "PostToolUse"
}
