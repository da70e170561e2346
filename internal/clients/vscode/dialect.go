// Package vscode is the dialect of the agent mode of VS Code. The rules come from the public source of VS Code and of
// its Copilot Chat, and from the client's documents: the client itself was not recorded. The client also runs the
// entries in Copilot CLI's and Claude Code's files.
package vscode

import (
	"cmp"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// clientName is the client's name in messages.
const clientName = "VS Code"

// Dialect is the dialect of VS Code's agent mode. Hooks run one after the other. Exit 2 blocks with stderr as the
// reason, stdout counts at exit 0 alone, and every other failure, a timeout included, fails open.
var Dialect = &dialect.Dialect{
	Name:   "vscode",
	Events: events,
	Run:    dialect.Schedule{Timeout: 30 * time.Second},
	Hooks:  hooks{},
	Files:  files,
}

// Client is how the client calls hookrun, its tools, and how hookrun is installed in it.
var Client = &client.Client{
	Dialect:    Dialect,
	InputEvent: inputEvent,
	Detect:     detect,
	Read:       readInput,
	Answer: func(o protocol.Outcome) (client.Reply, error) {
		return client.AtExit0(hookOutput(o))
	},
	Tools:    tools,
	ToolName: toolName,
	MCP:      "mcp_TITLE_TOOL",
	Install:  install,
}

// hooks implements dialect.Hooks.
type hooks struct{ dialect.Base }

func (hooks) Event(c *dialect.Call) protocol.Event { return eventOf(c) }

// inputEvent returns the event of an input as the client's documents show it, with hookEventName. The client's source
// writes hook_event_name.
func inputEvent(doc string) protocol.Event {
	for _, key := range []string{"hook_event_name", "hookEventName"} {
		if e := protocol.Event(dialect.StringOf(gjson.Get(doc, key))); events.Has(e) {
			return e
		}
	}
	return ""
}

// The effects of an answer at an event. A matcher has no effect: the client runs every hook at every tool.
var events = dialect.Events{
	{Name: "SessionStart", OnFailure: dialect.AlwaysOpen, Can: dialect.Inject},
	{Name: "UserPromptSubmit", OnFailure: dialect.Open, Can: dialect.Block | dialect.Stop | dialect.Inject},
	{Name: "PreToolUse", OnFailure: dialect.Open, Can: dialect.Block | dialect.Stop | dialect.Inject,
		Fields: []dialect.Field{"permissionDecision", "permissionDecisionReason", "updatedInput"}},
	{Name: "PostToolUse", OnFailure: dialect.Open, Can: dialect.Block | dialect.Inject},
	{Name: "PreCompact", OnFailure: dialect.AlwaysOpen},
	{Name: "SubagentStart", OnFailure: dialect.AlwaysOpen, Can: dialect.Inject},
	// A block sends the agent back to work, so a broken hook must not block.
	{Name: "SubagentStop", OnFailure: dialect.AlwaysOpen, Can: dialect.Block | dialect.EndsTurn},
	{Name: "Stop", OnFailure: dialect.AlwaysOpen, Can: dialect.Block | dialect.EndsTurn},
	{OnFailure: dialect.AlwaysOpen},
}

// eventOf returns the client's event for a call. Failed and blocked tools have no event.
func eventOf(c *dialect.Call) protocol.Event {
	return client.ClaudeEventAfter(c, "", "")
}

// detect reports whether the client sent the input. Like Copilot CLI, it writes a timestamp and no permission_mode. It
// alone has a tool_use_id beside them, a transcript at the prompt, and no reason at the end of a turn.
func detect(c *dialect.Call) bool {
	has := func(key string) bool { return gjson.Get(c.ClientInput, key).Exists() }
	if !has("timestamp") || slices.ContainsFunc([]string{"permission_mode", "permissionMode", "workspaceRoot",
		"client_type", "tool_call_id", "stop_reason", "last_assistant_message", "agent_name", "initial_prompt"}, has) {
		return false
	}
	switch {
	case !has("hook_event_name"):
		return events.Has(inputEvent(c.ClientInput))
	case c.IsAboutTool():
		return has("tool_use_id")
	case c.Event == "SessionStart":
		return c.Field("source") == "new"
	case c.Event == "Stop":
		return has("stop_hook_active")
	}
	return has("transcript_path") || has("agent_type")
}

// readInput reads the fields that the client's documents spell in another way, and the arguments under the project's
// keys.
func readInput(c *dialect.Call, _ gjson.Result) {
	c.SessionID = cmp.Or(c.SessionID, c.Field("sessionId"))
	if c.IsAboutTool() {
		c.Args = argsOf(c.Tool, c.Args)
	}
}

// Encode passes on the client's own input, or builds one from the fields of the call.
func (hooks) Encode(c *dialect.Call) (dialect.Payload, []string, error) {
	event := eventOf(c)
	return client.EncodeInput(c, event, func(o *dialect.Object) {
		o.Now("timestamp")
		o.Text("hook_event_name", string(event))
		o.TextIfAny("session_id", c.SessionID)
		o.TextIfAny("transcript_path", c.TranscriptPath)
	}, func(o *dialect.Object) {
		switch event {
		case "PreToolUse", "PostToolUse":
			if event == "PostToolUse" {
				o.Text("tool_response", c.Result)
			}
			o.Text("tool_use_id", c.ToolUseID)
		case "UserPromptSubmit":
			o.Text("prompt", c.Prompt)
		case "Stop", "SubagentStop":
			o.Raw("stop_hook_active", []byte("false"))
		}
		o.Text("cwd", cmp.Or(c.Dir, c.Workspace))
	})
}
