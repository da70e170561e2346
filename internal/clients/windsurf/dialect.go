// Package windsurf is the dialect of the hooks of Windsurf's Cascade, taken from its documents and from public
// adapters: the client itself was not recorded. Each event is about one kind of tool. Exit 2 blocks before an action,
// and all other failures fail open.
package windsurf

import (
	"slices"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

const clientName = "Windsurf"

// Dialect is the dialect of Windsurf. Hooks run one after the other.
var Dialect = &dialect.Dialect{
	Name:   "windsurf",
	Events: events,
	Run:    dialect.Schedule{Timeout: time.Minute}, // the documents name no timeout
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
		c := events.CallAt(o.Event)
		c.Tool = o.Tool
		return client.ReplyByExit(o, events.Of(eventOf(c)), clientName)
	},
	Tools:   tools,
	Install: install,
}

// hooks implements dialect.Hooks.
type hooks struct{ dialect.Base }

func (hooks) Event(c *dialect.Call) protocol.Event { return eventOf(c) }

const prompt = "pre_user_prompt"

var events = dialect.Events{
	{Name: prompt, Common: protocol.PreExecute, OnFailure: dialect.Open, Can: dialect.Block},
	{Name: "pre_read_code", Common: protocol.PreTool, OnFailure: dialect.Open, Can: dialect.Block},
	{Name: "pre_write_code", Common: protocol.PreTool, OnFailure: dialect.Open, Can: dialect.Block},
	{Name: "pre_run_command", Common: protocol.PreTool, OnFailure: dialect.Open, Can: dialect.Block},
	{Name: "pre_mcp_tool_use", Common: protocol.PreTool, OnFailure: dialect.Open, Can: dialect.Block},
	{Name: "post_read_code", Common: protocol.PostTool, OnFailure: dialect.AlwaysOpen},
	{Name: "post_write_code", Common: protocol.PostTool, OnFailure: dialect.AlwaysOpen},
	{Name: "post_run_command", Common: protocol.PostTool, OnFailure: dialect.AlwaysOpen},
	{Name: "post_mcp_tool_use", Common: protocol.PostTool, OnFailure: dialect.AlwaysOpen},
	{Name: "post_cascade_response", OnFailure: dialect.AlwaysOpen},
	{Name: "post_cascade_response_with_transcript", OnFailure: dialect.AlwaysOpen},
	{Name: "post_setup_worktree", OnFailure: dialect.AlwaysOpen},
	{OnFailure: dialect.AlwaysOpen},
}

// eventOf returns the client's event for a call, by the kind of the tool. A tool of no kind counts as one of a server,
// so that a hook for these sees its name and arguments.
func eventOf(c *dialect.Call) protocol.Event {
	if events.Has(c.Event) {
		return c.Event
	}
	kind := "mcp_tool_use"
	for _, t := range tools {
		names := t.Names()
		if c.Tool == t.Name() || slices.Contains(names[:], c.ProjectTool()) || slices.Contains(names[:], c.Tool) {
			kind = t.Name()
		}
	}
	return dialect.EventNamed(c, prompt, protocol.Event("pre_"+kind), protocol.Event("post_"+kind))
}

// tools are named after the events, because the input names no tool.
var tools = []dialect.Tool{"run_command shell", "read_code fs_read", "write_code fs_write fs_edit"}

// toolOf returns the tool of an event, or "".
func toolOf(e protocol.Event) string {
	_, kind, _ := strings.Cut(string(e), "_")
	if slices.ContainsFunc(tools, func(t dialect.Tool) bool { return t.Name() == kind }) {
		return kind
	}
	return ""
}

func (hooks) Decode(c *dialect.Call, hook string, r *dialect.HookResult) dialect.Verdict {
	return client.DecodeExit(events.Of(eventOf(c)), hook, r)
}
