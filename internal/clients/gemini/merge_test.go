package gemini_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/gemini"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// mergeGemini merges the verdicts of hooks that printed what is given and ended well.
func mergeGemini(e protocol.Event, results ...dialect.HookResult) protocol.Outcome {
	c := dialect.Call{Event: e, Tool: "run_shell_command"}
	var judged []dialect.HookVerdict
	for i, r := range results {
		name := string(rune('a' + i))
		v := gemini.Dialect.ApplyFailurePolicy(&c, gemini.Dialect.Hooks.Decode(&c, name, &r))
		judged = append(judged, dialect.HookVerdict{Report: dialect.Report(name, "f:1", &r, &v), Verdict: v,
			Dialect: gemini.Dialect})
	}
	return dialect.Merge(&c, judged)
}

func TestGeminiMerge(t *testing.T) {
	deny := func(reason string) dialect.HookResult {
		return dialecttest.Printed(`{"decision":"deny","reason":"` + reason + `"}`)
	}
	allow, ask := dialecttest.Printed(`{"decision":"allow","reason":"A"}`), dialecttest.Printed(`{"decision":"ask",`+
		`"reason":"Q"}`)
	stop := func(reason string) dialect.HookResult {
		return dialecttest.Printed(`{"continue":false,"stopReason":"` + reason + `"}`)
	}
	for name, test := range map[string]struct {
		event              protocol.Event
		results            []dialect.HookResult
		decision           protocol.Decision
		reason, hook       string
		stop               bool
		stopReason, inject string
	}{
		"two denies": {"BeforeTool", []dialect.HookResult{deny("1"), deny("2")}, protocol.Block,
			"1\n2", "a", false, "", ""},
		"deny, allow": {"BeforeTool", []dialect.HookResult{deny("1"), allow}, protocol.Block,
			"1\nA", "a", false, "", ""},
		"allow, deny": {"BeforeTool", []dialect.HookResult{allow, deny("1")}, protocol.Block,
			"A\n1", "b", false, "", ""},
		"ask, deny": {"BeforeTool", []dialect.HookResult{ask, deny("1")}, protocol.Block, "Q\n1",
			"b", false, "", ""},
		"allow, ask": {"BeforeTool", []dialect.HookResult{allow, ask}, protocol.Ask, "A\nQ", "b",
			false, "", ""},
		"an exit code and JSON": {"BeforeTool",
			[]dialect.HookResult{dialecttest.Exited(2, "", "E"), deny("1")}, protocol.Block, "E\n1", "a", false, "",
			""},
		"an allow that failed": {"BeforeTool",
			[]dialect.HookResult{dialecttest.Exited(1, `{"decision":"allow","reason":"A"}`, ""), deny("1")},
			protocol.Block, "A\n1", "b", false, "", ""},
		"a silent deny, deny": {"BeforeTool",
			[]dialect.HookResult{dialecttest.Printed(`{"decision":"deny"}`), deny("1")}, protocol.Block, "1", "a",
			false, "", ""},
		"no reason": {"BeforeTool",
			[]dialect.HookResult{dialecttest.Printed(`{"decision":"deny"}`)}, protocol.Block, "No reason provided",
			"a", false, "", ""},
		"allows": {"BeforeTool", []dialect.HookResult{allow, allow}, protocol.Continue, "",
			"", false, "", ""},
		"a stop before a tool": {"BeforeTool", []dialect.HookResult{stop("S")}, protocol.Block, "S", "a",
			true, "S", ""},
		"a stop without a reason": {"BeforeTool",
			[]dialect.HookResult{dialecttest.Printed(`{"continue":false}`)}, protocol.Block, "No reason provided", "a",
			true, "No reason provided", ""},
		"a stop with a reason only": {"BeforeTool",
			[]dialect.HookResult{dialecttest.Printed(`{"continue":false,"reason":"R"}`)}, protocol.Block, "R", "a",
			true, "R", ""},
		"stop, deny": {"BeforeTool", []dialect.HookResult{stop("S"), deny("1")}, protocol.Block,
			"1", "a", true, "S", ""},
		"two stops": {"BeforeAgent", []dialect.HookResult{stop("S"), stop("T")},
			protocol.Continue, "", "", true, "S\nT", ""},
		"a stop beside a deny": {"BeforeAgent", []dialect.HookResult{stop("S"), deny("1")}, protocol.Block,
			"1", "b", true, "S", ""},
		"two contexts": {"AfterTool",
			[]dialect.HookResult{dialecttest.Printed(dialecttest.Specific(`"additionalContext":"x"`)),
				dialecttest.Printed(dialecttest.Specific(`"additionalContext":"y"`))}, protocol.Continue, "", "",
			false, "", "x y"},
		"a block drops all context": {"AfterTool",
			[]dialect.HookResult{dialecttest.Printed(dialecttest.Specific(`"additionalContext":"x"`)),
				dialecttest.Printed(`{"decision":"deny","reason":"1",` +
					`"hookSpecificOutput":{"additionalContext":"y"}}`)}, protocol.Block, "1", "b", false, "", ""},
		"a failure is no reason": {"BeforeTool",
			[]dialect.HookResult{dialecttest.Exited(1, "", "words"), deny("1")}, protocol.Block, "1", "b", false, "",
			""},
		"a wrong output loses none": {"BeforeTool",
			[]dialect.HookResult{deny("1"), dialecttest.Printed(`{"hookSpecificOutput":"x"}`)}, protocol.Block, "1",
			"a", false, "", ""},
		"a stop reason before a model": {"BeforeModel",
			[]dialect.HookResult{dialecttest.Printed(`{"decision":"deny","reason":"R","stopReason":"S"}`)},
			protocol.Block, "S", "a", false, "", ""},
		"a stop reason, no deny": {"AfterModel",
			[]dialect.HookResult{dialecttest.Printed(`{"reason":"R","stopReason":"S"}`)}, protocol.Continue, "", "",
			false, "", ""},
		"the last of BeforeModel is none": {"BeforeModel",
			[]dialect.HookResult{deny("1"), dialecttest.Printed(`{"decision":"allow"}`)}, protocol.Block, "1", "a",
			false, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := mergeGemini(test.event, test.results...)
			require.Equal(t, test.decision, o.Decision)
			require.Equal(t, test.reason, o.Reason)
			require.Equal(t, test.hook, o.Hook)
			require.Equal(t, test.stop, o.Stop)
			require.Equal(t, test.stopReason, o.StopReason)
			require.Equal(t, test.inject, strings.Join(dialect.TextsOf(o), " "))
			require.False(t, o.Approved)
		})
	}
	t.Run("the last rewrite in the file counts, and none beside a deny", func(t *testing.T) {
		one, two := dialecttest.Printed(dialecttest.Specific(`"tool_input":{"a":1,"b":1}`)), dialecttest.Printed(
			dialecttest.Specific(`"tool_input":{"a":2}`))
		require.JSONEq(t, `{"a":2}`, string(mergeGemini("BeforeTool", one, two).UpdatedInput))
		require.Nil(t, mergeGemini("BeforeTool", one, deny("1")).UpdatedInput)
		require.NotNil(t, mergeGemini("BeforeTool", one, ask).UpdatedInput, "the person who is asked may allow it")
	})
	t.Run("reasons of other dialects stay apart", func(t *testing.T) {
		c := dialect.Call{Event: "BeforeTool", Tool: "x"}
		require.NoError(t, c.Resolve(clients.All()))
		var judged []dialect.HookVerdict
		for _, d := range []*dialect.Dialect{tenex.Dialect, gemini.Dialect, gemini.Dialect} {
			r := dialecttest.Exited(2, "", "no by "+d.Name)
			judged = append(judged, dialect.HookVerdict{Verdict: d.Hooks.Decode(&c, "h", &r), Dialect: d})
		}
		require.Equal(t, "no by tenex", dialect.Merge(&c, judged).Reason, "the first blocker's dialect says how")
		require.Equal(t, "no by gemini\nno by gemini", dialect.Merge(&c, judged[1:]).Reason)
	})
}
