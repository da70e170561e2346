// Package kiro is the dialect of Kiro CLI, once Amazon Q Developer CLI, taken from its public source and its documents:
// the client itself was not recorded. Hooks stand in the file of an agent. Exit 2 blocks before a tool, and all other
// failures fail open.
package kiro

import (
	"cmp"
	"fmt"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

const clientName = "Kiro CLI"

// Dialect is the dialect of Kiro CLI. All hooks of a call run at once, in the session's current directory.
var Dialect = &dialect.Dialect{
	Name:   "kiro",
	Events: events,
	Run:    dialect.Schedule{Timeout: 30 * time.Second, Parallel: true, FollowsDir: true},
	Hooks:  hooks{},
	Files:  files,
}

// Client is how the client calls hookrun, its tools, and how hookrun is installed in it.
var Client = &client.Client{
	Dialect: Dialect,
	Detect:  detect,
	Read:    readInput,
	Answer: func(o protocol.Outcome) (client.Reply, error) {
		return client.ReplyByExit(o, events.Of(eventNamed(events.CallAt(o.Event))), clientName)
	},
	Tools:    tools,
	ToolName: toolName,
	Install:  install,
}

// hooks implements dialect.Hooks.
type hooks struct{ dialect.Base }

func (hooks) Event(c *dialect.Call) protocol.Event { return eventNamed(c) }

// CallLimit is below the timeout of hookrun's entry, after which the client runs the call without an answer.
func (hooks) CallLimit() time.Duration { return 590 * time.Second }

const prompt, before, after = "userPromptSubmit", "preToolUse", "postToolUse"

var events = dialect.Events{
	{Name: "agentSpawn", OnFailure: dialect.AlwaysOpen, Can: dialect.Inject},
	// By the documents of the newer client exit 2 blocks the prompt, too; the public source only warns.
	{Name: prompt, Common: protocol.PreExecute, OnFailure: dialect.Open, Can: dialect.Block | dialect.Inject},
	{Name: before, Common: protocol.PreTool, Subject: "tool_name", OnFailure: dialect.Open, Can: dialect.Block},
	{Name: after, Common: protocol.PostTool, Subject: "tool_name", OnFailure: dialect.AlwaysOpen},
	{Name: "stop", OnFailure: dialect.AlwaysOpen},
	{OnFailure: dialect.AlwaysOpen},
}

func eventNamed(c *dialect.Call) protocol.Event { return dialect.EventNamed(c, prompt, before, after) }

// detect reports whether the client sent the input. Cursor has some of the events, and its inputs name its version.
func detect(c *dialect.Call) bool {
	for _, key := range []string{"cursor_version", "conversation_id", "transcript_path", "timestamp", "turn_id"} {
		if gjson.Get(c.ClientInput, key).Exists() {
			return false
		}
	}
	return events.Has(c.Event) && gjson.Get(c.ClientInput, "cwd").Exists()
}

// readInput reads how the tool ended.
func readInput(c *dialect.Call, response gjson.Result) {
	if c.Event == after {
		c.Failed = response.Get("success").Type == gjson.False
	}
}

// Encode passes on the client's own input, or builds one from the fields of the call.
func (hooks) Encode(c *dialect.Call) (dialect.Payload, []string, error) {
	event := eventNamed(c)
	return client.EncodeInput(c, event, func(o *dialect.Object) {
		o.Text("hook_event_name", string(event))
		o.Text("cwd", cmp.Or(c.Dir, c.Workspace))
		if event == prompt {
			o.Text("prompt", c.Prompt)
		}
	}, func(o *dialect.Object) {
		if event == after {
			o.Raw("tool_response", fmt.Appendf(nil, `{"success":%t,"result":[%s]}`, !c.Failed,
				strictjson.Quote(c.Result)))
		}
	})
}

func (hooks) Decode(c *dialect.Call, hook string, r *dialect.HookResult) dialect.Verdict {
	return client.DecodeExit(events.Of(eventNamed(c)), hook, r)
}
