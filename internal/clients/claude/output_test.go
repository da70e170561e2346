package claude_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/claude"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

func TestClaudeOutput(t *testing.T) {
	other := strictjson.Fields{{Key: "terminalSequence", Value: json.RawMessage(`"\u0007"`)},
		{Key: "updatedPermissions", Value: json.RawMessage(`[1]`)},
		{Key: "sessionTitle", Value: json.RawMessage(`"t"`)}}
	outcome := func(e protocol.Event, d protocol.Decision, change func(*protocol.Outcome)) protocol.Outcome {
		o := protocol.Outcome{Version: 1, Event: e, Decision: d}
		if d != protocol.Continue {
			o.Reason = "r"
		}
		if change != nil {
			change(&o)
		}
		return o
	}
	approve := func(o *protocol.Outcome) { o.Approved, o.Reason = true, "fine" }
	update := func(o *protocol.Outcome) { o.UpdatedInput = json.RawMessage(`{"a":1}`) }
	texts := func(o *protocol.Outcome) { o.Texts = []protocol.Text{{Content: "<one>"}, {Content: "two"}} }
	stops := func(o *protocol.Outcome) { o.Stop, o.StopReason = true, "s" }
	others := func(o *protocol.Outcome) { o.Other = dialect.ObjectOf(other) }
	messages := func(o *protocol.Outcome) { o.SystemMessages = []string{"m1", "m2"} }
	const b, d, a, c = protocol.Block, protocol.Defer, protocol.Ask, protocol.Continue
	for want, o := range map[string]protocol.Outcome{
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
			`"permissionDecisionReason":"r"}}`: outcome("PreToolUse", b, nil),
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer",` +
			`"permissionDecisionReason":"r"}}`: outcome("PreToolUse", d, nil),
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask",` +
			`"permissionDecisionReason":"r","updatedInput":{"a":1}}}`: outcome("PreToolUse", a, update),
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow",` +
			`"permissionDecisionReason":"fine"}}`: outcome("pre-tool", c, approve),
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"a":1}}}`: outcome(
			"PreToolUse", c, update),
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"<one>\n\ntwo"}}`: outcome(
			"PreToolUse", c, texts),
		`{"continue":false,"stopReason":"s"}`: outcome(
			"PreToolUse", c, stops),
		`{"continue":false,"stopReason":"s","hookSpecificOutput":{"hookEventName":"PreToolUse",` +
			`"permissionDecision":"deny","permissionDecisionReason":"r"}}`: outcome("PreToolUse", b, stops),
		`{"systemMessage":"m1\nm2"}`: outcome("PreToolUse", c, messages),
		`{"terminalSequence":"\u0007","hookSpecificOutput":{"hookEventName":"UserPromptSubmit",` +
			`"sessionTitle":"t"}}`: outcome("pre-execute", c, others),
		`{"decision":"block","reason":"r"}`: outcome("UserPromptSubmit", b, nil),
		`{"decision":"block","reason":"r","hookSpecificOutput":{"hookEventName":"PostToolUse",` +
			`"additionalContext":"<one>\n\ntwo"}}`: outcome("PostToolUse", b, texts),
		`{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":"x"}}`: outcome("PostToolUse", c,
			func(o *protocol.Outcome) { o.UpdatedOutput = json.RawMessage(`"x"`) }),
		`{"continue":false,"stopReason":"s","decision":"block","reason":"r"}`: outcome("Stop", b, stops),
		`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny",` +
			`"message":"r"}}}`: outcome("PermissionRequest", b, update),
		`{"continue":false,"stopReason":"s","hookSpecificOutput":{"hookEventName":"PermissionRequest",` +
			`"decision":{"behavior":"deny","message":"r","interrupt":true}}}`: outcome("PermissionRequest", b, stops),
		`{"terminalSequence":"\u0007","hookSpecificOutput":{"hookEventName":"PermissionRequest",` +
			`"decision":{"behavior":"allow","updatedPermissions":[1]},"sessionTitle":"t"}}`: outcome(
			"PermissionRequest", c, func(o *protocol.Outcome) { approve(o); others(o) }),
		`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow",` +
			`"updatedInput":{"a":1}}}}`: outcome("PermissionRequest", c, func(o *protocol.Outcome) {
			approve(o)
			update(o)
		}),
		`{"hookSpecificOutput":{"hookEventName":"PreModelSwitch","permissionDecision":"deny",` +
			`"permissionDecisionReason":"r"}}`: outcome("PreModelSwitch", b, nil),
		`{"hookSpecificOutput":{"hookEventName":"PreModelSwitch","permissionDecision":"ask",` +
			`"permissionDecisionReason":"r"}}`: outcome("PreModelSwitch", a, nil),
		`{"hookSpecificOutput":{"hookEventName":"PreModelSwitch","permissionDecision":"allow",` +
			`"permissionDecisionReason":"fine"}}`: outcome("PreModelSwitch", c, approve),
		"<one>\n\ntwo": outcome("PreCompact", c, texts), // instructions, which the client takes as plain text
		"/tmp/tree": outcome("WorktreeCreate", c, func(o *protocol.Outcome) {
			o.Other = []byte(`{"worktreePath":"/tmp/tree"}`)
		}),
	} {
		got, _, err := dialecttest.Reply(claude.Client, o)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}

	// Ask and defer have no word at most events: the stricter one is used, never the other.
	for _, e := range claude.Dialect.Events.Names() {
		for _, decision := range []protocol.Decision{b, d, a} {
			got, _, err := dialecttest.Reply(claude.Client, outcome(e, decision, func(o *protocol.Outcome) {
				o.Approved = true
				texts(o)
			}))
			require.NoError(t, err)
			var form struct {
				Decision, Reason   string
				HookSpecificOutput struct {
					PermissionDecision string
					Decision           struct{ Behavior string }
				}
			}
			require.NoError(t, json.Unmarshal(got, &form))
			switch e {
			case "PreToolUse", "PreModelSwitch":
				require.Equal(t, map[protocol.Decision]string{b: "deny", d: "defer", a: "ask"}[decision],
					form.HookSpecificOutput.PermissionDecision)
			case "PreSkillShellCommand":
				require.Equal(t, "deny", form.HookSpecificOutput.PermissionDecision)
				require.NotContains(t, string(got), "additionalContext")
			case "PermissionRequest":
				require.Equal(t, "deny", form.HookSpecificOutput.Decision.Behavior)
			default:
				require.Equal(t, "block", form.Decision, e)
				require.Equal(t, "r", form.Reason)
			}
			_, exit, err := dialecttest.Reply(claude.Client, outcome(e, decision, nil))
			require.NoError(t, err)
			looksAtExit := slices.Contains([]protocol.Event{"TeammateIdle", "TaskCreated", "TaskCompleted",
				"WorktreeCreate", "WorktreeRemove", "Elicitation", "ElicitationResult"}, e)
			require.Equal(t, map[bool]int{true: 2}[looksAtExit], exit, e)
		}
		got, _, err := dialecttest.Reply(claude.Client, outcome(e, c, nil))
		require.NoError(t, err)
		require.Equal(t, "{}", string(got), "nothing to say")
		_, exit, err := dialecttest.Reply(claude.Client, outcome(e, c, stops))
		require.NoError(t, err)
		require.Zero(t, exit)
	}
}

// A tool that failed has an event of its own, and so has what is said about it.
func TestClaudeOutputOfAFailedTool(t *testing.T) {
	c := dialect.Call{Event: protocol.PostTool, Failed: true, Tool: "Bash"}
	first, o := dialecttest.Merged(&c, dialecttest.Answers("PostToolUseFailure", `"additionalContext":"c"`))
	require.Equal(t, "c", first.Context)
	out, _, err := dialecttest.Reply(claude.Client, o)
	require.NoError(t, err)
	second, _ := dialecttest.Merged(&c, string(out))
	require.Equal(t, "c", second.Context, "%s", out)
}

// What a hook of Claude Code printed is judged as that client judges it, and the outcome goes back to it in its own
// form.
func Example_claude() {
	call, _, err := clients.All().ParseInput(`{"session_id":"s1","cwd":"/project","hook_event_name":"PreToolUse",` +
		`"tool_name":"Bash","tool_input":{"command":"git push --force"}}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	answer := `{"decision": "block", "reason": "do not force-push"}`
	result := dialect.HookResult{Stdout: dialect.Capture{Head: []byte(answer), Total: int64(len(answer))}}
	verdict := claude.Dialect.ApplyFailurePolicy(&call, claude.Dialect.Hooks.Decode(&call, "guard", &result))
	outcome := dialect.Merge(&call, []dialect.HookVerdict{{
		Report:  dialect.Report("guard", "settings.json:5", &result, &verdict),
		Verdict: verdict, Dialect: claude.Dialect,
	}})
	text, exit, _ := dialecttest.Reply(claude.Client, outcome)
	fmt.Println(string(text), exit)
	// Output:
	// {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"do not force-push"}} 0
}

func TestClaude(t *testing.T) {
	for want, o := range map[string]protocol.Outcome{
		`{}`: dialecttest.Merge(protocol.PreTool, ""),
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"a\n\n<b>"}}`: dialecttest.Merge(
			protocol.PreTool, "a", "<b>"),
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
			`"permissionDecisionReason":"no pushing"}}`: dialecttest.Merge("PreToolUse", dialecttest.Deny),
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask",` +
			`"permissionDecisionReason":"q","updatedInput":{"a":1}}}`: dialecttest.Merge(protocol.PreTool,
			dialecttest.Specific(`"permissionDecision":"ask","permissionDecisionReason":"q","updatedInput":{"a":1}`)),
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`: dialecttest.Merge(
			protocol.PreTool, `{"decision":"approve"}`),
		`{"continue":false,"stopReason":"s","systemMessage":"m"}`: dialecttest.Merge(
			protocol.PreTool, `{"continue":false,"stopReason":"s","systemMessage":"m"}`),
		`{"decision":"block","reason":"r","hookSpecificOutput":{"hookEventName":"PostToolUse",` +
			`"updatedToolOutput":"x"}}`: dialecttest.Merge(protocol.PostTool,
			`{"decision":"block","reason":"r","hookSpecificOutput":{"updatedToolOutput":"x"}}`),
		`{"decision":"block","reason":"no pushing"}`: dialecttest.Merge(
			protocol.PreExecute, dialecttest.Deny),
		`{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"ctx"}}`: dialecttest.Merge(
			protocol.PreExecute, "ctx"),
	} {
		got, _, err := dialecttest.Reply(claude.Client, o)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	zero, _, err := dialecttest.Reply(claude.Client, protocol.Outcome{Event: protocol.PreTool})
	require.NoError(t, err)
	require.Contains(t, string(zero), `"permissionDecision":"deny"`)
}
