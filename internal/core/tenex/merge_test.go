package tenex_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/form"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

func TestMerge(t *testing.T) {
	var (
		allow = dialecttest.Specific(`"permissionDecision":"allow"`)
		ask   = dialecttest.Specific(`"permissionDecision":"ask","permissionDecisionReason":"sure?"`)
		later = dialecttest.Specific(`"permissionDecision":"defer"`)
	)
	o := dialecttest.Merge(protocol.PreTool, "one", ask, dialecttest.Specific(`"additionalContext":"two"`), later,
		allow, ask)
	require.Equal(t, protocol.Defer, o.Decision, "defer before ask before allow")
	require.Equal(t, "d", o.Hook)
	require.False(t, o.Approved)
	require.Len(t, o.Texts, 2)

	o = dialecttest.Merge(protocol.PreTool, "one", ask,
		dialecttest.Specific(`"permissionDecision":"deny","permissionDecisionReason":"no","additionalContext":"why"`))
	require.Equal(t, protocol.Block, o.Decision)
	require.Equal(t, "no", o.Reason)
	require.Equal(t, "c", o.Hook)
	require.Equal(t, []protocol.Text{{Hook: "c", Content: "why", Display: "[INJECTION] why"}}, o.Texts,
		"of the hooks that let it pass nothing is kept")

	o = dialecttest.Merge(protocol.PreTool, `{"continue":false,"stopReason":"first","systemMessage":"s1"}`,
		`{"continue":false}`, `{"continue":false,"stopReason":"last","systemMessage":"s2"}`)
	require.Equal(t, protocol.Continue, o.Decision, "a stop changes no decision")
	require.True(t, o.Stop)
	require.Equal(t, "last", o.StopReason)
	require.Equal(t, []string{"s1", "s2"}, o.SystemMessages)
	require.Equal(t, 3, form.ExitCode(o))
	require.Empty(t, form.Text(o))
	o = dialecttest.Merge(protocol.PreTool, `{"continue":false}`)
	require.Equal(t, "Stopped by project hook 'a'", form.Stderr(o))

	o = dialecttest.Merge(protocol.PreTool, dialecttest.Specific(`"updatedInput":{"a":1}`),
		dialecttest.Specific(`"updatedInput":{"a":2}`), allow)
	require.JSONEq(t, `{"a":2}`, string(o.UpdatedInput))
	require.True(t, o.Approved)
	require.Equal(t, "c", o.Hook)
	require.Nil(t, dialecttest.Merge(protocol.PreTool, dialecttest.Specific(`"updatedInput":{"a":1}`),
		dialecttest.Deny).UpdatedInput)
	require.NotNil(t, dialecttest.Merge(protocol.PreTool,
		dialecttest.Specific(`"updatedInput":{"a":1},"permissionDecision":"ask"`)).UpdatedInput)

	o = dialecttest.Merge(protocol.PreTool)
	require.Equal(t, protocol.Continue, o.Decision)
	require.Zero(t, form.ExitCode(o))
}

// A hook that was to answer and did not may have been about to deny.
func TestNoAnswerTakesBackAnApproval(t *testing.T) {
	c := dialect.Call{Event: protocol.PreTool, Tool: "shell"}
	merged := func(results ...dialect.HookResult) protocol.Outcome {
		var judged []dialect.HookVerdict
		for _, r := range results {
			v := tenex.Dialect.ApplyFailurePolicy(&c, nearmiss.Decode(tenex.Dialect, &c, "a", &r))
			judged = append(judged, dialect.HookVerdict{Verdict: v, Dialect: tenex.Dialect})
		}
		return dialect.Merge(&c, judged)
	}
	allow := dialecttest.Printed(dialecttest.Specific(`"permissionDecision":"allow"`))
	require.True(t, merged(allow, dialecttest.Printed(`{}`)).Approved)
	late := merged(allow, dialect.HookResult{TimedOut: true})
	require.Equal(t, protocol.Continue, late.Decision)
	require.False(t, late.Approved)
}
