// Package droid is Factory's Droid: its dialect, its files, its tools and its installation.
package droid

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is the dialect of Factory Droid 0.215.0, recorded with the real client. All hooks of a call run at once,
// equal ones too. JSON counts at every exit code, even if the hook timed out later. The first permissionDecision in
// file order counts, whatever later hooks say. Exit 2 blocks, exit 3 ends the run, and all other failures fail open.
var Dialect = &dialect.Dialect{
	Name:   dialectName,
	Events: events,
	Run:    dialect.Schedule{Timeout: timeout, Parallel: true, FollowsDir: true},
	Hooks:  hooks{},
	Files:  files,
}

// Client is how the client calls hookrun, its tools, and how hookrun is installed in it.
var Client = &client.Client{
	Dialect:         Dialect,
	Detect:          func(c *dialect.Call) bool { return slices.Contains(modes, c.Field("permission_mode")) },
	Answer:          reply,
	Errors:          client.ErrorByExitAndBlock, // after a tool exit 2 withholds nothing
	ProjectVariable: "FACTORY_PROJECT_DIR",
	Tools:           tools,
	ToolName:        toolName,
	MCP:             "SERVER___TOOL",
	Install:         install,
}

// hooks implements dialect.Hooks.
type hooks struct{ dialect.Base }

func (hooks) Event(c *dialect.Call) protocol.Event { return eventOf(c) }

const (
	dialectName = "droid"
	clientName  = "Droid" // in messages
)

// rule is the row of an event, with the methods that read answers.
type rule struct{ dialect.Event }

func ruleOf(e protocol.Event) rule { return rule{events.Of(e)} }

// stdoutIsContext means that plain text on stdout at exit 0 is for the model. dialect.Stop is the effect of exit 3 and
// of continue: false.
const stdoutIsContext = dialect.OwnEffect

var events = dialect.Events{
	{Name: "SessionStart", Subject: "source", OnFailure: dialect.AlwaysOpen, Can: stdoutIsContext | dialect.Inject},
	{Name: "UserPromptSubmit", OnFailure: dialect.Open, Can: dialect.Block | stdoutIsContext | dialect.Inject},
	{Name: "PreToolUse", Subject: "tool_name", OnFailure: dialect.Open, Can: dialect.Block | dialect.Stop},
	{Name: "PostToolUse", Subject: "tool_name", OnFailure: dialect.Open,
		Can: dialect.Block | dialect.Stop | dialect.Inject},
	{Name: "Notification", OnFailure: dialect.AlwaysOpen},
	{Name: "SubagentStop", OnFailure: dialect.AlwaysOpen},
	// A block sends the agent back to work without a limit, so a broken hook must not block.
	{Name: "Stop", OnFailure: dialect.AlwaysOpen, Can: dialect.Block | dialect.Stop | dialect.EndsTurn},
	{Name: "PreCompact", OnFailure: dialect.Open, Can: dialect.Block},
	{Name: "SessionEnd", OnFailure: dialect.AlwaysOpen},
	{OnFailure: dialect.AlwaysOpen},
}

// eventOf returns the client's event for a call. Failed and blocked tools have no event.
func eventOf(c *dialect.Call) protocol.Event {
	return client.ClaudeEventAfter(c, "", "")
}

// modes are the values of permission_mode in this client alone.
var modes = []string{"off", "spec", "auto-low", "auto-medium", "auto-high"}

// Environment returns the project's folder, and each text, number and boolean of the client's hook input under its own
// name.
func (hooks) Environment(c *dialect.Call) (env []string) {
	for _, name := range folders {
		env = append(env, name+"="+c.Workspace)
	}
	for key, value := range gjson.Parse(c.ClientInput).ForEach {
		name := strictjson.Text(key.Raw)
		switch {
		case name == "" || strings.ContainsAny(name, "=\x00") || strings.HasPrefix(name, "HOOKRUN"):
		case value.Type == gjson.String:
			env = append(env, name+"="+strictjson.Text(value.Raw))
		case value.Type == gjson.Number:
			env = append(env, name+"="+strconv.FormatFloat(value.Num, 'f', -1, 64))
		case value.IsBool():
			env = append(env, name+"="+value.Raw)
		}
	}
	return env
}
