package all_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/dialect/all"
	"github.com/hookrun/hookrun/internal/dialect/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// What cannot be read never lets a tool run, in any dialect that says nothing else.
func TestGarbledLineIsAFailure(t *testing.T) {
	c := &protocol.Call{Event: protocol.PreTool, Tool: "shell"}
	for _, d := range all.All() {
		r := dialecttest.LineResult("hello")
		v := d.Decode(c, "h", r)
		require.NotEmpty(t, v.Problem, d.Name)
		require.Equal(t, protocol.CauseOutput, v.Cause)
		v = d.ApplyFailurePolicy(c, v, protocol.FailurePolicy{protocol.CauseOutput: protocol.Block})
		require.Equal(t, protocol.Block, v.Decision)
	}
}
