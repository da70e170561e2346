package mcpproxy

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPatientLog: nobody reads, so the writer never waits; who reads at last is told how much is missing.
func TestPatientLog(t *testing.T) {
	from, to := io.Pipe()
	l := NewLog(to)
	const each, texts = 1 << 10, 1000
	for i := range texts {
		fmt.Fprintf(l, "%0*d\n", each-1, i)
	}
	read := make(chan string)
	go func() {
		all, _ := io.ReadAll(from)
		read <- string(all)
	}()
	l.Close()
	to.Close()
	lines := strings.Split(strings.TrimSuffix(<-read, "\n"), "\n")
	kept := len(lines) - 1
	require.Equal(t, unreadLog/(each-1)+1, kept)
	for i, line := range lines[:kept] {
		require.Equal(t, fmt.Sprintf("%0*d", each-1, i), line)
	}
	require.Equal(t, fmt.Sprintf("hookrun mcp: %d messages were dropped here: nobody read stderr", texts-kept),
		lines[kept])
}
