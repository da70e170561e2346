package droid_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/droid"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/form"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

func permission(word, reason string) string {
	return dialecttest.Pre(`"permissionDecision":"` + word + `","permissionDecisionReason":"` + reason + `"`)
}

// merged is the outcome of hooks at an event.
func merged(e protocol.Event, policy dialect.FailurePolicy, results ...dialect.HookResult) protocol.Outcome {
	c := dialect.Call{Event: e, Tool: "Execute", Args: `{"command":"ls","timeout":5}`}
	var judged []dialect.HookVerdict
	for i := range results {
		name := string(rune('a' + i))
		v := droid.Dialect.ApplyFailurePolicy(&c, droid.Dialect.Hooks.Decode(&c, name, &results[i]), policy)
		judged = append(judged, dialect.HookVerdict{Report: dialect.Report(name, "f:1", &results[i], &v), Verdict: v,
			Dialect: droid.Dialect})
	}
	return dialect.Merge(&c, judged)
}

// TestPreToolUse: the first word in the file counts, exit 2 beside it, and who ends the run before all.
func TestPreToolUse(t *testing.T) {
	print, exit := dialecttest.Printed, dialecttest.Exited
	late := print(permission("deny", "late"))
	late.TimedOut, late.Limit = true, time.Second
	silent := dialect.HookResult{TimedOut: true, Limit: time.Second, ExitCode: 2}
	for name, test := range map[string]struct {
		results  []dialect.HookResult
		decision protocol.Decision
		reason   string
		approved bool
		stop     string
		closed   protocol.Decision // with a policy that blocks for every cause
	}{
		"a deny behind an allow": {[]dialect.HookResult{print(permission("allow", "yes")),
			print(permission("deny", "no"))},
			protocol.Continue, "yes", true, "", protocol.Continue},
		"a deny with exit 2 behind an allow": {[]dialect.HookResult{print(permission("allow", "yes")),
			exit(2, permission("deny", "no"), "E")}, protocol.Block, "E", false, "", protocol.Block},
		"a deny behind a word of nobody's": {[]dialect.HookResult{print(permission("maybe", "")),
			print(permission("deny", "no"))}, protocol.Continue, "", false, "", protocol.Block},
		"a deny behind exit 2": {[]dialect.HookResult{exit(2, "", "E"), print(permission("deny", "no"))},
			protocol.Block, "no", false, "", protocol.Block},
		"an allow of exit 2": {[]dialect.HookResult{exit(2, permission("allow", "yes"), "E")}, protocol.Block, "E",
			false, "", protocol.Block},
		"an allow behind an ask": {[]dialect.HookResult{print(permission("ask", "")), print(permission("allow", ""))},
			protocol.Continue, "", false, "", protocol.Block},
		"exit 3 before continue: false": {[]dialect.HookResult{exit(3, "", "E"),
			print(`{"continue":false,"stopReason":"S"}`), print(permission("deny", "no"))}, protocol.Block, "S", false,
			"S", protocol.Block},
		"silent exit 3": {[]dialect.HookResult{exit(3, permission("allow", "yes"), "")}, protocol.Block,
			"Agent aborted by PreToolUse hook", false, "Agent aborted by PreToolUse hook", protocol.Block},
		"a deny before the time was over": {[]dialect.HookResult{late}, protocol.Block, "late", false, "",
			protocol.Block},
		"exit 2 after that": {[]dialect.HookResult{silent}, protocol.Continue, "", false, "", protocol.Block},
		"a deny of a hook that was killed": {[]dialect.HookResult{dialecttest.Killed("SIGKILL",
			permission("deny", "k"), "")}, protocol.Block, "k", false, "", protocol.Block},
		"a byte order mark": {[]dialect.HookResult{print("\ufeff" + permission("deny", "no"))}, protocol.Continue, "",
			false, "", protocol.Block},
		"the last of equal keys": {[]dialect.HookResult{print(`{"hookSpecificOutput":{"permissionDecision":"deny",` +
			`"permissionDecision":"allow"}}`)}, protocol.Continue, "", true, "", protocol.Block},
		"a top-level block": {[]dialect.HookResult{print(`{"decision":"block","reason":"R"}`)}, protocol.Continue, "",
			false, "", protocol.Block},
		"text": {[]dialect.HookResult{print("fine")}, protocol.Continue, "", false, "", protocol.Continue},
	} {
		t.Run(name, func(t *testing.T) {
			o := merged("PreToolUse", nil, test.results...)
			require.Equal(t, test.decision, o.Decision)
			require.Equal(t, test.stop, o.StopReason)
			require.Equal(t, test.approved, o.Approved)
			require.Equal(t, test.reason, o.Reason)
			closed := merged("PreToolUse", dialecttest.OnFailure(protocol.Block), test.results...)
			require.Equal(t, test.closed, closed.Decision)
			if test.decision == protocol.Continue && name != "text" {
				require.NotEmpty(t, o.Warnings, "a gate that did not count is told")
			}
		})
	}
}

// TestRewrites: the first change counts, merged into the input, unless the word beside it loses it.
func TestRewrites(t *testing.T) {
	change := func(fields string) dialect.HookResult { return dialecttest.Printed(dialecttest.Pre(fields)) }
	first, second := change(`"updatedInput":{"command":"a"}`), change(`"updatedInput":{"command":"b"}`)
	asks := change(`"permissionDecision":"ask","updatedInput":{"command":"c"}`)
	allows := change(`"permissionDecision":"allow","updatedInput":{"command":"d"}`)
	for want, results := range map[string][]dialect.HookResult{
		`{"command":"a","timeout":5}`: {first, second},
		`{"command":"d","timeout":5}`: {first, allows, second},
		``:                            {asks, second},
	} {
		o := merged("PreToolUse", nil, results...)
		require.Equal(t, protocol.Continue, o.Decision)
		require.Equal(t, want, string(o.UpdatedInput))
		require.NotEmpty(t, o.Warnings)
	}
}

func TestOtherEvents(t *testing.T) {
	print, exit := dialecttest.Printed, dialecttest.Exited
	context := func(e protocol.Event, text string) string {
		return dialecttest.Answers(e, `"additionalContext":"`+text+`"`)
	}
	texts := func(o protocol.Outcome) (all []string) {
		for _, in := range o.Texts {
			all = append(all, in.Content)
		}
		return all
	}
	o := merged("PostToolUse", nil, print(context("PostToolUse", "one")), exit(2, context("PostToolUse", "two"), "E"))
	require.Equal(t, protocol.Block, o.Decision)
	require.Equal(t, "E", o.Reason)
	require.Equal(t, []string{"one"}, texts(o))
	require.Len(t, o.Warnings, 1)

	o = merged("UserPromptSubmit", nil, print(context("UserPromptSubmit", "one")+" "), print("two"),
		exit(1, "three", ""))
	require.Equal(t, []string{"one"}, texts(o))
	o = merged("UserPromptSubmit", nil, print(`{"continue":false,"stopReason":"S"}`))
	require.Equal(t, protocol.Block, o.Decision)
	require.Equal(t, "S", o.Reason)
	require.False(t, o.Stop)
	o = merged("UserPromptSubmit", nil, print(dialecttest.Specific(`"updatedInput":{"prompt":"p"}`)))
	require.JSONEq(t, `{"prompt":"p"}`, string(o.UpdatedInput))
	stdout, _, err := dialecttest.Reply(droid.Client, o)
	require.NoError(t, err)
	require.Equal(t, `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","updatedInput":{"prompt":"p"}}}`,
		string(stdout))
	require.Equal(t, protocol.Block, form.WithoutRewrites(o).Decision, "a text cannot carry it")
	o = merged("SessionStart", nil, print(context("SessionStart", "one")), print("two"), print(`{"x":1}`))
	require.Equal(t, []string{"one", "two", `{"x":1}`}, texts(o))

	o = merged("Stop", nil, print(`{"decision":"block"}`), exit(2, "", "E"))
	require.Equal(t, protocol.Continue, o.Decision, "a block without a reason is none, and beside it no exit 2 is")
	require.Len(t, o.Warnings, 2)
	o = merged("Stop", nil, exit(2, "", "E"), print(`{"decision":"block","reason":"R"}`))
	require.Equal(t, "R", o.Reason)
	require.Equal(t, protocol.Block, merged("PreCompact", nil, exit(3, "", "")).Decision)
	require.Equal(t, protocol.Continue, merged("SessionEnd", nil, exit(2, "", "E")).Decision)
}

// TestFitInput: what a hook takes out of the input stays there, and that is told.
func TestFitInput(t *testing.T) {
	c := dialect.Call{Event: "PreToolUse", Tool: "Execute", Args: `{"command":"ls","summary":"s","timeout":5}`}
	v := dialecttest.Passes()
	v.UpdatedInput = []byte(`{"command":"pwd"}`)
	droid.Dialect.Hooks.Fit(&c, "h", &v)
	require.Equal(t, `hookrun: project hook 'h' took "timeout" out of the tool's input, and Droid leaves it there`,
		v.SystemMessage)
	o := protocol.Outcome{Event: "PreToolUse", Decision: protocol.Continue, UpdatedInput: v.UpdatedInput,
		SystemMessages: []string{v.SystemMessage}}
	reply, err := droid.Client.Reply(o)
	require.NoError(t, err)
	require.Equal(t, 5, reply.Exit)
	require.Equal(t, v.SystemMessage, reply.Stderr)
}

// TestWithheld: the model must not read a result that a hook changed, or was to change and did not.
func TestWithheld(t *testing.T) {
	for cause, stops := range map[protocol.Cause]bool{protocol.CausePolicy: false, protocol.CauseTimeout: true} {
		stdout, exit, err := dialecttest.Reply(droid.Client, protocol.Outcome{Event: "post-tool",
			Decision: protocol.Block, Reason: "R", Hook: "h", Cause: cause})
		require.NoError(t, err)
		require.Equal(t, stops, exit == 0 && len(stdout) > 0)
	}
}

func TestInput(t *testing.T) {
	for e, want := range map[protocol.Event]string{
		"post-tool": `{"session_id":"s","transcript_path":"","cwd":"/w","permission_mode":"off","hook_event_name":` +
			`"PostToolUse","tool_name":"Execute","tool_input":{"command":"ls"},"tool_response":"{}"}` + "\n",
		"pre-execute": `{"session_id":"s","transcript_path":"","cwd":"/w","permission_mode":"off","hook_event_name":` +
			`"UserPromptSubmit","prompt":"go","has_images":false}` + "\n",
	} {
		c := dialect.Call{Event: e, SessionID: "s", Workspace: "/w", Tool: "Execute", Args: `{"command":"ls"}`,
			Result: "{}", Prompt: "go"}
		p, _, err := droid.Dialect.Hooks.Encode(dialect.NewCall(c))
		require.NoError(t, err)
		require.Equal(t, want, string(p.Bytes()))
	}
	c := dialect.Call{Event: "PreToolUse", Workspace: "/w",
		ClientInput: `{"tool_name":"x","n":1.5,"b":true,"o":{},"HOOKRUN":"y"}`}
	require.Equal(t, []string{"FACTORY_PROJECT_DIR=/w", "DROID_PROJECT_DIR=/w", "CLAUDE_PROJECT_DIR=/w", "tool_name=x",
		"n=1.5", "b=true"}, droid.Dialect.Hooks.Environment(&c))
	require.Empty(t, droid.Dialect.EventOf(&dialect.Call{Event: "post-tool", Failed: true}))
	require.Equal(t, "mcp__srv__ping", droid.Client.ToolName(&dialect.Call{Tool: "srv___ping"}))
}

// TestInstall: hooks.json takes the place of the file with the entry, unless it has the wrong form.
func TestInstall(t *testing.T) {
	in := &client.Installed{Entries: []client.EntryText{{Path: "/w/.factory/settings.json"}}}
	for text, found := range map[string]int{`{"PreToolUse":[]}`: 1, `{"hooks":{}}`: 0, `{`: 0} {
		in.Files = []client.SettingsText{{Path: "/w/.factory/hooks.json", Text: text}, {Path: "/home/.factory/x"}}
		require.Len(t, droid.Client.Install.Obstacles(in), found, text)
	}
	require.Empty(t, droid.Client.Install.Switches(`{"hooksDisabled":true}`), "there it means nothing")
	require.True(t, droid.Client.Install.Switches(`{"hooks":{"hooksDisabled":true}}`)[0].Off)
	files := droid.Client.Install.Servers(client.Where{Workspace: "/w", Home: "/h",
		Getenv: func(string) string { return "" }}, nil)
	require.Len(t, files, 2)
	servers := files[0].Read(`{"mcpServers":{"a":{"command":"x"},"b":{"command":"y","disabled":true}}}`)
	require.Equal(t, []client.Server{{Name: "a", At: 15, Line: []string{"x"}}, {Name: "b", At: 35, Line: []string{"y"},
		Off: true}}, servers)
}
