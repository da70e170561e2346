package gemini

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
)

// What other dialects know of the client's words is what its table of events has.
func TestKeys(t *testing.T) {
	var keys []string
	for _, rule := range events {
		keys = append(keys, rule.FieldKeys()...)
	}
	slices.Sort(keys)
	require.ElementsMatch(t, dialect.GeminiKeys, slices.Compact(keys))
}
