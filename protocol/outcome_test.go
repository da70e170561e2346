package protocol_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/claude"
	"github.com/hookrun/hookrun/internal/dialect/tenex"
	"github.com/hookrun/hookrun/protocol"
)

func TestZeroValuesAreSafe(t *testing.T) {
	require.Equal(t, protocol.Block, protocol.Outcome{}.Decision)
	require.Equal(t, protocol.Block, dialect.Verdict{}.Decision)
	require.Equal(t, 2, protocol.Outcome{}.ExitCode())
	require.Equal(t, "block", protocol.Decision(77).String())
	var d = protocol.Continue
	require.Error(t, d.UnmarshalText([]byte("allow")))
	require.Equal(t, protocol.Block, d)
	require.Equal(t, protocol.Block, new(dialect.Dialect).FailureDecision(&protocol.Call{Event: "Stop"}, protocol.CauseTimeout))
	require.Equal(t, protocol.Block, tenex.Dialect.FailureDecision(&protocol.Call{Event: "Stop"}, protocol.CauseTimeout))
}

// merge merges the verdicts of hooks that printed what is given, at an event.
func merge(e protocol.Event, stdouts ...string) protocol.Outcome {
	c := protocol.Call{Event: e, Tool: "shell"}
	var judged []dialect.HookVerdict
	for i, s := range stdouts {
		r := printed(s)
		v := tenex.Dialect.Decode(&c, string(rune('a'+i)), &r)
		judged = append(judged, dialect.HookVerdict{Report: dialect.Report(string(rune('a'+i)), "f:1", &r, &v), Verdict: v, Dialect: tenex.Dialect})
	}
	return dialect.Merge(&c, judged)
}

func specific(fields string) string { return `{"hookSpecificOutput":{` + fields + `}}` }

func TestMerge(t *testing.T) {
	var (
		allow = specific(`"permissionDecision":"allow"`)
		ask   = specific(`"permissionDecision":"ask","permissionDecisionReason":"sure?"`)
		later = specific(`"permissionDecision":"defer"`)
	)
	o := merge(protocol.PreTool, "one", ask, specific(`"additionalContext":"two"`), later, allow, ask)
	require.Equal(t, protocol.Defer, o.Decision, "defer before ask before allow")
	require.Equal(t, "d", o.Hook)
	require.False(t, o.Approved)
	require.Len(t, o.Inject, 2)

	o = merge(protocol.PreTool, "one", ask, specific(`"permissionDecision":"deny","permissionDecisionReason":"no","additionalContext":"why"`))
	require.Equal(t, protocol.Block, o.Decision)
	require.Equal(t, "no", o.Reason)
	require.Equal(t, "c", o.Hook)
	require.Equal(t, []protocol.Inject{{Hook: "c", Content: "why"}}, o.Inject, "of the hooks that let it pass nothing is kept")

	o = merge(protocol.PreTool, `{"continue":false,"stopReason":"first","systemMessage":"s1"}`, `{"continue":false}`, `{"continue":false,"stopReason":"last","systemMessage":"s2"}`)
	require.Equal(t, protocol.Continue, o.Decision, "a stop changes no decision")
	require.True(t, o.Stop)
	require.Equal(t, "last", o.StopReason)
	require.Equal(t, []string{"s1", "s2"}, o.SystemMessages)
	require.Equal(t, 3, o.ExitCode())
	require.Empty(t, o.Text())
	require.Equal(t, "Stopped by project hook 'a'", merge(protocol.PreTool, `{"continue":false}`).Why())

	o = merge(protocol.PreTool, specific(`"updatedInput":{"a":1}`), specific(`"updatedInput":{"a":2}`), allow)
	require.JSONEq(t, `{"a":2}`, string(o.UpdatedInput))
	require.True(t, o.Approved)
	require.Equal(t, "c", o.Hook)
	require.Nil(t, merge(protocol.PreTool, specific(`"updatedInput":{"a":1}`), deny).UpdatedInput)
	require.NotNil(t, merge(protocol.PreTool, specific(`"updatedInput":{"a":1},"permissionDecision":"ask"`)).UpdatedInput)

	o = merge(protocol.PreTool)
	require.Equal(t, protocol.Continue, o.Decision)
	require.Zero(t, o.ExitCode())
}

func TestText(t *testing.T) {
	o := merge(protocol.PreTool, "one\ntwo", "", "three")
	require.Equal(t, "one\ntwo\n\nthree", o.Text())
	require.Equal(t, "<system-reminder type=\"pre-execute-hook\">\none\ntwo\n</system-reminder>\n\n<system-reminder type=\"pre-execute-hook\">\nthree\n</system-reminder>", o.Wrapped())
	o = merge(protocol.PreTool, "one", deny)
	require.Empty(t, o.Text())
	require.Empty(t, o.Wrapped())
	require.Equal(t, "no pushing", o.Why())
	require.Equal(t, 2, o.ExitCode())
}

func TestWithoutRewrites(t *testing.T) {
	before := merge(protocol.PreTool, "ctx", specific(`"updatedInput":{},"permissionDecision":"allow"`))
	o := before.WithoutRewrites()
	require.Equal(t, protocol.Block, o.Decision)
	require.Equal(t, protocol.CauseRewrite, o.Cause)
	require.Equal(t, "b", o.Hook)
	require.False(t, o.Approved)
	require.Contains(t, o.Reason, "project hook 'b' changed the tool's input")
	require.Equal(t, protocol.Continue, before.Decision, "the outcome itself is not changed")

	o = merge(protocol.PostTool, specific(`"updatedToolOutput":"x"`)).WithoutRewrites()
	require.Equal(t, protocol.Block, o.Decision)
	require.Contains(t, o.Reason, "project hook 'a' changed the tool's output")

	o = merge(protocol.PostTool, specific(`"updatedToolOutput":"x"`), `{"decision":"block","reason":"look"}`).WithoutRewrites()
	require.Regexp(t, `^look\n\nproject hook 'a' changed`, o.Reason)

	o = merge(protocol.PreTool, specific(`"updatedInput":{},"permissionDecision":"ask","permissionDecisionReason":"sure?"`)).WithoutRewrites()
	require.Equal(t, protocol.Ask, o.Decision)
	require.Equal(t, "sure?", o.Reason)

	plain := merge(protocol.PreTool, "x")
	require.Equal(t, plain, plain.WithoutRewrites())
}

func TestClaude(t *testing.T) {
	for want, o := range map[string]protocol.Outcome{
		`{}`: merge(protocol.PreTool, ""),
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"a\n\n<b>"}}`:                                                   merge(protocol.PreTool, "a", "<b>"),
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no pushing"}}`:              merge("PreToolUse", deny),
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"q","updatedInput":{"a":1}}}`: merge(protocol.PreTool, specific(`"permissionDecision":"ask","permissionDecisionReason":"q","updatedInput":{"a":1}`)),
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`:                                                     merge(protocol.PreTool, `{"decision":"approve"}`),
		`{"continue":false,"stopReason":"s","systemMessage":"m"}`:                                                                                merge(protocol.PreTool, `{"continue":false,"stopReason":"s","systemMessage":"m"}`),
		`{"decision":"block","reason":"r","hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":"x"}}`:                         merge(protocol.PostTool, `{"decision":"block","reason":"r","hookSpecificOutput":{"updatedToolOutput":"x"}}`),
		`{"decision":"block","reason":"no pushing"}`:                                                                                             merge(protocol.PreExecute, deny),
		`{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"ctx"}}`:                                                  merge(protocol.PreExecute, "ctx"),
	} {
		got, _, err := claude.Dialect.EncodeOutput(o)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	zero, _, err := claude.Dialect.EncodeOutput(protocol.Outcome{Event: protocol.PreTool})
	require.NoError(t, err)
	require.Contains(t, string(zero), `"permissionDecision":"deny"`)
}

func TestJSON(t *testing.T) {
	c := protocol.Call{Event: "PreToolUse", Tool: "shell"}
	r := exited(3, "", "<why>\n")
	r.Duration, r.LeftRunning = 1_987_654*time.Nanosecond, []int{7}
	v := tenex.Dialect.Decode(&c, "h", &r)
	o := dialect.Merge(&c, []dialect.HookVerdict{
		{Report: dialect.Report("h", "f:2", &r, &v), Verdict: v, Dialect: tenex.Dialect},
		dialect.Skipped("later", "f:3", tenex.Dialect),
	})
	got, err := o.JSON()
	require.NoError(t, err)
	require.Equal(t, `{"version":1,"event":"PreToolUse","tool":"shell","decision":"block","reason":"<why>","cause":"policy","hook":"h",`+
		`"hooks":[{"name":"h","source":"f:2","status":"blocked","cause":"policy","exit_code":3,"duration_ms":1.98,"stdout_bytes":0,"stderr":"<why>","left_running":[7]},`+
		`{"name":"later","source":"f:3","status":"skipped","duration_ms":0,"stdout_bytes":0}],"duration_ms":0}`, string(got))
	var back protocol.Outcome
	require.NoError(t, json.Unmarshal(got, &back))
	require.Equal(t, protocol.Block, back.Decision)
	require.InDelta(t, 1.98, time.Duration(back.Hooks[0].Duration).Seconds()*1000, 0.001)
}

func TestStderrIsShortened(t *testing.T) {
	r := exited(1, "", strings.Repeat("é", 100_000))
	v := dialect.Verdict{}
	got := dialect.Report("h", "f:1", &r, &v).Stderr
	require.LessOrEqual(t, len(got), 64<<10)
	require.Contains(t, got, "é\n[hookrun: shortened]\né")
}

// TestFold has the counterparts of TENEX's unit tests, by their names.
func TestFold(t *testing.T) {
	for name, test := range map[string]struct {
		result any
		texts  []string
		want   string
	}{
		"appends_to_string_result_with_separator":              {"base", []string{"x"}, "base\n\nx"},
		"appends_to_empty_string_without_leading_separator":    {"", []string{"x"}, "x"},
		"coerces_structured_result_to_string_before_appending": {map[string]bool{"ok": true}, []string{"x"}, "{\"ok\":true}\n\nx"},
		"multiple_injections_accumulate_in_order":              {"base", []string{"first", "second"}, "base\n\nfirst\n\nsecond"},
		"a number is its JSON, and <&> stay":                   {[]any{1, "<&>"}, nil, `[1,"<&>"]`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := protocol.Fold(test.result, test.texts...)
			require.NoError(t, err)
			require.Equal(t, test.want, got)
		})
	}
	_, err := protocol.Fold(func() {})
	require.Error(t, err)
}
