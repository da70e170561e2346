// Package crush is the dialect of Crush 0.90.0, recorded with the real client. Hooks run before a tool and at no other
// event: all at once, equal hooks once. Exit 2 blocks and exit 49 ends the turn, and so do deny and halt in JSON at
// exit 0. All other failures fail open, except a hook that cannot be started: see hooks.OnFailure.
package crush

import (
	"cmp"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is the dialect of Crush.
var Dialect = &dialect.Dialect{
	Name:   "crush",
	Events: events,
	Run:    dialect.Schedule{Timeout: 30 * time.Second, Parallel: true, FirstOfEqual: true, FollowsDir: true},
	Hooks:  hooks{},
	Files:  files,
}

// Client is how the client calls hookrun, its tools, and how hookrun is installed in it.
var Client = &client.Client{
	Dialect:    Dialect,
	InputEvent: inputEvent,
	Detect:     func(c *dialect.Call) bool { return inputEvent(c.ClientInput) != "" },
	Answer: func(o protocol.Outcome) (client.Reply, error) {
		return client.AtExit0(output(o))
	},
	Errors:  client.ErrorByBlock, // any exit but 2 and 49 fails open
	Tools:   tools,
	MCP:     "mcp_SERVER_TOOL",
	Install: install,
}

// The client's name in messages, and its only event.
const (
	clientName                = "Crush"
	before     protocol.Event = "PreToolUse"
)

var events = dialect.Events{
	{Name: before, Subject: "tool_name", OnFailure: dialect.Open,
		Can: dialect.Block | dialect.Stop | dialect.Inject},
	{OnFailure: dialect.AlwaysOpen},
}

// hooks implements dialect.Hooks.
type hooks struct{ dialect.Base }

func (hooks) Event(c *dialect.Call) protocol.Event { return dialect.ClaudeEvent(c) }

// OnFailure fails closed if a hook cannot be started. The client has a shell of its own, with jq, which also runs files
// without execute permission, so a hook that another shell cannot run may be a gate.
func (hooks) OnFailure(e dialect.Event, f dialect.Fault) dialect.OnFailure {
	if f.Cause == protocol.CauseUnstarted && e.Name == before {
		return dialect.Closed
	}
	return e.OnFailure
}

// Environment returns the client's variables. Guards in the client's documents read the command from a variable.
func (hooks) Environment(c *dialect.Call) []string {
	dir := cmp.Or(c.Dir, c.Workspace)
	env := []string{"CRUSH=1", "AGENT=crush", "AI_AGENT=crush", "CRUSH_CWD=" + dir, "CRUSH_PROJECT_DIR=" + dir}
	if c.Event == "" { // a process for many calls
		return env
	}
	env = append(env, "CRUSH_EVENT="+string(dialect.ClaudeEvent(c)), "CRUSH_TOOL_NAME="+c.Tool,
		"CRUSH_SESSION_ID="+c.SessionID)
	return append(env, inputVariables(c)...)
}

const inputVariable = "CRUSH_TOOL_INPUT_"

// inputVariables returns variables with parts of the tool's input, as the client sets them.
func inputVariables(c *dialect.Call) (env []string) {
	for _, key := range []string{"command", "file_path"} {
		if v := gjson.Get(c.Args, key); v.Exists() {
			env = append(env, inputVariable+strings.ToUpper(key)+"="+v.String())
		}
	}
	return env
}
