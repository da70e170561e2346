// Package antigravity is the dialect of Antigravity CLI, agy, as its documents and its users' reports have it: nobody
// has recorded the client itself. Hooks run one after the other. Before a tool every answer that decides nothing
// blocks, but silence; after one the client reads no answer.
package antigravity

import (
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is the dialect of Antigravity CLI.
var Dialect = &dialect.Dialect{
	Name:   "antigravity",
	Events: events,
	Causes: dialect.ProcessCauses,
	Run:    dialect.Schedule{Timeout: 30 * time.Second},
	Hooks:  hooks{},
	Client: &dialect.Client{
		Detect: func(c *dialect.Call) bool { return inputEvent(c.ClientInput) != "" },
		Read:   readInput,
		Reply: func(o protocol.Outcome) (dialect.Reply, error) {
			return dialect.AtExit0(output(o))
		},
		Errors:   dialect.ErrorByBlock,
		Tools:    tools,
		ToolName: toolName,
	},
	Files:   files,
	Install: install,
}

// hooks are the client's hooks, with the defaults of dialect.Base.
type hooks struct{ dialect.Base }

func (hooks) Event(c *dialect.Call) protocol.Event { return eventNamed(c.Event) }

func (hooks) InputEvent(doc string) protocol.Event { return inputEvent(doc) }

const (
	client = "Antigravity CLI"

	sessionStart   protocol.Event = "SessionStart"
	preInvocation  protocol.Event = "PreInvocation"
	before         protocol.Event = "PreToolUse"
	after          protocol.Event = "PostToolUse"
	postInvocation protocol.Event = "PostInvocation"
	stop           protocol.Event = "Stop"
)

var events = dialect.Events{
	{Name: sessionStart, OnFailure: dialect.AlwaysOpen, Can: dialect.Inject}, // of newer versions than the documents
	{Name: preInvocation, OnFailure: dialect.AlwaysOpen, Can: dialect.Inject},
	{Name: before, Subject: "tool_name", OnFailure: dialect.Closed, Can: dialect.Block},
	{Name: after, Subject: "tool_name", OnFailure: dialect.AlwaysOpen},
	{Name: postInvocation, OnFailure: dialect.AlwaysOpen, Can: dialect.Inject},
	// A block sends the agent back to work. A hook that is broken must not do that.
	{Name: stop, OnFailure: dialect.AlwaysOpen, Can: dialect.Block | dialect.EndsTurn},
	{OnFailure: dialect.AlwaysOpen},
}

// eventNamed returns the client's name for an event. At a prompt it runs no hook.
func eventNamed(e protocol.Event) protocol.Event { return dialect.EventNamed(e, "", before, after) }

// inputEvent is the event of a hook input of this client, "" for an input of another one. The input has no name of it.
// Of the two around a call of the model it is the first: their inputs are alike. An input with a tool is one before the
// tool, so that its gates run, unless it says how the tool ended.
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
