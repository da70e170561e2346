package gemini

import (
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// client is how messages name it.
const client = "Gemini CLI"

// Dialect is the dialect of Gemini CLI 0.61.0, as the real client was recorded. All hooks of a call run at once, unless
// a group of the file wants them in turn. A JSON answer counts whatever the exit code; a text blocks with any code but
// 0 and 1, and a code without a text blocks nothing. Where it departs from the client is in the README.
var Dialect = &dialect.Dialect{
	Name:   "gemini",
	Events: events,
	Causes: dialect.ProcessCauses,
	Run: dialect.Schedule{Timeout: 60 * time.Second, Parallel: true, FirstOfSame: true,
		FileVariablesWin: true},
	Hooks: hooks{},
	Client: &dialect.Client{
		Detect: func(c *dialect.Call) bool { return c.Field("timestamp") != "" && c.Field("permission_mode") == "" },
		Read: func(c *dialect.Call, response gjson.Result) {
			if c.Event == "AfterTool" {
				dialect.ReadLLMResponse(c, response)
			}
		},
		Reply: func(o protocol.Outcome) (dialect.Reply, error) {
			return dialect.AtExit0(hookOutput(o)) // a JSON answer counts whatever the exit
		},
		ProjectVariable: "GEMINI_PROJECT_DIR",
		Tools:           tools,
		ToolName:        toolName,
	},
	Files:   files,
	Install: install,
}

// hooks are the client's hooks, with the defaults of dialect.Base.
type hooks struct{ dialect.Base }

func (hooks) Event(c *dialect.Call) protocol.Event { return eventOf(c) }

// OnFailure: the client's shell says of a command that is not there why, and ends with 127, which blocks. A shell that
// is not there itself must do no less.
func (hooks) OnFailure(e dialect.Event, f dialect.Fault) dialect.OnFailure {
	if f.Cause == protocol.CauseUnstarted &&
		(e.Name == "BeforeTool" || e.Name == "BeforeAgent" || e.Name == "BeforeModel") {
		return dialect.Closed
	}
	return e.OnFailure
}

// rule is the row of an event, with what the client makes of an answer there.
type rule struct{ dialect.Event }

func ruleOf(e protocol.Event) rule { return rule{events.Of(e)} }

var events = dialect.Events{
	{Name: "SessionStart", Subject: "source", OnFailure: dialect.AlwaysOpen, Can: dialect.Inject},
	{Name: "BeforeAgent", OnFailure: dialect.Open, Can: dialect.Block | dialect.Stop | dialect.Inject},
	{Name: "PreCompress", Subject: "trigger", OnFailure: dialect.AlwaysOpen},
	{Name: "BeforeModel", OnFailure: dialect.Open, Can: dialect.Block | dialect.Stop,
		Fields: []dialect.Field{"llm_request", "llm_response"}},
	{Name: "BeforeToolSelection", OnFailure: dialect.AlwaysOpen, Fields: []dialect.Field{"toolConfig"}},
	{Name: "AfterModel", OnFailure: dialect.Open, Can: dialect.Block | dialect.Stop,
		Fields: []dialect.Field{"llm_response"}},
	{Name: "BeforeTool", Subject: "tool_name", OnFailure: dialect.Open, Can: dialect.Block | dialect.Stop},
	{Name: "AfterTool", Subject: "tool_name", OnFailure: dialect.Open,
		Can:    dialect.Block | dialect.Stop | dialect.Inject,
		Fields: []dialect.Field{"tailToolCallRequest"}},
	{Name: "Notification", OnFailure: dialect.AlwaysOpen},
	// A block sends the agent back to work, without a limit: a hook that is broken must not do that for ever.
	{Name: "AfterAgent", OnFailure: dialect.AlwaysOpen, Can: dialect.Block | dialect.Stop | dialect.EndsTurn,
		Fields: []dialect.Field{"clearContext"}},
	{Name: "SessionEnd", Subject: "reason", OnFailure: dialect.AlwaysOpen},
	{OnFailure: dialect.AlwaysOpen},
}

// eventOf: AfterTool is for tools that ran, those that failed too.
func eventOf(c *dialect.Call) protocol.Event {
	if c.Blocked && dialect.Canonical(c.Event) == protocol.PostTool {
		return "" // an event that the client does not have
	}
	return dialect.EventNamed(c.Event, "BeforeAgent", "BeforeTool", "AfterTool")
}

func (hooks) Environment(c *dialect.Call) []string {
	env := []string{"GEMINI_PROJECT_DIR=" + c.Workspace, "GEMINI_CWD=" + c.Workspace, "CLAUDE_PROJECT_DIR=" +
		c.Workspace}
	if c.Event == "" { // of a process that sees many calls
		return env
	}
	return append(env, "GEMINI_SESSION_ID="+c.SessionID)
}

// toolName writes the name of an MCP tool as all the others do. The client joins its parts by single underscores, so
// that only what stands beside it says where the server's name ends.
func toolName(c *dialect.Call) string {
	return dialect.MCPName(c.Field("mcp_context.server_name"), c.Field("mcp_context.tool_name"))
}
