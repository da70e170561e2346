package clients_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// TestShortage has every dialect, at every event of its own, judge a hook that hookrun could not start for lack of a
// resource. It blocks where a failure can, and is a warning elsewhere.
func TestShortage(t *testing.T) {
	for _, d := range clients.All().Dialects() {
		gates := 0
		for _, e := range d.Events.Names() {
			c := dialect.Call{Event: e, Tool: "Bash", Args: `{"command":"ls"}`}
			v := d.Hooks.Decode(&c, "g", &dialect.HookResult{Err: errors.New("hookrun could not start it: M")})
			v = d.ApplyFailurePolicy(&c, v, dialect.FailurePolicy{protocol.CauseUnstarted: protocol.Block})
			o := dialect.Merge(&c, []dialect.HookVerdict{{Verdict: v, Dialect: d}})
			const text = "hookrun could not start it: M"
			if d.CannotBlock(e) {
				require.Equal(t, protocol.Continue, o.Decision, "%s %s", d.Name, e)
				require.Len(t, o.Warnings, 1)
				require.Contains(t, o.Warnings[0], text)
				continue
			}
			gates++
			require.Equal(t, protocol.Block, o.Decision, "%s %s", d.Name, e)
			require.Equal(t, protocol.CauseUnstarted, o.Cause, "%s %s", d.Name, e)
			require.Contains(t, o.Reason, text, "%s %s", d.Name, e)
		}
		require.Positive(t, gates, d.Name)
	}
}
