package protocol_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/dialect/all"
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
		asked := protocol.Call{Event: protocol.PreTool, Tool: "t", Args: args}
		made := asked
		_, warnings, err := made.Input()
		require.NoError(t, err)
		client, told, err := all.ParseInput(`{"hook_event_name":"PreToolUse","tool_name":"t","tool_input":` + args + `}`)
		require.NoError(t, err)
		told = append(told, client.ArgsWarnings()...)

		require.Equal(t, []bool{equal, equal, equal}, []bool{asked.EqualKeys(), made.EqualKeys(), client.EqualKeys()}, args)
		for _, all := range [][]string{asked.ArgsWarnings(), warnings, told} {
			if !equal {
				require.Empty(t, all, args)
				continue
			}
			require.Len(t, all, 1, args)
			require.Contains(t, all[0], "is there twice in one object", args)
		}
	}
}

// What says what a call is must not be there twice: a client and its hooks could read two calls.
func TestInputWithAFieldTwice(t *testing.T) {
	for _, twice := range []string{
		`"tool_name":"Bash","tool_name":"Edit"`, `"tool_name":"Bash","tool\u005fname":"Edit"`, `"tool_name":"a","tool_name":null`,
		`"tool_name":"a","hook_event_name":"Stop"`, `"tool_name":"a","cwd":"/a","cwd":"/b"`, `"tool_name":"a","source":"1","source":"2"`,
		`"tool_name":"a","session_id":"1","session_id":"2"`, `"tool_name":"a","agent_id":"1","agent_id":"2"`,
		`"tool_name":"a","agent_id":"1","agent_id":"2","agent_id":"1"`,
	} {
		_, _, err := all.ParseInput(`{"hook_event_name":"PreToolUse",` + twice + `,"tool_input":{}}`)
		require.ErrorContains(t, err, "twice", twice)
		require.ErrorContains(t, err, "with different values", twice)
	}
	for _, same := range []string{
		`"tool_name":"a","tool_name":"a"`, `"tool_name":"a","tool_name":"\u0061"`, `"tool_name":"a","x":{"n":1.0},"x":{"n":1}`,
		`"tool_name":"a","tool_input":{"a":1}`, `"tool_name":"a","tool_response":1,"tool_response":2`, `"tool_name":"a","x":1,"x":2`,
	} {
		_, warnings, err := all.ParseInput(`{"hook_event_name":"PreToolUse",` + same + `,"tool_input":{}}`)
		require.NoError(t, err, same)
		require.Len(t, warnings, 1, same)
	}
}
