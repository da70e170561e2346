package cases

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProgress: the next line of progress overwrites the last one.
func TestProgress(t *testing.T) {
	t.Parallel()
	var screen strings.Builder
	p := progress{w: &screen}
	p.clear()
	p.show("1 of 2")
	p.show("2 of 2")
	p.clear()
	p.clear()
	require.Equal(t, "1 of 2\r      \r2 of 2\r      \r", screen.String())
}
