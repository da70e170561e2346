// Package gemini is Gemini CLI: its dialect, its files, its tools and its installation.
package gemini

import (
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// clientName is the client's name in messages.
const clientName = "Gemini CLI"

// Dialect is the dialect of Gemini CLI 0.61.0, recorded with the real client. All hooks of a call run at once, unless a
// group of the file runs its hooks in turn. A JSON answer counts at every exit code. A text blocks with any exit code
// but 0 and 1, and an exit code without a text does not block. conformance/README.md lists the differences from
// the client.
var Dialect = &dialect.Dialect{
	Name:   "gemini",
	Events: events,
	Run: dialect.Schedule{Timeout: 60 * time.Second, Parallel: true, FirstOfEqual: true,
		FileVariablesWin: true},
	Hooks: hooks{},
	Files: files,
}

// Client is how the client calls hookrun, its tools, and how hookrun is installed in it.
var Client = &client.Client{
	Dialect: Dialect,
	Detect:  func(c *dialect.Call) bool { return c.Field("timestamp") != "" && c.Field("permission_mode") == "" },
	Read: func(c *dialect.Call, response gjson.Result) {
		if c.Event == "AfterTool" {
			client.ReadLLMResponse(c, response)
		}
	},
	Answer: func(o protocol.Outcome) (client.Reply, error) {
		return client.AtExit0(hookOutput(o)) // a JSON answer counts at every exit code
	},
	ProjectVariable: "GEMINI_PROJECT_DIR",
	Tools:           tools,
	ToolName:        toolName,
	MCP:             "mcp_SERVER_TOOL",
	Install:         install,
}

// hooks implements dialect.Hooks.
type hooks struct{ dialect.Base }

func (hooks) Event(c *dialect.Call) protocol.Event { return eventOf(c) }

// OnFailure fails closed if a hook cannot be started. For a missing command the client's shell prints an error and
// exits with 127, which blocks. A missing shell must not be weaker.
func (hooks) OnFailure(e dialect.Event, f dialect.Fault) dialect.OnFailure {
	if f.Cause == protocol.CauseUnstarted &&
		(e.Name == "BeforeTool" || e.Name == "BeforeAgent" || e.Name == "BeforeModel") {
		return dialect.Closed
	}
	return e.OnFailure
}

// rule is the row of an event, with the methods that read answers.
type rule struct{ dialect.Event }

func ruleOf(e protocol.Event) rule { return rule{events.Of(e)} }

var events = dialect.Events{
	{Name: "SessionStart", Subject: "source", OnFailure: dialect.AlwaysOpen, Can: dialect.Inject},
	{Name: "BeforeAgent", Common: protocol.PreExecute, OnFailure: dialect.Open,
		Can: dialect.Block | dialect.Stop | dialect.Inject},
	{Name: "PreCompress", Subject: "trigger", OnFailure: dialect.AlwaysOpen},
	{Name: "BeforeModel", OnFailure: dialect.Open, Can: dialect.Block | dialect.Stop,
		Fields: []dialect.Field{"llm_request", "llm_response"}},
	{Name: "BeforeToolSelection", OnFailure: dialect.AlwaysOpen, Fields: []dialect.Field{"toolConfig"}},
	{Name: "AfterModel", OnFailure: dialect.Open, Can: dialect.Block | dialect.Stop,
		Fields: []dialect.Field{"llm_response"}},
	{Name: "BeforeTool", Common: protocol.PreTool, Subject: "tool_name", OnFailure: dialect.Open,
		Can: dialect.Block | dialect.Stop},
	{Name: "AfterTool", Common: protocol.PostTool, Subject: "tool_name", OnFailure: dialect.Open,
		Can:    dialect.Block | dialect.Stop | dialect.Inject,
		Fields: []dialect.Field{"tailToolCallRequest"}},
	{Name: "Notification", OnFailure: dialect.AlwaysOpen},
	// A block sends the agent back to work without a limit, so a broken hook must not block.
	{Name: "AfterAgent", OnFailure: dialect.AlwaysOpen, Can: dialect.Block | dialect.Stop | dialect.EndsTurn,
		Fields: []dialect.Field{"clearContext"}},
	{Name: "SessionEnd", Subject: "reason", OnFailure: dialect.AlwaysOpen},
	{OnFailure: dialect.AlwaysOpen},
}

// eventOf returns the client's event for a call. AfterTool is for all tools that ran, including failed ones.
func eventOf(c *dialect.Call) protocol.Event {
	if c.Blocked && c.Common() == protocol.PostTool {
		return "" // no event of the client
	}
	return dialect.EventNamed(c, "BeforeAgent", "BeforeTool", "AfterTool")
}

func (hooks) Environment(c *dialect.Call) []string {
	env := []string{"GEMINI_PROJECT_DIR=" + c.Workspace, "GEMINI_CWD=" + c.Workspace, "CLAUDE_PROJECT_DIR=" +
		c.Workspace}
	if c.Event == "" { // a process for many calls
		return env
	}
	return append(env, "GEMINI_SESSION_ID="+c.SessionID)
}

// toolName returns the usual name of an MCP tool. The client joins server and tool by a single underscore, so only
// other fields of the input show where the server's name ends.
func toolName(c *dialect.Call) string {
	return dialect.MCPName(c.Field("mcp_context.server_name"), c.Field("mcp_context.tool_name"))
}
