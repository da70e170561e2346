package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/protocol"
)

// Two hooks of one line are told apart by their columns.
func TestEqualHooksOfOneLine(t *testing.T) {
	const strict, weak = `{"type":"command","command":"./gate"}`, `{"type":"command","command":"./gate","async":true}`
	doc := `{"hooks":{"PreToolUse":[{"hooks":[` + strict + `,` + weak + `]}]}}`
	cfg, err := parts.All().Parse(".claude/settings.json", []byte(doc))
	require.NoError(t, err)
	call := dialect.Call{Event: protocol.PreTool, Tool: "Bash", Workspace: t.TempDir()}
	warnings := newPlan(t, newRunner(t, cfg, engine.Options{}), call).Warnings()
	require.Len(t, warnings, 1)
	require.Regexp(t,
		`of \.claude/settings\.json:1:\d+ does not run, since the equal one of \.claude/settings\.json:1:\d+ runs`,
		warnings[0])
}
