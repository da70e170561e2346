package claude_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/claude"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/form"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

func TestClaudeMerge(t *testing.T) {
	c := dialecttest.AtEvent("PreToolUse")
	merge := func(results ...dialect.HookResult) protocol.Outcome {
		var judged []dialect.HookVerdict
		for i, r := range results {
			name := string(rune('a' + i))
			v := claude.Dialect.ApplyFailurePolicy(&c, claude.Dialect.Hooks.Decode(&c, name, &r))
			judged = append(judged, dialect.HookVerdict{Report: dialect.Report(name, "f:1", &r, &v), Verdict: v,
				Dialect: claude.Dialect})
		}
		return dialect.Merge(&c, judged)
	}
	word := func(w string) dialect.HookResult {
		return dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"` + w + `","permissionDecisionReason":"` +
			w + `","additionalContext":"c-` + w + `"`))
	}
	// deny = exit 2 > defer > ask > allow, in any order of the file.
	words := []string{"deny", "defer", "ask", "allow"}
	decisions := []protocol.Decision{protocol.Block, protocol.Defer, protocol.Ask, protocol.Continue}
	for i := range words {
		for j := range words {
			o := merge(word(words[i]), dialecttest.Printed(""), word(words[j]))
			require.Equal(t, decisions[min(i, j)], o.Decision)
			require.Equal(t, words[min(i, j)], o.Reason)
			require.Equal(t, min(i, j) == 3, o.Approved)
			require.Equal(t, map[bool]string{true: "a", false: "c"}[i <= j], o.Hook)
			require.Equal(t, []string{"c-" + words[i], "c-" + words[j]}, dialect.TextsOf(o),
				"the model is told what all of them say, also of a call that is blocked")
		}
		o := merge(word(words[i]), dialecttest.Exited(2, "", "two"))
		require.Equal(t, protocol.Block, o.Decision)
		require.Equal(t, map[bool]string{true: "deny", false: "two"}[i == 0], o.Reason, "the first that blocks")
	}

	update := func(value string) dialect.HookResult {
		return dialecttest.Printed(dialecttest.Pre(`"updatedInput":{"v":"` + value + `"}`))
	}
	o := merge(update("1"), update("2"), word("allow"))
	require.Equal(t, `{"v":"2"}`, string(o.UpdatedInput), "the last counts, and an allow after it does not undo it")
	require.True(t, o.Approved)
	require.Nil(t, merge(update("1"), word("deny")).UpdatedInput)
	require.NotNil(t, merge(update("1"), word("ask")).UpdatedInput)

	o = merge(dialecttest.Printed(`{"continue":false,"stopReason":"s1"}`), word("deny"),
		dialecttest.Printed(`{"continue":false,"stopReason":"s2"}`), dialecttest.Printed(`{"continue":false}`))
	require.Equal(t, protocol.Block, o.Decision, "not run, and stopped")
	require.True(t, o.Stop)
	require.Equal(t, "s2", o.StopReason)
	require.Equal(t, 3, form.ExitCode(o))

	o = merge(word("allow"), dialecttest.Exited(1, "", "boom"), dialect.HookResult{TimedOut: true},
		dialecttest.Printed("{x}"))
	require.True(t, o.Approved, "failures of others do not undo an allow with this client")
	require.Len(t, o.Warnings, 3)
	require.Len(t, o.Hooks, 4)
	unsupported := claude.Dialect.ApplyFailurePolicy(&c, dialect.Unsupported(claude.Dialect, &c, "p", "prompt"))
	r := word("allow")
	o = dialect.Merge(&c, []dialect.HookVerdict{
		{Verdict: claude.Dialect.Hooks.Decode(&c, "a", &r), Dialect: claude.Dialect},
		{Verdict: unsupported, Dialect: claude.Dialect}})
	require.Equal(t, protocol.Continue, o.Decision)
	require.False(t, o.Approved, "but a hook that hookrun could not ask does")
}
