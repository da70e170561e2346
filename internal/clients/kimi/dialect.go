// Package kimi is Kimi Code: its dialect, its file in TOML, its tools and its installation.
package kimi

import (
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is the dialect of Kimi Code 2.1.0, recorded with the real client. All hooks of a call run at once, equal
// hooks once. Exit 2 blocks, and so does a deny in JSON at exit 0; all other failures fail open. The client waits for
// hooks at four events, and never after a tool.
var Dialect = &dialect.Dialect{
	Name:   "kimi",
	Events: events,
	Run:    dialect.Schedule{Timeout: 30 * time.Second, Parallel: true, FirstOfEqual: true, FollowsDir: true},
	Hooks:  hooks{},
	Files:  files,
}

// Client is how the client calls hookrun, its tools, and how hookrun is installed in it.
var Client = &client.Client{
	Dialect: Dialect,
	Detect:  func(c *dialect.Call) bool { return c.Field("client_type") == clientType },
	Read: func(c *dialect.Call, _ gjson.Result) {
		c.ToolUseID = c.Field("tool_call_id")
		if c.Event == "PostToolUseFailure" {
			c.Failed, c.Result = true, gjson.Get(c.ClientInput, "error.message").String()
		}
	},
	Answer: func(o protocol.Outcome) (client.Reply, error) {
		return client.AtExit0(hookOutput(o))
	},
	Errors:  client.ErrorByBlock, // any exit but 2 fails open; a deny blocks at every event that can block
	Tools:   tools,
	Install: install,
}

// hooks implements dialect.Hooks.
type hooks struct{ dialect.Base }

func (hooks) Event(c *dialect.Call) protocol.Event { return eventOf(c) }

// CallLimit is below an entry's maximum of 600 seconds, after which the client runs the call without an answer.
func (hooks) CallLimit() time.Duration { return 590 * time.Second }

// Subject returns the text of the prompt at UserPromptSubmit, because the prompt in the hook input is a list.
func (h hooks) Subject(c *dialect.Call, field string) string {
	if eventOf(c) == "UserPromptSubmit" && c.Prompt != "" {
		return c.Prompt
	}
	return h.Base.Subject(c, field)
}

// clientName is the client's name in messages, clientType the name in hook inputs.
const clientName, clientType = "Kimi Code", "kimi_code_cli"

// noSubject is the field for events at which matchers see an empty text: no input has this field.
const noSubject = "no_subject"

var events = dialect.Events{
	{Name: "SessionStart", Subject: "source", OnFailure: dialect.AlwaysOpen},
	{Name: "UserPromptSubmit", Subject: "prompt", OnFailure: dialect.Open, Can: dialect.Block | dialect.Inject},
	{Name: "UserPromptQueued", Subject: "prompt", OnFailure: dialect.AlwaysOpen},
	{Name: "TurnStarted", Subject: "origin_kind", OnFailure: dialect.AlwaysOpen},
	{Name: "PreToolUse", Subject: "tool_name", OnFailure: dialect.Open, Can: dialect.Block},
	{Name: "PermissionRequest", Subject: "tool_name", OnFailure: dialect.AlwaysOpen},
	{Name: "PermissionResult", Subject: "tool_name", OnFailure: dialect.AlwaysOpen},
	{Name: "PostToolUse", Subject: "tool_name", OnFailure: dialect.AlwaysOpen},
	{Name: "PostToolUseFailure", Subject: "tool_name", OnFailure: dialect.AlwaysOpen},
	{Name: "Notification", Subject: "notification_type", OnFailure: dialect.AlwaysOpen},
	{Name: "TaskStarted", Subject: "kind", OnFailure: dialect.AlwaysOpen},
	{Name: "SubagentStart", Subject: "agent_name", OnFailure: dialect.AlwaysOpen},
	{Name: "SubagentStop", Subject: "agent_name", OnFailure: dialect.AlwaysOpen},
	// A block sends the agent back to work, once a turn, so a broken hook must not block.
	{Name: "Stop", Subject: noSubject, OnFailure: dialect.AlwaysOpen, Can: dialect.Block | dialect.EndsTurn},
	{Name: "StopFailure", Subject: "error_type", OnFailure: dialect.AlwaysOpen},
	{Name: "Interrupt", Subject: noSubject, OnFailure: dialect.AlwaysOpen},
	{Name: "PreCompact", Subject: "trigger", OnFailure: dialect.AlwaysOpen},
	{Name: "PostCompact", Subject: "trigger", OnFailure: dialect.AlwaysOpen},
	{Name: "SessionHeartbeat", Subject: noSubject, OnFailure: dialect.AlwaysOpen},
	{Name: "SessionEnd", Subject: "reason", OnFailure: dialect.AlwaysOpen},
	{OnFailure: dialect.AlwaysOpen},
}

// eventOf returns the client's event for a call. PostToolUseFailure also includes calls that a hook blocked.
func eventOf(c *dialect.Call) protocol.Event {
	return client.ClaudeEventAfter(c, "PostToolUseFailure", "PostToolUseFailure")
}
