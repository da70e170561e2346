package clients_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Arguments can be a text that holds an object: the tool parses it, and may read another of two equal keys than a rule.
func TestEqualKeysInATextOfArguments(t *testing.T) {
	for args, equal := range map[string]bool{
		`"{\"env\":1,\"env\":2}"`:              true,
		`" \n{\"env\":1,\"\\u0065nv\":2}"`:     true,
		`"[{\"a\":{\"b\":1,\"b\":2}}]"`:        true,
		`"\"{\\\"a\\\":1,\\\"a\\\":2}\""`:      true,
		`"\ufeff{\"a\":1,\"a\":2}"`:            true,
		`"{\"a\":1,\"b\":2}"`:                  false,
		`"echo {\"a\":1,\"a\":2}"`:             false,
		`{"content":"{\"a\":1,\"a\":2}"}`:      false, // it is the text of a file
		`"{\"a\":1,\"a\":"`:                    false, // no JSON: another doubt
		`{"env":1,"env":2}`:                    true,
		`{"env":1,"x":"{\"a\":1}","env":null}`: true,
	} {
		loop := dialect.NewCall(dialect.Call{Event: protocol.PreTool, Tool: "t", Args: args})
		_, warnings, err := loop.Input()
		require.NoError(t, err)
		parsed, told, err := clients.All().ParseInput(`{"hook_event_name":"PreToolUse","tool_name":"t",` +
			`"tool_input":` + args + `}`)
		require.NoError(t, err)
		client := dialect.NewCall(parsed)
		_, more, err := client.Input()
		require.NoError(t, err)
		told = append(told, more...)

		require.Equal(t, []bool{equal, equal}, []bool{loop.HasEqualKeys(), client.HasEqualKeys()}, args)
		for _, all := range [][]string{warnings, told} {
			if !equal {
				require.Empty(t, all, args)
				continue
			}
			require.Len(t, all, 1, args)
			require.Contains(t, all[0], "is there twice in one object", args)
		}
	}
}
