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
	Name:     "gemini",
	Events:   func() []protocol.Event { return events.Names() },
	TurnEnds: []protocol.Event{"AfterAgent"},
	Timeout:  60 * time.Second,
	Causes:   dialect.ProcessCauses,
	Failure: func(e protocol.Event, cause protocol.Cause) protocol.Decision {
		// The client's shell says of a command that is not there why, and ends with 127, which blocks. A shell that is
		// not there itself must do no less.
		if cause == protocol.CauseUnstarted && (e == "BeforeTool" || e == "BeforeAgent" || e == "BeforeModel") {
			return protocol.Block
		}
		return protocol.Continue
	},
	CannotBlock:        func(e protocol.Event) bool { return ruleOf(e).does&fails == 0 },
	Parallel:           true,
	FirstOfSame:        true,
	Environment:        environment,
	OwnEnvironmentWins: true,
	SubjectField:       func(e protocol.Event) string { return events.SubjectField(e) },
	Event:              eventOf,
	EncodeInput:        payload,
	Decode:             decode,
	Merge:              merge,
	Propagate:          propagate,
	// A JSON answer counts whatever the exit.
	EncodeOutput: func(o protocol.Outcome) ([]byte, int, error) {
		return dialect.AtExit0(hookOutput(o))
	},
	Detect: func(c *protocol.Call) bool {
		return c.Field("timestamp") != "" && c.Field("permission_mode") == ""
	},
	ProjectVariable: "GEMINI_PROJECT_DIR",
	ToolName:        toolName,
	ReadResult: func(c *protocol.Call, response gjson.Result) {
		if c.Event == "AfterTool" {
			dialect.ReadLLMResponse(c, response)
		}
	},
	Tools: tools,

	Settings: settings,
	Install:  install,
}

// eventRule is what one event of the client is like.
type eventRule struct {
	name    protocol.Event
	subject string // the field that matchers are held against
	does    effect
	context bool     // additionalContext is for the model; elsewhere the client drops it
	carries []string // what else hookSpecificOutput may have
}

func (m eventRule) Event() (protocol.Event, string) { return m.name, m.subject }

// effect is what hooks can do at an event.
type effect int

const (
	blocks effect = 1 << iota // a deny holds something up, or after the fact is feedback
	fails                     // what a failure means can be set: it may block
	stops                     // continue: false ends the turn
)

var events = dialect.Rules[eventRule]{
	{"SessionStart", "source", 0, true, nil},
	{"BeforeAgent", "", blocks | fails | stops, true, nil},
	{"PreCompress", "trigger", 0, false, nil},
	{"BeforeModel", "", blocks | fails | stops, false, []string{"llm_request", "llm_response"}},
	{"BeforeToolSelection", "", 0, false, []string{"toolConfig"}},
	{"AfterModel", "", blocks | fails | stops, false, []string{"llm_response"}},
	{"BeforeTool", "tool_name", blocks | fails | stops, false, nil},
	{"AfterTool", "tool_name", blocks | fails | stops, true, []string{"tailToolCallRequest"}},
	{"Notification", "", 0, false, nil},
	// A block sends the agent back to work, without a limit: a hook that is broken must not do that for ever.
	{"AfterAgent", "", blocks | stops, false, []string{"clearContext"}},
	{"SessionEnd", "reason", 0, false, nil},
}

func ruleOf(e protocol.Event) eventRule { return events.Of(e, eventRule{name: e}) }

// eventOf: AfterTool is for tools that ran, those that failed too.
func eventOf(c *protocol.Call) protocol.Event {
	if c.Blocked && c.Event.Canonical() == protocol.PostTool {
		return "" // an event that the client does not have
	}
	return dialect.EventNamed(c.Event, "BeforeAgent", "BeforeTool", "AfterTool")
}

func environment(c *protocol.Call) []string {
	env := []string{"GEMINI_PROJECT_DIR=" + c.Workspace, "GEMINI_CWD=" + c.Workspace, "CLAUDE_PROJECT_DIR=" +
		c.Workspace}
	if c.Event == "" { // of a process that sees many calls
		return env
	}
	return append(env, "GEMINI_SESSION_ID="+c.SessionID)
}

// toolName writes the name of an MCP tool as all the others do. The client joins its parts by single underscores, so
// that only what stands beside it says where the server's name ends.
func toolName(c *protocol.Call) string {
	return dialect.MCPName(c.Field("mcp_context.server_name"), c.Field("mcp_context.tool_name"))
}
