package qwen

import (
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// client is how messages name it.
const client = "Qwen Code"

// Dialect is the dialect of Qwen Code 0.24.4, as the real client was recorded: Claude Code's events, Gemini CLI's tools
// and process. All hooks of a call run at once, unless a group of the file wants them in turn. A JSON answer counts
// whatever the exit code; a text blocks with exit 2 alone, and there it is stderr that counts. What one hook answers
// can undo what another one did.
var Dialect = &dialect.Dialect{
	Name:               "qwen",
	Events:             func() []protocol.Event { return events.Names() },
	TurnEnds:           []protocol.Event{"Stop", "SubagentStop"},
	Timeout:            60 * time.Second,
	Causes:             dialect.HookCauses,
	Failure:            dialect.FailsOpen,
	CannotBlock:        func(e protocol.Event) bool { return ruleOf(e).does&fails == 0 },
	Parallel:           true,
	FirstOfSame:        true,
	Environment:        environment,
	HiddenVariables:    []string{"QWEN_SERVER_TOKEN"},
	OwnEnvironmentWins: true,
	SubjectField:       func(e protocol.Event) string { return events.SubjectField(e) },
	Event:              dialect.ClaudeEventOf,
	EncodeInput:        payload,
	Decode:             decode,
	Outrank:            settle,
	Merge:              merge,
	Propagate:          propagate,
	// A JSON answer counts whatever the exit.
	EncodeOutput: func(o protocol.Outcome) ([]byte, int, error) {
		return dialect.AtExit0(hookOutput(o))
	},
	// Exit 2 does nothing after a tool, and before one another hook's allow undoes it.
	Errors: dialect.ErrorByBlock,
	// Gemini CLI has a timestamp and no permission_mode, Claude Code and Codex have it the other way round.
	Detect: func(c *protocol.Call) bool {
		return c.Field("timestamp") != "" && c.Field("permission_mode") != ""
	},
	ProjectVariable: "QWEN_PROJECT_DIR",
	ReadResult: func(c *protocol.Call, response gjson.Result) {
		switch c.Event {
		case "PostToolUse":
			dialect.ReadLLMResponse(c, response)
		case "PostToolUseFailure":
			c.Failed, c.Result = true, c.Field("error")
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
}

func (m eventRule) Event() (protocol.Event, string) { return m.name, m.subject }

// effect is what hooks can do at an event.
type effect int

const (
	blocks   effect = 1 << iota // a deny holds something up, or after the fact is feedback
	fails                       // what a failure means can be set: it may block
	stops                       // continue: false is a block here, and ends no turn
	hears                       // additionalContext is for the model
	speaks                      // plain text on stdout is, too
	permits                     // permissionDecision comes before decision, and ask asks
	todo                        // "block" holds something up, and "deny" does not
	requests                    // the answer is hookSpecificOutput.decision
)

var events = dialect.Rules[eventRule]{
	{"InstructionsLoaded", "file_path", 0},
	{"SessionStart", "source", hears | speaks},
	{"Notification", "notification_type", 0},
	{"UserPromptSubmit", "", blocks | fails | stops | hears | speaks},
	{"UserPromptExpansion", "command_name", blocks | fails | stops | hears | speaks},
	{"PreToolUse", "tool_name", permits | fails | stops},
	{"PermissionRequest", "tool_name", requests | fails},
	{"PermissionDenied", "tool_name", 0},
	{"PostToolUse", "tool_name", stops | fails | hears}, // a deny does nothing
	{"PostToolUseFailure", "tool_name", hears},
	{"PostToolBatch", "", blocks | fails | stops | hears},
	{"TodoCreated", "", todo | fails},
	{"TodoCompleted", "", todo | fails},
	{"MessageDisplay", "", 0},
	{"SubagentStart", "agent_type", 0},
	// A block sends the agent back to work: a hook that is broken must not do that.
	{"SubagentStop", "agent_type", blocks | stops},
	{"Stop", "", blocks | stops},
	{"StopFailure", "error", 0},
	{"PreCompact", "trigger", 0},
	{"PostCompact", "trigger", 0},
	{"SessionEnd", "reason", 0},
	{"SessionDelete", "", 0},
}

func ruleOf(e protocol.Event) eventRule { return events.Of(e, eventRule{name: e}) }

// ruleAt is the rule of a call. Behind the fact no hook has a say about a list of todos.
func ruleAt(c *protocol.Call) eventRule {
	m := ruleOf(dialect.ClaudeEventOf(c))
	if c.Field("phase") == "postWrite" {
		m.does = 0
	}
	return m
}

func environment(c *protocol.Call) []string {
	env := []string{"QWEN_PROJECT_DIR=" + c.Workspace, "CLAUDE_PROJECT_DIR=" + c.Workspace,
		"GEMINI_PROJECT_DIR=" + c.Workspace}
	if c.Event == "" { // of a process that sees many calls
		return env
	}
	env = append(env, "QWEN_CODE_SESSION_ID="+c.SessionID)
	if id := c.Field("prompt_id"); id != "" {
		env = append(env, "QWEN_CODE_PROMPT_ID="+id)
	}
	return env
}
