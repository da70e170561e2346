package massgen_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/massgen"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

func judged(name string, v dialect.Verdict) dialect.HookVerdict {
	return dialect.HookVerdict{Report: protocol.Report{Name: name, Status: v.Status}, Verdict: v,
		Dialect: massgen.Dialect}
}

func TestMassGenMerge(t *testing.T) {
	ask := func(reason string) dialect.Verdict {
		return decideMassgen("pre-tool", dialecttest.Printed(`{"decision":"ask","reason":"`+reason+`"}`))
	}
	allow := decideMassgen("pre-tool", dialecttest.Printed(`{}`))
	deny := decideMassgen("pre-tool", dialecttest.Printed(`{"decision":"deny","reason":"no"}`))
	for _, test := range []struct {
		name     string
		verdicts []dialect.Verdict
		decision protocol.Decision
		reason   string
		hook     string
	}{
		{"M21 ask then allow", []dialect.Verdict{ask("one"), allow}, protocol.Ask, "one", "a"},
		{"M21 the last ask's reason", []dialect.Verdict{ask("one"), allow, ask("two"), allow}, protocol.Ask, "two",
			"c"},
		{"M21 a later deny", []dialect.Verdict{ask("one"), deny}, protocol.Block, "no", "b"},
		{"M26 no hooks", nil, protocol.Continue, "", ""},
		{"M26 all allow", []dialect.Verdict{allow, allow}, protocol.Continue, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var all []dialect.HookVerdict
			for i, v := range test.verdicts {
				all = append(all, judged(string(rune('a'+i)), v))
			}
			c := dialect.Call{Event: "pre-tool", Tool: "Write"}
			o := dialect.Merge(&c, all)
			require.Equal(t, test.decision, o.Decision)
			require.Equal(t, test.reason, o.Reason)
			require.Equal(t, test.hook, o.Hook)
			require.False(t, o.Approved, "an allow of MassGen's is no approval: it is the default")
			require.Len(t, o.Hooks, len(test.verdicts))
		})
	}
}
