package claude

import (
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Dialect is the dialect of Claude Code 2.1.329, as the real client was recorded. All hooks of a call run at once. Exit
// 2 blocks, any other exit but 0 is a failure that lets pass, and JSON on stdout is read on every exit. Where it
// departs from the client, as in the order of results, is in the README.
var Dialect = &dialect.Dialect{
	Name:     "claude",
	Events:   func() []protocol.Event { return events.Names() },
	TurnEnds: []protocol.Event{"Stop", "SubagentStop"},
	Timeout:  600 * time.Second,
	TimeoutAt: func(e protocol.Event) time.Duration {
		switch e {
		case "UserPromptSubmit", "PreModelSwitch", "PostModelSwitch":
			return 30 * time.Second
		case "MessageDisplay":
			return 10 * time.Second
		case "SessionEnd":
			return 1500 * time.Millisecond
		}
		return 0
	},
	Causes: dialect.HookCauses,
	Failure: func(e protocol.Event, cause protocol.Cause) protocol.Decision {
		if e == "PreModelSwitch" && cause == protocol.CauseTimeout {
			return protocol.Block
		}
		return protocol.Continue // whatever goes wrong with a hook, the client goes on
	},
	CannotBlock:     func(e protocol.Event) bool { return ruleOf(e).does&fails == 0 },
	Parallel:        true,
	MaxContext:      10_000,
	FollowsDir:      true,
	Environment:     func(c *protocol.Call) []string { return []string{"CLAUDE_PROJECT_DIR=" + c.Workspace} },
	HiddenVariables: []string{"OTEL_"},
	SubjectField:    func(e protocol.Event) string { return events.SubjectField(e) },
	Event:           dialect.ClaudeEventOf,
	EncodeInput:     payload,
	Decode:          decode,
	Merge:           dialect.MergeNotRun,
	GoesAsync:       goesAsync,
	EncodeOutput: func(o protocol.Outcome) ([]byte, int, error) {
		text, err := hookOutput(o)
		return text, exitCode(o), err
	},
	ProjectVariable: "CLAUDE_PROJECT_DIR",
	FitResult:       fitResult,
	ReadResult:      readResult,
	Tools:           tools,
	ToolName:        toolName,
	ToolAliases:     toolAliases,

	Settings: settings,
	Install:  install,
}

// eventRule is what one event of the client is like.
type eventRule struct {
	name    protocol.Event
	subject string // the field that matchers are held against
	does    effect
	answer  []dialect.Field // what hookSpecificOutput may have; additionalContext is context everywhere
}

func (m eventRule) Event() (protocol.Event, string) { return m.name, m.subject }

// effect is what hooks can do at an event.
type effect int

const (
	blocks   effect = 1 << iota // exit 2 and decision "block" hold something up, or after the fact are feedback
	fails                       // what a failure means can be set: it may block
	stops                       // continue: false ends the turn
	speaks                      // plain text on stdout is for the model
	allExits                    // any exit but 0 blocks
)

// events are the events of the client.
var events = dialect.Rules[eventRule]{
	{"SessionStart", "source", speaks, []dialect.Field{"additionalContext string", "initialUserMessage string",
		"sessionTitle string", "watchPaths strings", "reloadSkills boolean"}},
	{"Setup", "trigger", 0, nil}, // the client drops what is said there
	{"UserPromptSubmit", "", blocks | fails | stops | speaks, []dialect.Field{"additionalContext string",
		"sessionTitle string", "suppressOriginalPrompt boolean"}},
	{"UserPromptExpansion", "command_name", blocks | fails | stops | speaks,
		[]dialect.Field{"additionalContext string"}},
	{"PreToolUse", "tool_name", blocks | fails | stops, []dialect.Field{"permissionDecision allow|deny|ask|defer",
		"permissionDecisionReason string", "updatedInput object", "additionalContext string"}},
	{"PermissionRequest", "tool_name", fails, []dialect.Field{"decision object"}},
	{"PermissionDenied", "tool_name", 0, []dialect.Field{"retry boolean"}},
	{"PostToolUse", "tool_name", blocks | fails | stops, []dialect.Field{"additionalContext string",
		"classifierContext string", "updatedToolOutput any", "updatedMCPToolOutput any"}},
	{"PostToolUseFailure", "tool_name", blocks | fails, []dialect.Field{"additionalContext string"}},
	{"PostToolBatch", "", blocks | fails | stops, []dialect.Field{"additionalContext string"}},
	{"Notification", "notification_type", 0, nil},
	{"MessageDisplay", "", 0, []dialect.Field{"displayContent string"}},
	{"SubagentStart", "agent_type", stops, []dialect.Field{"additionalContext string"}},
	{"SubagentStop", "agent_type", blocks | stops, []dialect.Field{"additionalContext string"}},
	{"TaskCreated", "", blocks | fails, nil},
	{"TaskCompleted", "", blocks | stops, nil},
	{"Stop", "", blocks | stops, []dialect.Field{"additionalContext string"}},
	{"StopFailure", "error", 0, nil},
	{"TeammateIdle", "", blocks | stops, nil},
	{"InstructionsLoaded", "load_reason", 0, nil},
	{"ConfigChange", "source", blocks | fails, nil},
	{"CwdChanged", "", 0, []dialect.Field{"watchPaths strings"}},
	{"DirectoryAdded", "source", 0, nil},
	{"FileChanged", "file_path", 0, []dialect.Field{"watchPaths strings"}},
	{"WorktreeCreate", "", blocks | fails | allExits, []dialect.Field{"worktreePath string"}},
	{"WorktreeRemove", "", blocks | fails | allExits, nil},
	{"PreCompact", "trigger", blocks | fails | speaks, nil},
	{"PostCompact", "trigger", 0, nil},
	{"PreModelSwitch", "to_model", blocks | fails, []dialect.Field{"permissionDecision allow|deny|ask|defer",
		"permissionDecisionReason string", "updatedInput object", "additionalContext string"}},
	{"PostModelSwitch", "to_model", speaks, []dialect.Field{"additionalContext string"}},
	{"Elicitation", "mcp_server_name", blocks | fails, []dialect.Field{"action accept|decline|cancel",
		"content object"}},
	{"ElicitationResult", "mcp_server_name", blocks | fails, []dialect.Field{"action accept|decline|cancel",
		"content object"}},
	{"SessionEnd", "reason", 0, nil},
}

func ruleOf(e protocol.Event) eventRule {
	return events.Of(e, eventRule{name: e, does: blocks | fails})
}
