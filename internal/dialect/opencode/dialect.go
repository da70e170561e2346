package opencode

import (
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is the dialect of the plugin that hookrun writes for OpenCode 1.18.33, which has no hooks of its own that are
// commands. The plugin gives hookrun a call as JSON and takes JSON with a decision for an answer. Everything else
// blocks: another exit code than 0, another key, no decision.
var Dialect = &dialect.Dialect{
	Name:   "opencode",
	Events: func() []protocol.Event { return []protocol.Event{prompt, before, after} },
	Event:  func(c *protocol.Call) protocol.Event { return eventNamed(c.Event) },
	SubjectField: func(e protocol.Event) string {
		if e == before || e == after {
			return "tool_name"
		}
		return ""
	},
	Timeout:      time.Minute,
	Causes:       dialect.ProcessCauses,
	Failure:      func(protocol.Event, protocol.Cause) protocol.Decision { return protocol.Block },
	CannotBlock:  func(e protocol.Event) bool { return !slices.Contains([]protocol.Event{prompt, before, after}, e) },
	EncodeInput:  payload,
	Decode:       decode,
	EncodeOutput: output,
	Detect:       func(*protocol.Call) bool { return false }, // no other client has its events
	ReadResult: func(c *protocol.Call, _ gjson.Result) {
		c.Failed = c.Field("failed") == "true"
	},
	Tools:    tools,
	ToolName: toolName,

	Settings: settings,
	Install:  install,
}

const (
	prompt protocol.Event = "chat.message"
	before protocol.Event = "tool.execute.before"
	after  protocol.Event = "tool.execute.after"
)

// eventNamed returns the client's name for an event.
func eventNamed(e protocol.Event) protocol.Event { return dialect.EventNamed(e, prompt, before, after) }
