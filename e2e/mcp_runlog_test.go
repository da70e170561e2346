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

// TestRunLogOfMCPHasWhatTheClientGot: also a rewrite that no tool takes, and the text of MassGen's.
func TestRunLogOfMCPHasWhatTheClientGot(t *testing.T) {
	dir := t.TempDir()
	log, ipc := filepath.Join(dir, "run.log"), filepath.Join(dir, ".codex")
	require.Zero(t, binary.Run(t, dir, "", nil, binary.Path, "inject", "--massgen-ipc", ipc, "a text").Code)
	p := newProxied(t, []binary.Hook{{"name": "rewrite", "events": []string{"pre-tool"},
		"when":    []binary.Hook{{"path": "args.text", "equals": "bad"}},
		"command": `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":[1]}}'`}},
		"HOOKRUN_LOG="+log, "--massgen-ipc", ipc)
	require.Equal(t, []string{"good", "\na text"}, p.result("echo", binary.Hook{"text": "good"}).texts())
	reason := p.result("echo", binary.Hook{"text": "bad"}).texts()
	lines := binary.ReadLog(t, log)
	require.Len(t, lines, 3)
	require.Len(t, lines[1].Outcome.Inject, 1)
	require.Equal(t, "block", lines[2].Outcome.Decision)
	require.Equal(t, reason, []string{lines[2].Outcome.Reason})
}

// TestMCPVerbose: -v shows of a hook what it shows with a command.
func TestMCPVerbose(t *testing.T) {
	p := newProxied(t, []binary.Hook{{"name": "slow", "events": []string{"pre-tool"}, "timeout": "100ms",
		"command": "echo why >&2; sleep 1000"}}, "-v")
	p.result("echo", binary.Hook{"text": "x"})
	p.leave(0)
	require.Regexp(t, `(?m)^hookrun mcp: pre-tool "?mcp__[a-z_]*__echo"?: hook 'slow' timeout in `, p.Err.String())
	require.Regexp(t, `(?m)^hookrun mcp: pre-tool "?mcp__[a-z_]*__echo"?: hook 'slow' was killed by SIG`,
		p.Err.String())
	require.Contains(t, p.Err.String(), "hookrun mcp: hook 'slow' stderr: why\n")
}
