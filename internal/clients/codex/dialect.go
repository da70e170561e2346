// Package codex is Codex CLI: its dialect, its files in JSON and TOML, its tools and its installation.
package codex

import (
	"time"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is the dialect of Codex CLI 0.171.0, recorded with the real client. All hooks of a call run at once, equal
// ones too. JSON counts only at exit 0, and one unknown key drops the whole answer. Exit 2 blocks if stderr is not
// empty. All other failures fail open. conformance/README.md lists the differences from the client.
var Dialect = &dialect.Dialect{
	Name:   "codex",
	Events: events,
	Others: true,
	Run:    dialect.Schedule{Timeout: 600 * time.Second, Parallel: true, MaxContext: 10_000},
	Hooks:  hooks{},
	Files:  files,
}

// Client is how the client calls hookrun, its tools, and how hookrun is installed in it.
var Client = &client.Client{
	Dialect: Dialect,
	Detect:  detect,
	Answer: func(o protocol.Outcome) (client.Reply, error) {
		return client.AtExit0(hookOutput(o)) // the client reads stdout only at exit 0
	},
	Tools:   tools,
	Aliases: toolAliases,
	Install: install,
}

// hooks implements dialect.Hooks.
type hooks struct{ dialect.Base }

func (hooks) Event(c *dialect.Call) protocol.Event { return eventOf(c) }

// detect reports whether Codex sent the input. Claude Code sends no turn_id, and sends a model only at the start of a
// session, without permission_mode. At SessionEnd their inputs are alike, but no answer counts there.
func detect(c *dialect.Call) bool {
	return c.Field("turn_id") != "" && c.Field("client_type") == "" ||
		c.Field("model") != "" && c.Field("permission_mode") != "" && c.Field("timestamp") == ""
}

// clientName is the client's name in messages.
const clientName = "Codex"

// rule is the row of an event, with the methods that read answers.
type rule struct{ dialect.Event }

func ruleOf(e protocol.Event) rule { return rule{events.Of(e)} }

// Effects that only this client has.
const (
	stdoutIsContext = dialect.OwnEffect << iota // plain text on stdout is for the model
	hasDecision                                 // an answer may have "decision": "block" at the top level
	ignoresOutput                               // the client ignores the output
	jsonOnly                                    // plain text is an unreadable answer
	noStop                                      // continue: false, stopReason and suppressOutput are not supported
	replaces                                    // continue: false replaces the tool's result, and the turn goes on
	messageOnly                                 // an answer may only have systemMessage
)

var contextOnly = []dialect.Field{"additionalContext string"}

var events = dialect.Events{
	{Name: "SessionStart", Subject: "source", OnFailure: dialect.Open,
		Can: dialect.Stop | stdoutIsContext | dialect.Inject, Fields: contextOnly},
	{Name: "UserPromptSubmit", OnFailure: dialect.Open,
		Can:    hasDecision | dialect.Block | dialect.Stop | stdoutIsContext | dialect.Inject,
		Fields: contextOnly},
	{Name: "PreModelRequest", OnFailure: dialect.AlwaysOpen, Can: ignoresOutput},
	{Name: "PostModelRequest", OnFailure: dialect.AlwaysOpen, Can: ignoresOutput},
	{Name: "PreToolUse", Subject: "tool_name", OnFailure: dialect.Open,
		Can: hasDecision | dialect.Block | noStop | dialect.Inject,
		Fields: []dialect.Field{
			"permissionDecision allow|deny|ask", "permissionDecisionReason string", "updatedInput any",
			"additionalContext string",
		}},
	{Name: "PermissionRequest", Subject: "tool_name", OnFailure: dialect.Open, Can: dialect.Block | noStop,
		Fields: []dialect.Field{"decision object"}},
	{Name: "PostToolUse", Subject: "tool_name", OnFailure: dialect.Open,
		Can:    hasDecision | dialect.Block | replaces | dialect.Inject,
		Fields: []dialect.Field{"additionalContext string", "updatedMCPToolOutput any"}},
	{Name: "SubagentStart", Subject: "agent_type", OnFailure: dialect.AlwaysOpen, Can: stdoutIsContext | dialect.Inject,
		Fields: contextOnly},
	{Name: "SubagentStop", Subject: "agent_type", OnFailure: dialect.AlwaysOpen,
		Can: hasDecision | dialect.Block | dialect.Stop | jsonOnly | dialect.EndsTurn},
	{Name: "Stop", OnFailure: dialect.AlwaysOpen,
		Can: hasDecision | dialect.Block | dialect.Stop | jsonOnly | dialect.EndsTurn},
	{Name: "PreCompact", Subject: "trigger", OnFailure: dialect.Open, Can: dialect.Stop},
	{Name: "PostCompact", Subject: "trigger", OnFailure: dialect.AlwaysOpen, Can: dialect.Stop},
	{Name: "Interrupt", Timeout: time.Second, OnFailure: dialect.AlwaysOpen, Can: jsonOnly | messageOnly},
	{Name: "SessionEnd", Subject: "reason", Timeout: time.Second, OnFailure: dialect.AlwaysOpen, Can: ignoresOutput},
	{OnFailure: dialect.Open, Can: dialect.Block}, // events of later versions
}

// eventOf returns the client's event for a call. A failed tool still counts as run; a blocked tool has no event.
func eventOf(c *dialect.Call) protocol.Event {
	switch {
	case c.Common() != protocol.PostTool:
		return dialect.ClaudeEvent(c)
	case c.Blocked:
		return "" // no event of the client
	}
	return "PostToolUse"
}
