package dialect_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

func TestEqualKeysOfACall(t *testing.T) {
	for args, want := range map[string]bool{`{"a":1,"a":1}`: true, `{"a":1}`: false, `{"x":{"a":1,"\u0061":2}}`: true,
		`{"a":{"b":1},"c":{"b":1}}`: false, "": false, "not JSON": false} {
		c := dialect.NewCall(dialect.Call{Event: protocol.PreTool, Tool: "shell", Args: args})
		require.Equal(t, want, c.HasEqualKeys(), args)
		_, warnings, err := c.Input()
		require.NoError(t, err)
		require.Equal(t, want, len(warnings) == 1, args)
		c.SetArgs([]byte("{}"))
		require.False(t, c.HasEqualKeys(), args)
	}
	c := dialect.NewCall(dialect.Call{Event: protocol.PreTool, Tool: "shell", Args: `{"a":1}`, EqualKeys: true})
	require.True(t, c.HasEqualKeys(), "as they came in")
	c.SetArgs([]byte("{}"))
	require.False(t, c.HasEqualKeys())
}
