// Package claude is Claude Code: its dialect, which other clients took over, its files, its tools and its installation.
package claude

import (
	"time"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/protocol"
)

// clientName is the client's name in messages.
const clientName = "Claude Code"

// Dialect is the dialect of Claude Code 2.1.329, recorded with the real client. All hooks of a call run at once. Exit 2
// blocks, any other exit but 0 fails open, and JSON on stdout counts at every exit code. conformance/README.md
// lists the differences from the client.
var Dialect = &dialect.Dialect{
	Name:   "claude",
	Events: events,
	Others: true,
	Run: dialect.Schedule{
		Timeout:    600 * time.Second,
		Parallel:   true,
		MaxContext: 10_000,
		FollowsDir: true,
	},
	Hooks: hooks{},
	Files: files,
}

// Client is how the client calls hookrun, its tools, and how hookrun is installed in it.
var Client = &client.Client{
	Dialect:         Dialect,
	Read:            readResult,
	Answer:          reply,
	MaxReason:       50_000,
	ProjectVariable: "CLAUDE_PROJECT_DIR",
	Tools:           tools,
	Aliases:         toolAliases,
	ToolName:        toolName,
	Install:         install,
}

// hooks implements dialect.Hooks.
type hooks struct{ dialect.Base }

func (hooks) Event(c *dialect.Call) protocol.Event { return client.ClaudeEventOf(c) }

// Variants returns the hooks of all other events, then those at skillCommand. There both run, so a gate for PreToolUse
// in a project's file guards the command.
func (hooks) Variants() []*dialect.Dialect { return []*dialect.Dialect{Dialect, ofSkills.Get()} }

// skillCommand is the event of a command in the text of a skill or slash command.
const skillCommand = "PreSkillShellCommand"

// ofSkills is the dialect of hooks at skillCommand.
var ofSkills = lazy.Value[*dialect.Dialect]{Make: func() *dialect.Dialect {
	d := *Dialect
	d.Hooks, d.Events = skillHooks{}, dialect.Events{events.Of(skillCommand)}
	return &d
}}

// skillHooks implements dialect.Hooks for hooks at skillCommand.
type skillHooks struct{ hooks }

func (skillHooks) Event(c *dialect.Call) protocol.Event {
	if c.Event == skillCommand {
		return skillCommand
	}
	return ""
}

func (skillHooks) Encode(c *dialect.Call) (dialect.Payload, []string, error) {
	return encode(c, skillCommand)
}

func (skillHooks) Decode(c *dialect.Call, hook string, r *dialect.HookResult) dialect.Verdict {
	return decode(c, events.Of(skillCommand), hook, r)
}

// OnFailure returns the policy of the event, with one exception: a hook that times out before a switch of the model
// fails closed.
func (hooks) OnFailure(e dialect.Event, f dialect.Fault) dialect.OnFailure {
	if e.Name == "PreModelSwitch" && f.Cause == protocol.CauseTimeout {
		return dialect.Closed
	}
	return e.OnFailure
}

func (hooks) Environment(c *dialect.Call) []string {
	return []string{"CLAUDE_PROJECT_DIR=" + c.Workspace}
}

// Posts is true: hooks can have the type "http".
func (hooks) Posts() bool { return true }

func (hooks) HiddenVariables() []string { return []string{"OTEL_"} }

func (hooks) Merge(m *dialect.Merging) { client.MergeUnsupported(m) }

// Effects that only this client has.
const (
	stdoutIsContext = dialect.OwnEffect << iota // plain text on stdout is for the model
	allExits                                    // any exit but 0 blocks
)

// events lists the client's events.
var events = dialect.Events{
	{Name: "SessionStart", Subject: "source", OnFailure: dialect.AlwaysOpen, Can: stdoutIsContext | dialect.Inject,
		Fields: []dialect.Field{
			"additionalContext string", "initialUserMessage string", "sessionTitle string", "watchPaths strings",
			"reloadSkills boolean",
		}},
	{Name: "Setup", Subject: "trigger", OnFailure: dialect.AlwaysOpen}, // the client ignores the answer
	{Name: "UserPromptSubmit", Timeout: 30 * time.Second, OnFailure: dialect.Open,
		Can:    dialect.Block | dialect.Stop | stdoutIsContext | dialect.Inject,
		Fields: []dialect.Field{"additionalContext string", "sessionTitle string", "suppressOriginalPrompt boolean"}},
	{Name: "UserPromptExpansion", Subject: "command_name", OnFailure: dialect.Open,
		Can:    dialect.Block | dialect.Stop | stdoutIsContext | dialect.Inject,
		Fields: []dialect.Field{"additionalContext string"}},
	{Name: "PreToolUse", Subject: "tool_name", OnFailure: dialect.Open,
		Can: dialect.Block | dialect.Stop | dialect.Inject,
		Fields: []dialect.Field{
			"permissionDecision allow|deny|ask|defer", "permissionDecisionReason string", "updatedInput object",
			"additionalContext string",
		}},
	{Name: skillCommand, Common: protocol.PreTool, Subject: "tool_name", OnFailure: dialect.Open,
		Can: dialect.Block | dialect.Stop, MaxReason: 500,
		Fields: []dialect.Field{
			"permissionDecision allow|deny|ask|defer", "permissionDecisionReason string", "updatedInput object",
		}},
	{Name: "PermissionRequest", Subject: "tool_name", OnFailure: dialect.Open,
		Fields: []dialect.Field{"decision object"}},
	{Name: "PermissionDenied", Subject: "tool_name", OnFailure: dialect.AlwaysOpen,
		Fields: []dialect.Field{"retry boolean"}},
	{Name: "PostToolUse", Subject: "tool_name", OnFailure: dialect.Open,
		Can: dialect.Block | dialect.Stop | dialect.Inject,
		Fields: []dialect.Field{
			"additionalContext string", "classifierContext string", "updatedToolOutput any",
			"updatedMCPToolOutput any",
		}},
	{Name: "PostToolUseFailure", Subject: "tool_name", OnFailure: dialect.Open, Can: dialect.Block | dialect.Inject,
		Fields: []dialect.Field{"additionalContext string"}},
	{Name: "PostToolBatch", OnFailure: dialect.Open, Can: dialect.Block | dialect.Stop | dialect.Inject,
		Fields: []dialect.Field{"additionalContext string"}},
	{Name: "Notification", Subject: "notification_type", OnFailure: dialect.AlwaysOpen},
	{Name: "MessageDisplay", Timeout: 10 * time.Second, OnFailure: dialect.AlwaysOpen,
		Fields: []dialect.Field{"displayContent string"}},
	{Name: "SubagentStart", Subject: "agent_type", OnFailure: dialect.AlwaysOpen, Can: dialect.Stop | dialect.Inject,
		Fields: []dialect.Field{"additionalContext string"}},
	{Name: "SubagentStop", Subject: "agent_type", OnFailure: dialect.AlwaysOpen,
		Can:    dialect.Block | dialect.Stop | dialect.Inject | dialect.EndsTurn,
		Fields: []dialect.Field{"additionalContext string"}},
	{Name: "TaskCreated", OnFailure: dialect.Open, Can: dialect.Block},
	{Name: "TaskCompleted", OnFailure: dialect.AlwaysOpen, Can: dialect.Block | dialect.Stop},
	{Name: "Stop", OnFailure: dialect.AlwaysOpen,
		Can:    dialect.Block | dialect.Stop | dialect.Inject | dialect.EndsTurn,
		Fields: []dialect.Field{"additionalContext string"}},
	{Name: "StopFailure", Subject: "error", OnFailure: dialect.AlwaysOpen},
	{Name: "TeammateIdle", OnFailure: dialect.AlwaysOpen, Can: dialect.Block | dialect.Stop},
	{Name: "InstructionsLoaded", Subject: "load_reason", OnFailure: dialect.AlwaysOpen},
	{Name: "ConfigChange", Subject: "source", OnFailure: dialect.Open, Can: dialect.Block},
	{Name: "CwdChanged", OnFailure: dialect.AlwaysOpen, Fields: []dialect.Field{"watchPaths strings"}},
	{Name: "DirectoryAdded", Subject: "source", OnFailure: dialect.AlwaysOpen},
	{Name: "FileChanged", Subject: "file_path", OnFailure: dialect.AlwaysOpen,
		Fields: []dialect.Field{"watchPaths strings"}},
	{Name: "WorktreeCreate", OnFailure: dialect.Open, Can: dialect.Block | allExits,
		Fields: []dialect.Field{"worktreePath string"}},
	{Name: "WorktreeRemove", OnFailure: dialect.Open, Can: dialect.Block | allExits},
	{Name: "PreCompact", Subject: "trigger", OnFailure: dialect.Open, Can: dialect.Block | stdoutIsContext},
	{Name: "PostCompact", Subject: "trigger", OnFailure: dialect.AlwaysOpen},
	{Name: "PreModelSwitch", Subject: "to_model", Timeout: 30 * time.Second, OnFailure: dialect.Open,
		Can: dialect.Block | dialect.Inject,
		Fields: []dialect.Field{
			"permissionDecision allow|deny|ask|defer", "permissionDecisionReason string", "updatedInput object",
			"additionalContext string",
		}},
	{Name: "PostModelSwitch", Subject: "to_model", Timeout: 30 * time.Second, OnFailure: dialect.AlwaysOpen,
		Can:    stdoutIsContext | dialect.Inject,
		Fields: []dialect.Field{"additionalContext string"}},
	{Name: "Elicitation", Subject: "mcp_server_name", OnFailure: dialect.Open, Can: dialect.Block,
		Fields: []dialect.Field{"action accept|decline|cancel", "content object"}},
	{Name: "ElicitationResult", Subject: "mcp_server_name", OnFailure: dialect.Open, Can: dialect.Block,
		Fields: []dialect.Field{"action accept|decline|cancel", "content object"}},
	{Name: "SessionEnd", Subject: "reason", Timeout: 1500 * time.Millisecond, OnFailure: dialect.AlwaysOpen},
	{OnFailure: dialect.Open, Can: dialect.Block}, // events of later versions
}
