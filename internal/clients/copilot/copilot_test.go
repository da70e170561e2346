package copilot

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// The input of a hook is what the client gave it, in both spellings: recorded inputs of hooks that are not those that
// hookrun gets.
func TestRecordedInputs(t *testing.T) {
	files, err := filepath.Glob("../../../conformance/copilot/*.jsonl")
	require.NoError(t, err)
	seen := map[protocol.Event]bool{}
	for _, name := range files {
		doc, err := os.ReadFile(name)
		require.NoError(t, err)
		for line := range strings.Lines(string(doc)) {
			recorded := gjson.Get(line, "client.stdin.0.a")
			event := protocol.Event(gjson.Get(line, "event").String())
			camel := gjson.Get(line, "configured_as").Exists()
			if !recorded.IsObject() || !camel && event != "PermissionRequest" && event != "SubagentStart" {
				continue
			}
			c := dialect.Call{Event: event, ClientInput: gjson.Get(line, "stdin").Raw}
			c.Tool = c.Field("tool_name")
			if event == "PostToolUseFailure" {
				c.Failed = true
			}
			d := Dialect
			if camel {
				d = inCamelCase.Get()
			}
			input, _, err := d.Hooks.Encode(dialect.NewCall(c))
			require.NoError(t, err)
			want := strings.NewReplacer("<UUID1>", "<SESSION>", "<UUID2>", "<UUID>").Replace(recorded.Raw)
			require.JSONEq(t, want, string(input.Bytes()), "%s", line[:60])
			seen[d.EventOf(&c)] = true
		}
	}
	require.Greater(t, len(seen), 6)
}

// A call that comes from no client has the input that the client would give, as far as the caller knows it.
func TestInputs(t *testing.T) {
	for _, c := range []dialect.Call{
		{Event: protocol.PreTool, Tool: "Bash", Args: `{"command":"ls"}`},
		{Event: protocol.PostTool, Tool: "Bash", Result: "r"},
		{Event: protocol.PostTool, Tool: "Bash", Result: "r", Failed: true},
		{Event: protocol.PreExecute, Prompt: "go"},
	} {
		c.SessionID, c.Workspace = "s", "/ws"
		input, _, err := Dialect.Hooks.Encode(dialect.NewCall(c))
		require.NoError(t, err)
		text := string(input.Bytes())
		require.Equal(t, string(Dialect.EventOf(&c)), gjson.Get(text, "hook_event_name").String())
		_, err = time.Parse(time.RFC3339, gjson.Get(text, "timestamp").String())
		require.NoError(t, err)
		camel, _, err := inCamelCase.Get().Hooks.Encode(dialect.NewCall(c))
		require.NoError(t, err)
		require.False(t, gjson.GetBytes(camel.Bytes(), "hook_event_name").Exists())
		require.Equal(t, "s", gjson.GetBytes(camel.Bytes(), "sessionId").String())
		if c.Tool != "" {
			require.Equal(t, "bash", gjson.GetBytes(camel.Bytes(), "toolName").String())
		}
	}
	c := dialect.Call{Event: "PostToolUse", Tool: "Bash", SessionID: "s",
		ClientInput: `{"hook_event_name":"PostToolUse","tool_result":"clean"}`}
	input, _, err := Dialect.Hooks.Encode(dialect.NewCall(c))
	require.NoError(t, err)
	require.Equal(t, `{"hook_event_name":"PostToolUse","tool_result":{"result_type":"success",`+
		`"text_result_for_llm":"clean"}}`+"\n", string(input.Bytes()), "a result that another hook changed")
}

func said(e protocol.Event, camel bool, code int, stdout, stderr string) dialect.Verdict {
	d := Dialect
	if camel {
		d = inCamelCase.Get()
	}
	c := dialect.Call{Event: e, Tool: "Bash", Failed: e == "PostToolUseFailure"}
	r := dialect.HookResult{ExitCode: code, Stdout: dialect.Capture{Head: []byte(stdout), Total: int64(len(stdout))},
		Stderr: dialect.Capture{Head: []byte(stderr), Total: int64(len(stderr))}}
	return d.ApplyFailurePolicy(&c, d.Hooks.Decode(&c, "h", &r))
}

func TestAnswersThatNeedAWord(t *testing.T) {
	for _, test := range []struct {
		event  protocol.Event
		camel  bool
		stdout string
		doubt  string
	}{
		{"PreToolUse", false, `{"decision":"block","reason":"r"}`, `it has "decision" with a value that means nothing`},
		{"PreToolUse", false, `{"permissionDecision":"Deny"}`, `it has "permissionDecision" with a value`},
		{"PreToolUse", true, `{"hookSpecificOutput":{"permissionDecision":"deny"}}`,
			`it has "hookSpecificOutput.permissionDecision"`},
		{"PreToolUse", false, `{"permissionDecisionReason":"r"}`, "it has a reason and no decision"},
		{"PreToolUse", false, `{"updatedInput":{}}`, `it has "updatedInput"`},
		{"PreToolUse", false, `{"continue":false}`, `it has "continue"`},
		{"PreToolUse", false, "log\n" + `{"permissionDecision":"deny"}`, "printed text around a JSON answer"},
		{"PostToolUse", false, `{"decision":"block"}`, `it has "decision"`},
		{"PostToolUse", false, `{"modifiedResult":"x"}`, `it has "modifiedResult"`},
		{"Stop", false, `{"decision":"deny","reason":"r"}`, `it has "decision"`},
		{"PermissionRequest", false, `{"behavior":"Deny"}`, `it has "behavior"`},
	} {
		v := said(test.event, test.camel, 0, test.stdout, "")
		require.Equal(t, protocol.Continue, v.Decision, test.stdout)
		require.Len(t, v.Warnings, 1, test.stdout)
		require.Contains(t, v.Warnings[0], test.doubt, test.stdout)
		require.False(t, v.Approved)
	}
	for event, stdout := range map[protocol.Event]string{"PreToolUse": `{"permissionDecision":"allow"}`,
		"PostToolUse": `{"modifiedResult":{"textResultForLlm":""}}`, "Stop": `{"decision":"allow"}`,
		"UserPromptSubmit": `{"additionalContext":"c","note":1}`, "PermissionRequest": `{"behavior":"allow"}`,
		"SessionStart": "text"} {
		require.Empty(t, said(event, false, 0, stdout, "").Warnings, event)
	}
	require.Equal(t, "null", said("PreToolUse", false, 0, `{"additionalContext":null}`, "").Context)
	require.Equal(t, "5", said("PreToolUse", false, 0, `{"permissionDecision":"deny","permissionDecisionReason":5}`,
		"").Reason)
	require.Equal(t, "null", string(said("PreToolUse", false, 0, `{"modifiedArgs":null}`, "").UpdatedInput))
	for _, reason := range []string{``, `,"permissionDecisionReason":""`, `,"permissionDecisionReason":null`} {
		v := said("PreToolUse", false, 0, `{"permissionDecision":"ask"`+reason+`}`, "")
		require.Equal(t, protocol.Ask, v.Decision)
		require.Equal(t, "No reason provided", v.Reason, reason)
	}
	for _, event := range []protocol.Event{"Stop", "SubagentStop"} {
		v := said(event, false, 0, `{"decision":"block","reason":5}`, "")
		require.Equal(t, protocol.Continue, v.Decision, "a reason that is a number is none")
		require.Len(t, v.Warnings, 1)
		require.Equal(t, "r", said(event, false, 0, `{"decision":"block","reason":"r"}`, "").Reason)
	}
	require.Equal(t, protocol.Block, said("PostToolUse", false, 0, `{"decision":"block","reason":5}`, "").Decision)
	text, _, err := dialecttest.Reply(Client, protocol.Outcome{Event: "PreToolUse", Decision: protocol.Ask})
	require.NoError(t, err)
	require.Equal(t, `{"permissionDecision":"ask","permissionDecisionReason":"A hook asks for confirmation"}`,
		string(text))
	v := said("PermissionRequest", false, 0, `{"behavior":"deny","message":"m","interrupt":true}`, "")
	require.True(t, v.Stop)
	require.Equal(t, "m", v.Reason)
}

// Of several answers the client takes the later one at some events, and at others the first ends the call.
func TestSeveralAnswers(t *testing.T) {
	merged := func(e protocol.Event, stdouts ...string) protocol.Outcome {
		var hooks []dialect.HookVerdict
		for _, s := range stdouts {
			v := said(e, false, 0, s, "")
			hooks = append(hooks, dialect.HookVerdict{Verdict: v, Dialect: Dialect})
			if Dialect.Hooks.Ends(e, &v) {
				break
			}
		}
		return dialect.Merge(&dialect.Call{Event: e, Tool: "Bash"}, hooks)
	}
	o := merged("PreToolUse", `{"permissionDecision":"ask","permissionDecisionReason":"a"}`,
		`{"permissionDecision":"deny"}`)
	require.Equal(t, protocol.Ask, o.Decision, "an ask ends the call")
	o = merged("Stop", `{"decision":"block","reason":"a"}`, `{"decision":"allow"}`)
	require.Equal(t, protocol.Continue, o.Decision)
	require.Len(t, o.Warnings, 1)
	o = merged("Stop", `{"decision":"block","reason":"a"}`, `{"decision":"block","reason":"b"}`, `{}`)
	require.Equal(t, protocol.Block, o.Decision)
	require.Equal(t, "b", o.Reason)
	o = merged("UserPromptSubmit", `{"decision":"block","reason":"a"}`, `{"decision":"allow","additionalContext":"c"}`)
	require.Equal(t, protocol.Block, o.Decision, "a block of a prompt stays")
	require.Empty(t, o.Texts)
	o = merged("PermissionRequest", `{"behavior":"allow"}`, `{"behavior":"deny","message":"m"}`)
	require.Equal(t, protocol.Block, o.Decision)
	require.False(t, o.Approved)
}

func TestAnsweredBy(t *testing.T) {
	env := map[string]string{"COPILOT_CLI": "1"}
	w := client.Where{Workspace: "/ws", Home: "/home/u", Getenv: func(name string) string { return env[name] }}
	user := filepath.FromSlash("/home/u/.copilot/hooks/hookrun.json")
	project := filepath.FromSlash("/ws/.github/hooks/hookrun.json")
	managed := installer{}.Managed(runtime.GOOS).Path
	require.Equal(t, []string{managed, user, project}, answeringFiles(w), "started by settings")
	env["COPILOT_HOOK_DIR"] = "/ws/.github/hooks"
	require.Equal(t, []string{managed, user}, answeringFiles(w))
	env["COPILOT_HOOK_DIR"] = "/home/u/.copilot/hooks"
	require.Equal(t, []string{managed}, answeringFiles(w))
	delete(env, "COPILOT_CLI")
	delete(env, "COPILOT_HOOK_DIR")
	require.Empty(t, answeringFiles(w), "not started by the client")
}

// Matchers of events in camelCase know tools by the client's own names alone, those of the others by Claude Code's too.
func TestMatchersOfTheTwoSpellings(t *testing.T) {
	for _, row := range []struct {
		text           string
		claude, camel  bool // matches bash
		refusedInCamel bool
	}{
		{text: "bash", claude: true, camel: true},
		{text: "Bash", claude: true},
		{text: "*", claude: true, refusedInCamel: true},
	} {
		own, camel := Dialect.Files.Pattern(row.text, "tool_name"),
			inCamelCase.Get().Files.Pattern(row.text, "tool_name")
		require.Equal(t, row.claude, own.Match("bash"), row.text)
		if require.Equal(t, row.refusedInCamel, camel.Refused != "", row.text); !row.refusedInCamel {
			require.Equal(t, row.camel, camel.Match("bash"), row.text)
		}
	}
}
