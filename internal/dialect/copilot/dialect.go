package copilot

import (
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/lazy"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is the dialect of GitHub Copilot CLI 1.0.102, as the real client was recorded. Hooks run one after the other.
// Before a tool any failure but a timeout blocks; elsewhere nothing but a JSON answer does. A file can name an event in
// camelCase or as Claude Code does, and the hook's input and answer depend on that: those in camelCase have the dialect
// of Spelling. The client gives their inputs no name of the event, so hookrun itself is never called at one. Where all
// this departs from the client is in docs/dialects/copilot-cli.md.
var Dialect = &dialect.Dialect{
	Name:    "copilot",
	Timeout: 30 * time.Second,
	Causes:  dialect.HookCauses,
	Failure: func(e protocol.Event, cause protocol.Cause) protocol.Decision {
		m := ruleOf(e)
		if m.does&denies == 0 || cause == protocol.CauseTimeout ||
			cause == protocol.CauseOutput && m.name != "PermissionRequest" {
			return protocol.Continue
		}
		return protocol.Block
	},
	CannotBlock: func(e protocol.Event) bool { return ruleOf(e).does&(denies|fails) == 0 },
	Ends:        ends,
	Environment: func(c *protocol.Call) []string {
		return []string{"COPILOT_CLI=1", "COPILOT_PROJECT_DIR=" + c.Workspace, "CLAUDE_PROJECT_DIR=" + c.Workspace}
	},
	HiddenVariables: []string{"GITHUB_TOKEN="},
	SubjectField:    func(e protocol.Event) string { return ruleOf(e).subject },
	Events:          func() []protocol.Event { return names(false) },
	TurnEnds:        []protocol.Event{"Stop", "SubagentStop"},
	Event:           func(c *protocol.Call) protocol.Event { return ruleOf(eventOf(c)).spelt(false) },
	EncodeInput:     payload,
	Decode: func(c *protocol.Call, hook string, r *dialect.HookResult) dialect.Verdict {
		return decode(ruleOf(eventOf(c)), false, hook, r)
	},
	Outrank:         outrank,
	Merge:           dialect.MergeNotRun,
	EncodeOutput:    encodeOutput,
	Stderr:          stderr,
	Errors:          dialect.ErrorByExitAndBlock,
	AnsweredBy:      answeredBy,
	Detect:          detect,
	ProjectVariable: "COPILOT_PROJECT_DIR",
	ReadResult:      readResult,
	Tools:           tools,

	Settings: settings,
	Install:  install,
}

func init() {
	Dialect.Spelling = func() *dialect.Dialect { return inCamelCase.Get() } // a copy of Dialect, which cannot name it
}

// inCamelCase is the dialect of hooks whose events are in camelCase.
var inCamelCase = lazy.Value[*dialect.Dialect]{Make: func() *dialect.Dialect {
	d, form := *Dialect, *settings
	form.Pattern = func(text, subject string) dialect.Pattern { return newPattern(false, text, subject) }
	d.Settings, d.Spelling = &form, nil
	d.Events = func() []protocol.Event { return names(true) }
	d.Event = func(c *protocol.Call) protocol.Event { return ruleOf(eventOf(c)).spelt(true) }
	d.EncodeInput = camelPayload
	d.Decode = func(c *protocol.Call, hook string, r *dialect.HookResult) dialect.Verdict {
		return decode(ruleOf(eventOf(c)), true, hook, r)
	}
	return &d
}}

// eventRule is what one event of the client is like.
type eventRule struct {
	camel, name protocol.Event // "": not in this spelling
	subject     string         // the field that matchers are held against
	does        effect
	carries     []string // what else an answer may have
}

// effect is what hooks can do at an event.
type effect int

const (
	denies   effect = 1 << iota // exit 2 and almost any failure block
	blocks                      // "decision": "block" with a reason blocks, or after the fact is feedback
	fails                       // what a failure means can be set: it may block
	contexts                    // additionalContext is for the model; elsewhere the client drops it
	lastWord                    // of several answers the last counts
)

var events = []*eventRule{
	{"sessionStart", "SessionStart", "", contexts, nil},
	{"userPromptSubmitted", "UserPromptSubmit", "", blocks | fails | contexts,
		[]string{"modifiedPrompt", "handled", "responseContent"}},
	{"userPromptTransformed", "", "", 0, []string{"modifiedTransformedPrompt"}},
	{"preToolUse", "PreToolUse", "tool_name", denies | contexts, nil},
	{"preMcpToolCall", "PreMcpToolCall", "", 0, nil},
	{"permissionRequest", "PermissionRequest", "tool_name", denies | lastWord, nil},
	{"postToolUse", "PostToolUse", "tool_name", blocks | fails | contexts, nil},
	{"postToolUseFailure", "PostToolUseFailure", "", contexts, nil},
	{"subagentStart", "SubagentStart", "agent_name", contexts, nil},
	{"subagentStop", "SubagentStop", "", blocks | lastWord, []string{"modifiedResponse"}},
	{"agentStop", "Stop", "", blocks | lastWord, nil},
	{"errorOccurred", "ErrorOccurred", "", 0, nil},
	{"preCompact", "PreCompact", "", 0, nil},
	{"notification", "Notification", "", contexts, nil},
	{"sessionEnd", "SessionEnd", "", 0, nil},
}

// ofTurn reports whether the event is the end of a turn, of the agent's or a subagent's.
func (m *eventRule) ofTurn() bool { return m.name == "Stop" || m.name == "SubagentStop" }

// spelt is the name of the event in one of the two spellings.
func (m *eventRule) spelt(camel bool) protocol.Event {
	if camel {
		return m.camel
	}
	return m.name
}

func names(camel bool) (all []protocol.Event) {
	for _, m := range events {
		if name := m.spelt(camel); name != "" {
			all = append(all, name)
		}
	}
	return all
}

// ruleOf finds the rule of an event by either name.
func ruleOf(e protocol.Event) *eventRule {
	for _, m := range events {
		if e != "" && (m.name == e || m.camel == e) {
			return m
		}
	}
	return &eventRule{camel: e, name: e}
}

// eventOf: the client has an event for a tool that failed, and none for one that was blocked.
func eventOf(c *protocol.Call) protocol.Event {
	switch e := dialect.ClaudeEvent(c.Event); {
	case e.Canonical() != protocol.PostTool:
		return e
	case c.Blocked:
		return ""
	case c.Failed:
		return "PostToolUseFailure"
	default:
		return e
	}
}

// ends: before a tool whatever holds it up ends the call, and so does a hook that failed where permission is asked for.
func ends(e protocol.Event, v *dialect.Verdict) bool {
	switch m := ruleOf(e); {
	case m.name == "PreToolUse":
		return v.Decision != protocol.Continue
	case m.name == "PermissionRequest":
		return v.Decision == protocol.Block && v.Cause != protocol.CausePolicy
	default:
		return m.name == "PostToolUse" && v.Decision == protocol.Block
	}
}

// detect: the others have no time in their inputs, or a mode of permissions, or at shared events always a transcript.
func detect(c *protocol.Call) bool {
	shared := c.Event == "SessionStart" || c.Event == "SessionEnd" || c.Event == "Notification"
	return c.Field("timestamp") != "" && c.SessionID != "" && c.Field("permission_mode") == "" &&
		!(shared && c.TranscriptPath != "")
}
