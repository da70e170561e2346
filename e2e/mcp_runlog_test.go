//go:build linux

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

func TestRunLogOfMCP(t *testing.T) {
	log := filepath.Join(t.TempDir(), "run.log")
	p := newProxied(t, []binary.Hook{{"name": "guard", "block": "not that", "events": []string{"pre-tool"},
		"when": []binary.Hook{{"path": "args.text", "equals": "bad"}}}}, "HOOKRUN_LOG="+log)
	p.result("echo", binary.Hook{"text": "good"})
	p.result("echo", binary.Hook{"text": "bad"})
	lines := binary.ReadLog(t, log)
	require.Len(t, lines, 3, "before and after the good call, before the other")
	for i, want := range []string{"pre-tool continue", "post-tool continue", "pre-tool block"} {
		require.Equal(t, "mcp", lines[i].Command)
		require.Equal(t, want, lines[i].Outcome.Event+" "+lines[i].Outcome.Decision)
		require.True(t, strings.HasPrefix(lines[i].Outcome.Tool, "mcp__"), lines[i].Outcome.Tool)
	}
}
