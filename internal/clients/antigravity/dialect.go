// Package antigravity is the dialect of Antigravity CLI (agy), taken from its documents and its users' reports: the
// client itself was not recorded. Hooks run one after the other. Before a tool every answer without a decision blocks,
// except an empty one. After a tool the client reads no answer.
package antigravity

import (
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is the dialect of Antigravity CLI.
var Dialect = &dialect.Dialect{
	Name:   "antigravity",
	Events: events,
	Run:    dialect.Schedule{Timeout: 30 * time.Second},
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
	MCP:      "mcp_SERVER_TOOL", // of a server with few tools; else call_mcp_tool
	Install:  install,
}

// hooks implements dialect.Hooks.
type hooks struct{ dialect.Base }

func (hooks) Event(c *dialect.Call) protocol.Event { return eventNamed(c) }

const (
	clientName = "Antigravity CLI"

	sessionStart   protocol.Event = "SessionStart"
	preInvocation  protocol.Event = "PreInvocation"
	before         protocol.Event = "PreToolUse"
	after          protocol.Event = "PostToolUse"
	postInvocation protocol.Event = "PostInvocation"
	stop           protocol.Event = "Stop"
)

var events = dialect.Events{
	{Name: sessionStart, OnFailure: dialect.AlwaysOpen, Can: dialect.Inject}, // newer than the documents
	{Name: preInvocation, OnFailure: dialect.AlwaysOpen, Can: dialect.Inject},
	{Name: before, Subject: "tool_name", OnFailure: dialect.Closed, Can: dialect.Block},
	{Name: after, Subject: "tool_name", OnFailure: dialect.AlwaysOpen},
	{Name: postInvocation, OnFailure: dialect.AlwaysOpen, Can: dialect.Inject},
	// A block sends the agent back to work, so a broken hook must not block.
	{Name: stop, OnFailure: dialect.AlwaysOpen, Can: dialect.Block | dialect.EndsTurn},
	{OnFailure: dialect.AlwaysOpen},
}

// eventNamed returns the client's name for an event, or "" for a prompt: the client runs no hook then.
func eventNamed(c *dialect.Call) protocol.Event { return dialect.EventNamed(c, "", before, after) }

// inputEvent returns the event of a hook input, or "" if another client sent the input. The input does not name its
// event, so the keys decide. PreInvocation and PostInvocation have the same keys and count as PreInvocation. An input
// with a tool counts as PreToolUse, so the gates run, unless the input says how the tool ended.
func inputEvent(doc string) protocol.Event {
	has := func(key string) bool { return gjson.Get(doc, key).Exists() }
	isCall := gjson.Get(doc, "toolCall").IsObject()
	switch {
	case has("hook_event_name") || has("hookName") || !has("conversationId") && !isCall:
		return ""
	case isCall && gjson.Get(doc, "error").Type != gjson.String:
		return before
	case has("executionNum") || has("terminationReason"):
		return stop
	case isCall || has("stepIdx"):
		return after
	case has("invocationNum"):
		return preInvocation
	}
	return sessionStart
}
