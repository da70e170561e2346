// Package qwen is Qwen Code: its dialect, its files, its tools and its installation.
package qwen

import (
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// clientName is the client's name in messages.
const clientName = "Qwen Code"

// Dialect is the dialect of Qwen Code 0.24.4, recorded with the real client. The client has Claude Code's events, and
// Gemini CLI's tools and handling of processes. All hooks of a call run at once, unless a group of the file runs its
// hooks in turn. A JSON answer counts at every exit code. A text blocks only at exit 2 and on stderr. One hook's answer
// can override another's.
var Dialect = &dialect.Dialect{
	Name:   "qwen",
	Events: events,
	Others: true,
	Run: dialect.Schedule{Timeout: 60 * time.Second, Parallel: true, FirstOfEqual: true,
		FileVariablesWin: true},
	Hooks: hooks{},
	Files: files,
}

// Client is how the client calls hookrun, its tools, and how hookrun is installed in it.
var Client = &client.Client{
	Dialect: Dialect,
	// Gemini CLI has a timestamp and no permission_mode; Claude Code and Codex have a permission_mode and no
	// timestamp.
	Detect: func(c *dialect.Call) bool { return c.Field("timestamp") != "" && c.Field("permission_mode") != "" },
	Read: func(c *dialect.Call, response gjson.Result) {
		switch c.Event {
		case "PostToolUse":
			client.ReadLLMResponse(c, response)
		case "PostToolUseFailure":
			c.Failed, c.Result = true, c.Field("error")
		}
	},
	Answer: func(o protocol.Outcome) (client.Reply, error) {
		return client.AtExit0(hookOutput(o)) // a JSON answer counts at every exit code
	},
	// Exit 2 has no effect after a tool, and before a tool another hook's allow overrides exit 2.
	Errors:          client.ErrorByBlock,
	ProjectVariable: "QWEN_PROJECT_DIR",
	Tools:           tools,
	Install:         install,
}

// hooks implements dialect.Hooks.
type hooks struct{ dialect.Base }

func (hooks) Event(c *dialect.Call) protocol.Event { return client.ClaudeEventOf(c) }

// Posts is true: hooks can have the type "http".
func (hooks) Posts() bool { return true }

func (hooks) HiddenVariables() []string { return []string{"QWEN_SERVER_TOKEN"} }

// rule is the row of an event, with the methods that read and write answers.
type rule struct{ dialect.Event }

func ruleOf(e protocol.Event) rule { return rule{events.Of(e)} }

// Effects that only this client has. dialect.Stop is a block here, and does not end the turn.
const (
	stdoutIsContext = dialect.OwnEffect << iota // plain text on stdout is for the model, too
	permits                                     // permissionDecision overrides decision, and may be "ask"
	todo                                        // "block" blocks, and "deny" does not
	requests                                    // the answer is hookSpecificOutput.decision
)

var events = dialect.Events{
	{Name: "InstructionsLoaded", Subject: "file_path", OnFailure: dialect.AlwaysOpen},
	{Name: "SessionStart", Subject: "source", OnFailure: dialect.AlwaysOpen, Can: dialect.Inject | stdoutIsContext},
	{Name: "Notification", Subject: "notification_type", OnFailure: dialect.AlwaysOpen},
	{Name: "UserPromptSubmit", OnFailure: dialect.Open,
		Can: dialect.Block | dialect.Stop | dialect.Inject | stdoutIsContext},
	{Name: "UserPromptExpansion", Subject: "command_name", OnFailure: dialect.Open,
		Can: dialect.Block | dialect.Stop | dialect.Inject | stdoutIsContext},
	{Name: "PreToolUse", Subject: "tool_name", OnFailure: dialect.Open, Can: permits | dialect.Stop},
	{Name: "PermissionRequest", Subject: "tool_name", OnFailure: dialect.Open, Can: requests},
	{Name: "PermissionDenied", Subject: "tool_name", OnFailure: dialect.AlwaysOpen},
	{Name: "PostToolUse", Subject: "tool_name", OnFailure: dialect.Open,
		Can: dialect.Stop | dialect.Inject}, // a deny does nothing
	{Name: "PostToolUseFailure", Subject: "tool_name", OnFailure: dialect.AlwaysOpen, Can: dialect.Inject},
	{Name: "PostToolBatch", OnFailure: dialect.Open, Can: dialect.Block | dialect.Stop | dialect.Inject},
	{Name: "TodoCreated", OnFailure: dialect.Open, Can: todo},
	{Name: "TodoCompleted", OnFailure: dialect.Open, Can: todo},
	{Name: "MessageDisplay", OnFailure: dialect.AlwaysOpen},
	{Name: "SubagentStart", Subject: "agent_type", OnFailure: dialect.AlwaysOpen},
	// A block sends the agent back to work, so a broken hook must not block.
	{Name: "SubagentStop", Subject: "agent_type", OnFailure: dialect.AlwaysOpen,
		Can: dialect.Block | dialect.Stop | dialect.EndsTurn},
	{Name: "Stop", OnFailure: dialect.AlwaysOpen, Can: dialect.Block | dialect.Stop | dialect.EndsTurn},
	{Name: "StopFailure", Subject: "error", OnFailure: dialect.AlwaysOpen},
	{Name: "PreCompact", Subject: "trigger", OnFailure: dialect.AlwaysOpen},
	{Name: "PostCompact", Subject: "trigger", OnFailure: dialect.AlwaysOpen},
	{Name: "SessionEnd", Subject: "reason", OnFailure: dialect.AlwaysOpen},
	{Name: "SessionDelete", OnFailure: dialect.AlwaysOpen},
	{OnFailure: dialect.AlwaysOpen},
}

// ruleAt returns the rule of a call. After a list of todos was written, hooks have no effect.
func ruleAt(c *dialect.Call) rule {
	m := ruleOf(client.ClaudeEventOf(c))
	if c.Field("phase") == "postWrite" {
		m.Can = 0
	}
	return m
}

func (hooks) Environment(c *dialect.Call) []string {
	env := []string{"QWEN_PROJECT_DIR=" + c.Workspace, "CLAUDE_PROJECT_DIR=" + c.Workspace,
		"GEMINI_PROJECT_DIR=" + c.Workspace}
	if c.Event == "" { // a process for many calls
		return env
	}
	env = append(env, "QWEN_CODE_SESSION_ID="+c.SessionID)
	if id := c.Field("prompt_id"); id != "" {
		env = append(env, "QWEN_CODE_PROMPT_ID="+id)
	}
	return env
}
