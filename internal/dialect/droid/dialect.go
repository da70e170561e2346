package droid

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is the dialect of Factory Droid 0.215.0, as the real client was recorded. All hooks of a call run at once,
// equal ones too. JSON counts at every exit code, also of a hook that timed out later. The first permissionDecision in
// the file counts, whatever later hooks say. Exit 2 blocks, 3 ends the run; all else that goes wrong fails open.
var Dialect = &dialect.Dialect{
	Name:            dialectName,
	Events:          func() []protocol.Event { return events.Names() },
	TurnEnds:        []protocol.Event{"Stop"},
	Timeout:         timeout,
	Causes:          dialect.ProcessCauses,
	Failure:         dialect.FailsOpen,
	CannotBlock:     func(e protocol.Event) bool { return ruleOf(e).does&fails == 0 },
	Parallel:        true,
	FollowsDir:      true,
	Environment:     environment,
	SubjectField:    func(e protocol.Event) string { return events.SubjectField(e) },
	Event:           eventOf,
	EncodeInput:     payload,
	Decode:          decode,
	Outrank:         outrank,
	Merge:           merge,
	EncodeOutput:    hookOutput,
	Stderr:          onStderr,
	Errors:          dialect.ErrorByExitAndBlock, // after a tool exit 2 withholds nothing
	Detect:          detect,
	ProjectVariable: "FACTORY_PROJECT_DIR",
	FitInput:        fitInput,
	ToolName:        toolName,
	Tools:           tools,

	Settings: settings,
	Install:  install,
}

const (
	dialectName = "droid"
	client      = "Droid" // in messages
)

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
	blocks effect = 1 << iota // exit 2 holds something up, or after the fact is feedback
	fails                     // what a failure means can be set: it may block
	stops                     // exit 3 and continue: false end the run
	speaks                    // plain text on stdout is for the model, at exit 0
	tells                     // additionalContext is for the model
)

var events = dialect.Rules[eventRule]{
	{"SessionStart", "source", speaks | tells},
	{"UserPromptSubmit", "", blocks | fails | speaks | tells},
	{"PreToolUse", "tool_name", blocks | fails | stops},
	{"PostToolUse", "tool_name", blocks | fails | stops | tells},
	{"Notification", "", 0},
	{"SubagentStop", "", 0},
	// A block sends the agent back to work, without a limit: a hook that is broken must not do that for ever.
	{"Stop", "", blocks | stops},
	{"PreCompact", "", blocks | fails},
	{"SessionEnd", "", 0},
}

func ruleOf(e protocol.Event) eventRule { return events.Of(e, eventRule{name: e}) }

// eventOf: PostToolUse is for tools that ran and did not fail, and there is no event for the others.
func eventOf(c *protocol.Call) protocol.Event {
	if c.Event.Canonical() == protocol.PostTool && (c.Failed || c.Blocked) {
		return ""
	}
	return dialect.ClaudeEvent(c.Event)
}

// modes are what permission_mode says in this client alone.
var modes = []string{"off", "spec", "auto-low", "auto-medium", "auto-high"}

func detect(c *protocol.Call) bool { return slices.Contains(modes, c.Field("permission_mode")) }

// environment has the project's folder, and each text, number and truth value of the client's hook input under its own
// name.
func environment(c *protocol.Call) (env []string) {
	for _, name := range folders {
		env = append(env, name+"="+c.Workspace)
	}
	gjson.Parse(c.ClientInput).ForEach(func(key, value gjson.Result) bool {
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
		return true
	})
	return env
}
