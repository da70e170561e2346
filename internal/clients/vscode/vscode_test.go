package vscode_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/vscode"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

const (
	bySource = `"timestamp":"t","hook_event_name":"PreToolUse","session_id":"s","tool_use_id":"c",`
	byDocs   = `"timestamp":"t","hookEventName":"PreToolUse","sessionId":"s","transcript_path":"/t","tool_use_id":"c",`
	force    = `"tool_name":"run_in_terminal","tool_input":{"command":"git push --force","explanation":"e"}`
)

func parsed(t *testing.T, entry, doc string) dialect.Call {
	t.Helper()
	d, known := clients.All().ClientNamed(entry)
	if !known {
		c, _, err := clients.All().ParseInput(doc)
		require.NoError(t, err, doc)
		return c
	}
	c, _, err := clients.All().ParseEntryInput(doc, d, func(string) string { return "" })
	require.NoError(t, err, "%s: %s", entry, doc)
	return c
}

// Both forms of an input are VS Code's, whichever entry runs, and the like of other clients are theirs.
func TestSender(t *testing.T) {
	for _, entry := range []string{"", "vscode", "copilot", "claude"} {
		for _, head := range []string{bySource, byDocs} {
			c := parsed(t, entry, "{"+head+force+"}")
			require.Equal(t, "vscode", c.Client.Name, "%s: %s", entry, head)
			require.Equal(t, protocol.Event("PreToolUse"), c.Event)
			require.Equal(t, "s", c.SessionID)
		}
		for _, doc := range []string{
			`{"timestamp":"t","hook_event_name":"UserPromptSubmit","transcript_path":"/t","prompt":"p"}`,
			`{"timestamp":"t","hook_event_name":"Stop","transcript_path":"/t","stop_hook_active":false}`,
			`{"timestamp":"t","hook_event_name":"SubagentStart","transcript_path":"/t","agent_type":"Plan"}`,
		} {
			require.Equal(t, "vscode", parsed(t, entry, doc).Client.Name, "%s: %s", entry, doc)
		}
	}
	for _, theirs := range []struct{ entry, client, doc string }{
		{"copilot", "copilot", `{"hook_event_name":"PreToolUse","session_id":"s","timestamp":"t","tool_name":"Bash"}`},
		{"copilot", "copilot", `{"hook_event_name":"Stop","session_id":"s","timestamp":"t","transcript_path":"/t",` +
			`"stop_reason":"end_turn","stop_hook_active":false}`},
		{"claude", "claude", `{"hook_event_name":"PreToolUse","session_id":"s","permission_mode":"default",` +
			`"tool_use_id":"c","tool_name":"Bash"}`},
	} {
		require.Equal(t, theirs.client, parsed(t, theirs.entry, theirs.doc).Client.Name)
	}
}

func TestTools(t *testing.T) {
	for _, test := range []struct{ tool, input, name, args string }{
		{"create_and_run_task", `{"task":{"label":"l","command":"git","args":["push","-f"]},"command":"ls"}`, "shell",
			`{"task":{"label":"l","command":"git","args":["push","-f"]},"command":"git push -f"}`},
		{"run_vscode_command", `{"commandId":"workbench.action.terminal.sendSequence","args":[{"text":"ls\n"}]}`,
			"shell", `{"commandId":"workbench.action.terminal.sendSequence","args":[{"text":"ls\n"}],` +
				`"command":"ls\n"}`},
		{"run_vscode_command", `{"commandId":"editor.action.format"}`, "", `{"commandId":"editor.action.format"}`},
		{"fetch_webpage", `{"urls":["https://a.b"]}`, "web_fetch", `{"urls":["https://a.b"],"url":"https://a.b"}`},
		{"fetch_webpage", `{"urls":["a","b"],"url":"https://c"}`, "web_fetch", `{"urls":["a","b"]}`},
		{"mcp_github_create_issue", `{}`, "", `{}`},
		{"mcp__github__x", `{}`, "", `{}`},
	} {
		c := parsed(t, "", "{"+bySource+`"tool_name":"`+test.tool+`","tool_input":`+test.input+"}")
		clients.All().NameTool(&c, nil)
		require.Equal(t, test.args, c.Args)
		if test.name == "" {
			require.Empty(t, c.ProjectTools(), test.tool)
			guessed, _ := c.MCPNames()
			require.Equal(t, test.tool == "mcp_github_create_issue",
				slices.Contains(guessed, "mcp__github__create_issue"))
		} else {
			require.Equal(t, test.name, c.ProjectTool(), test.tool)
		}
	}
}

// A change of the input that the client might drop is a block.
func TestFit(t *testing.T) {
	for input, want := range map[string]string{
		`{"command":"ls","explanation":"e"}`:             `{"command":"ls","explanation":"e"}`,
		`{"explanation":"x","command":"ls"}`:             `{"command":"ls","explanation":"x"}`,
		`{"command":"ls"}`:                               "",
		`{"command":"ls","explanation":"e","timeout":1}`: "",
		`{"command":["ls"],"explanation":"e"}`:           "",
	} {
		c := parsed(t, "", "{"+bySource+force+"}")
		v := dialect.OK()
		v.UpdatedInput = []byte(input)
		c.Fit("h", &v)
		require.Equal(t, want, string(v.UpdatedInput), input)
		require.Equal(t, want == "", v.Decision == protocol.Block, input)
	}
}

func TestDecodeAndReply(t *testing.T) {
	for _, test := range []struct {
		event  protocol.Event
		exit   int
		stdout string
		want   protocol.Decision
		warns  bool
	}{
		{"PreToolUse", 0, `{"hookSpecificOutput":{"permissionDecision":"deny"}}`, protocol.Block, false},
		{"PreToolUse", 0, `{"hookSpecificOutput":{"hookEventName":"Stop","permissionDecision":"deny"}}`,
			protocol.Continue, true},
		{"PreToolUse", 0, `{"permissionDecision":"deny"}`, protocol.Continue, true}, // Copilot CLI's
		{"PreToolUse", 0, `{"hookSpecificOutput":{"permissionDecision":"ask"}}`, protocol.Ask, false},
		{"PreToolUse", 0, `{"continue":false}`, protocol.Block, false},
		{"PreToolUse", 2, `{}`, protocol.Block, false},
		{"PreToolUse", 1, `{"hookSpecificOutput":{"permissionDecision":"deny"}}`, protocol.Continue, true},
		{"PostToolUse", 0, `{"decision":"block","reason":"R"}`, protocol.Block, false},
		{"UserPromptSubmit", 0, `{"decision":"block","reason":"R"}`, protocol.Block, false},
		{"Stop", 0, `{"decision":"block","reason":"R"}`, protocol.Continue, true},
		{"Stop", 0, `{"hookSpecificOutput":{"decision":"block","reason":"R"}}`, protocol.Block, false},
		{"SessionStart", 2, ``, protocol.Continue, true},
	} {
		c := dialect.Call{Event: test.event, Tool: "run_in_terminal"}
		r := dialecttest.Exited(test.exit, test.stdout, "")
		v := vscode.Dialect.ApplyFailurePolicy(&c, vscode.Dialect.Hooks.Decode(&c, "h", &r))
		require.Equal(t, test.want, v.Decision, "%s %s", test.event, test.stdout)
		require.Equal(t, test.warns, len(v.Warnings) > 0, "%s %s", test.event, test.stdout)
	}
	reply := func(o protocol.Outcome) string {
		r, err := vscode.Client.Reply(o)
		require.NoError(t, err)
		require.Zero(t, r.Exit)
		return string(r.Stdout)
	}
	require.JSONEq(t, `{"decision":"block","reason":"R","hookSpecificOutput":{"hookEventName":"Stop",`+
		`"decision":"block","reason":"R"}}`, reply(protocol.Outcome{Event: "Stop", Reason: "R"}))
	require.Contains(t, reply(protocol.Outcome{Event: "PostToolUse", Decision: protocol.Continue,
		UpdatedOutput: []byte(`"clean"`)}), "do not use or repeat the result above")
	require.JSONEq(t, `{"continue":false,"stopReason":"S","hookSpecificOutput":{"hookEventName":"PreToolUse",`+
		`"permissionDecision":"deny","permissionDecisionReason":"S"}}`,
		reply(protocol.Outcome{Event: "PreToolUse", Decision: protocol.Continue, Stop: true, StopReason: "S"}))
}
