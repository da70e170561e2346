package clients_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// What cannot be read never lets a tool run, in any dialect that says nothing else.
func TestGarbledLineIsAFailure(t *testing.T) {
	c := &dialect.Call{Event: protocol.PreTool, Tool: "shell"}
	for _, d := range clients.All().Dialects() {
		for _, line := range []string{"hello", `{"exit_code":null,"signal":"SIGKILL"}`, `{"error":"no database"}`,
			`{"id":7}`} {
			v := d.Hooks.Decode(c, "h", dialecttest.LineResult(line))
			require.NotEmpty(t, v.Problem, "%s: %s", d.Name, line)
			require.Equal(t, protocol.CauseOutput, v.Cause)
			v = d.ApplyFailurePolicy(c, v, dialect.FailurePolicy{protocol.CauseOutput: protocol.Block})
			require.Equal(t, protocol.Block, v.Decision)
		}
	}
}
