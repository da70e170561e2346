package claude

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
)

// What other dialects know of the client's words is what its table of events has.
func TestKeys(t *testing.T) {
	keys := []string{"updatedPermissions"} // stands in the decision
	for _, rule := range events {
		for _, f := range rule.Fields {
			keys = append(keys, f.Key())
		}
	}
	slices.Sort(keys)
	require.ElementsMatch(t, dialect.ClaudeKeys, slices.Compact(keys))
}
