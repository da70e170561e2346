// Package opencode is OpenCode: its dialect, the plugin that calls hookrun, its tools and its installation.
package opencode

import (
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is the dialect of the plugin that hookrun writes for OpenCode 1.18.33, which has no hook commands of its own.
// The plugin passes a call to hookrun as JSON, and reads JSON with a decision. Any other result blocks: an exit code
// other than 0, an unknown key, or no decision.
var Dialect = &dialect.Dialect{
	Name: "opencode",
	Events: dialect.Events{
		{Name: prompt, Common: protocol.PreExecute, Can: dialect.Block | dialect.Stop | dialect.Inject},
		{Name: before, Common: protocol.PreTool, Subject: "tool_name",
			Can: dialect.Block | dialect.Stop | dialect.Inject},
		{Name: after, Common: protocol.PostTool, Subject: "tool_name",
			Can: dialect.Block | dialect.Stop | dialect.Inject},
		{OnFailure: dialect.AlwaysOpen},
	},
	Run:   dialect.Schedule{Timeout: time.Minute},
	Hooks: hooks{},
	Files: files,
}

// Client is how the client calls hookrun, its tools, and how hookrun is installed in it.
var Client = &client.Client{
	Dialect: Dialect,
	Detect:  func(*dialect.Call) bool { return false }, // no other client has these events
	Read:    func(c *dialect.Call, _ gjson.Result) { c.Failed = c.Field("failed") == "true" },
	Answer: func(o protocol.Outcome) (client.Reply, error) {
		return client.AtExit0(output(o))
	},
	Tools:   tools,
	MCP:     "SERVER_TOOL",
	Install: install,
}

// hooks implements dialect.Hooks.
type hooks struct{ dialect.Base }

func (hooks) Event(c *dialect.Call) protocol.Event { return eventNamed(c) }

const (
	prompt protocol.Event = "chat.message"
	before protocol.Event = "tool.execute.before"
	after  protocol.Event = "tool.execute.after"
)

// eventNamed returns the client's name for an event.
func eventNamed(c *dialect.Call) protocol.Event { return dialect.EventNamed(c, prompt, before, after) }
