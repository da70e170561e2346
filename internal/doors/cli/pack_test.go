package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/rules/pack"
)

// TestPackPrintsTheWholeRule: docs/reference/pack-rules.md has a line for each rule, and the command has all else.
func TestPackPrintsTheWholeRule(t *testing.T) {
	t.Parallel()
	for _, p := range pack.All() {
		for i := range p.Rules {
			r := &p.Rules[i]
			got := run("", "pack", p.ID(r))
			require.Equal(t, 0, got.exit, got.err)
			for _, text := range []string{r.Does() + " " + r.Blocks, r.Why(), r.Instead(), r.Limits()} {
				require.Contains(t, got.out, text, p.ID(r))
			}
			for _, e := range append(r.Block(), r.Pass()...) {
				require.Contains(t, got.out, "\n  "+strings.ReplaceAll(e.String(), "\n", "\n  ")+"\n", p.ID(r))
			}
		}
	}
}
