package kimi

import (
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is the dialect of Kimi Code 2.1.0, as the real client was recorded. All hooks of a call run at once, equal
// ones once. Exit 2 blocks, and so does a deny in JSON at exit 0; all else that goes wrong fails open. It waits for
// hooks at four events, and after a tool for none.
var Dialect = &dialect.Dialect{
	Name:         "kimi",
	Events:       func() []protocol.Event { return events.Names() },
	TurnEnds:     []protocol.Event{"Stop"},
	Timeout:      30 * time.Second,
	Causes:       dialect.ProcessCauses,
	Failure:      dialect.FailsOpen,
	CannotBlock:  func(e protocol.Event) bool { return ruleOf(e).does&fails == 0 },
	Parallel:     true,
	FirstOfSame:  true,
	FollowsDir:   true,
	SubjectField: func(e protocol.Event) string { return events.SubjectField(e) },
	Subject: func(c *protocol.Call) string {
		if eventOf(c) == "UserPromptSubmit" {
			return c.Prompt // the field is a list
		}
		return ""
	},
	Event:       eventOf,
	EncodeInput: payload,
	Decode:      decode,
	EncodeOutput: func(o protocol.Outcome) ([]byte, int, error) {
		return dialect.AtExit0(hookOutput(o))
	},
	Errors:    dialect.ErrorByBlock, // any exit but 2 fails open, and a deny blocks wherever that is possible
	Detect:    func(c *protocol.Call) bool { return c.Field("client_type") == clientType },
	ReadInput: func(c *protocol.Call) { c.ToolUseID = c.Field("tool_call_id") },
	ReadResult: func(c *protocol.Call, _ gjson.Result) {
		if c.Event == "PostToolUseFailure" {
			c.Failed, c.Result = true, gjson.Get(c.ClientInput, "error.message").String()
		}
	},
	// An entry has 600 seconds at most, and what is cut off then runs.
	Limit: 590 * time.Second,
	Tools: tools,

	Settings: settings,
	Format:   format,
	Install:  install,
}

// client is how messages name it, clientType how it names itself to hooks.
const client, clientType = "Kimi Code", "kimi_code_cli"

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
	blocks effect = 1 << iota // exit 2 and a deny hold something up
	fails                     // what a failure means can be set: it may block
	tells                     // a text is for the model
)

// noSubject is the subject where matchers are held against an empty text: no input has such a field.
const noSubject = "no_subject"

var events = dialect.Rules[eventRule]{
	{"SessionStart", "source", 0},
	{"UserPromptSubmit", "prompt", blocks | fails | tells},
	{"UserPromptQueued", "prompt", 0},
	{"TurnStarted", "origin_kind", 0},
	{"PreToolUse", "tool_name", blocks | fails},
	{"PermissionRequest", "tool_name", 0},
	{"PermissionResult", "tool_name", 0},
	{"PostToolUse", "tool_name", 0},
	{"PostToolUseFailure", "tool_name", 0},
	{"Notification", "notification_type", 0},
	{"TaskStarted", "kind", 0},
	{"SubagentStart", "agent_name", 0},
	{"SubagentStop", "agent_name", 0},
	// A block sends the agent back to work, once a turn. A hook that is broken must not do that.
	{"Stop", noSubject, blocks},
	{"StopFailure", "error_type", 0},
	{"Interrupt", noSubject, 0},
	{"PreCompact", "trigger", 0},
	{"PostCompact", "trigger", 0},
	{"SessionHeartbeat", noSubject, 0},
	{"SessionEnd", "reason", 0},
}

func ruleOf(e protocol.Event) eventRule { return events.Of(e, eventRule{name: e}) }

// eventOf: PostToolUseFailure is also for a call that a hook blocked.
func eventOf(c *protocol.Call) protocol.Event {
	if c.Event.Canonical() == protocol.PostTool && (c.Failed || c.Blocked) {
		return "PostToolUseFailure"
	}
	return dialect.ClaudeEvent(c.Event)
}
