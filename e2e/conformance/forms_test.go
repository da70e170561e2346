//go:build linux || windows

package conformance

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/dialect/dialecttest"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/protocol"
)

// times are numbers of milliseconds: one that is rounded to 0 is left out.
var times = regexp.MustCompile(`,"(start|duration|limit)_ms":[0-9.]+`)

// requireWhole requires that the JSON of a recorded case is the whole of its outcome: what was read from it is
// written the same, goes into every form, and withholds the tool's result wherever the JSON does.
func requireWhole(t *testing.T, stdout string) {
	t.Helper()
	var o protocol.Outcome
	if json.Unmarshal([]byte(stdout), &o) != nil { // no outcome was expected
		return
	}
	again, err := o.JSON()
	require.NoError(t, err)
	require.JSONEq(t, times.ReplaceAllString(stdout, ""), times.ReplaceAllString(string(again), ""))
	for _, client := range registry.Clients() {
		_, _, err := dialecttest.Reply(client, o)
		require.NoError(t, err, client.Name)
	}
	if o.Event.Canonical() != protocol.PostTool || o.Decision != protocol.Block || o.Cause == protocol.CausePolicy ||
		o.Cause == protocol.CauseUnsupported {
		return
	}
	const result = "the result of the tool"
	require.NotContains(t, o.ResultText(result), result)
	messages, err := o.Messages(protocol.OpenAIChat, "", &protocol.Call{ToolUseID: "t", Result: result})
	require.NoError(t, err)
	require.NotContains(t, string(messages), result)
}
