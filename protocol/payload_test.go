package protocol_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/protocol"
)

func TestEqualKeysOfACall(t *testing.T) {
	for args, want := range map[string]bool{`{"a":1,"a":1}`: true, `{"a":1}`: false, `{"x":{"a":1,"\u0061":2}}`: true,
		`{"a":{"b":1},"c":{"b":1}}`: false, "": false, "not JSON": false} {
		c := protocol.Call{Event: protocol.PreTool, Tool: "shell", Args: args}
		require.Equal(t, want, c.EqualKeys(), args)
		require.Equal(t, want, len(c.ArgsWarnings()) == 1, args)
		_, warnings, err := c.Input()
		require.NoError(t, err)
		require.Equal(t, c.ArgsWarnings(), warnings)
		require.Equal(t, want, c.EqualKeys(), args)
	}
}
