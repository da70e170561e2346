package tenex_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// These are answers as guards print them, each of them whole.
func TestWholeAnswers(t *testing.T) {
	for _, stdout := range []string{
		`{}`, `{"continue":true}`, `{"continue":true,"reason":""}`, `{"continue":true,"reason":"all is well"}`,
		`{"suppressOutput":true}`, `{"systemMessage":"m"}`,
		`{"continue":true,"stopReason":"","suppressOutput":false,"systemMessage":""}`, `{"hookSpecificOutput":{}}`,
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse"}}`,
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"c"}}`,
		`{"hookSpecificOutput":{"updatedInput":{"a":1},"permissionDecisionReason":"mended"}}`,
		`{"reason":"mended","hookSpecificOutput":{"updatedInput":{"a":1}}}`,
		`{"decision":"approve","reason":"fine"}`,
		`{"reason":"fine","hookSpecificOutput":{"permissionDecision":"allow"}}`, `{"decision":null,"reason":null}`,
	} {
		v := judge(protocol.PreTool, dialecttest.Printed(stdout))
		require.Equal(t, protocol.Continue, v.Decision, "%s %s", stdout, v.Reason)
		require.Equal(t, dialect.StatusOK, v.Status, stdout)
		require.Empty(t, v.Warnings, stdout)
	}
}

// A deny that is whole stands, whatever stands beside it. So does a stop in an answer that cannot be read.
func TestNoStandsBesideUnknownKeys(t *testing.T) {
	for stdout, decision := range map[string]protocol.Decision{
		`{"decision":"block","reason":"no","level":3}`:                                             protocol.Block,
		`{"decision":"block","reason":"no","Reason":"x","hook_event_name":"Stop","tool_input":{}}`: protocol.Block,
		`{"action":"allow","hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"no",` +
			`"level":3}}`: protocol.Ask,
	} {
		v := judge(protocol.PreTool, dialecttest.Printed(stdout))
		require.Equal(t, decision, v.Decision, stdout)
		require.Equal(t, protocol.CausePolicy, v.Cause, stdout)
		require.Equal(t, "no", v.Reason, stdout)
		require.NotEmpty(t, v.Warnings, stdout)
		require.Contains(t, strings.Join(v.Warnings, "\n"),
			" in its JSON; that was passed over, and the "+map[protocol.Decision]string{
				protocol.Block: "deny", protocol.Ask: "ask"}[decision]+" counts; an answer is ")
	}
	v := judge(protocol.PostTool, dialecttest.Printed(`{"continue":false,"stopReason":"enough","level":3}`))
	require.True(t, v.Stop)
	require.Equal(t, "enough", v.StopReason)
	require.Equal(t, protocol.Continue, v.Decision)
	require.Contains(t, v.Warnings[0], `it has "level", which is no key of an answer`)
}

// What is kept of an output that was cut can have an answer in it.
func TestAnswerInOutputThatWasCut(t *testing.T) {
	r := dialect.HookResult{Stdout: dialect.Capture{Head: []byte("many lines\n"),
		Tail:  []byte("more lines\n" + dialecttest.Deny),
		Total: 3 << 20}}
	v := judge(protocol.PreTool, r)
	require.Equal(t, []any{protocol.Block, protocol.CauseOutput}, []any{v.Decision, v.Cause})
	r.Stdout.Tail = []byte("more lines")
	v = judge(protocol.PreTool, r)
	require.Equal(t, protocol.Continue, v.Decision)
	require.Contains(t, v.Warnings[0], "printed 3145728 bytes, and an answer among the 3145707 in the middle would")
	v = judge(protocol.PreTool, r, dialect.FailurePolicy{protocol.CauseOutput: protocol.Block})
	require.Equal(t, []any{protocol.Block, protocol.CauseOutput}, []any{v.Decision, v.Cause})
}

// An exit that says no is a decision: the reason of a JSON that has none is its reason.
func TestReasonBesideAnExit(t *testing.T) {
	for _, stdout := range []string{`{"reason":"no"}`, `{"block":true,"reason":"no"}`,
		`{"hookSpecificOutput":{"permissionDecisionReason":"no"}}`} {
		v := judge(protocol.PreTool, dialecttest.Exited(1, stdout, "stderr"))
		require.Equal(t, []any{protocol.Block, protocol.CausePolicy, "no"}, []any{v.Decision, v.Cause, v.Reason},
			stdout)
	}
}
