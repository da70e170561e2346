package tenex_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

func TestOnFailure(t *testing.T) {
	results := map[protocol.Cause]dialect.HookResult{
		protocol.CauseSignal:    dialecttest.Killed("SIGTERM", "", ""),
		protocol.CauseUnstarted: {Err: errors.New("no")},
		protocol.CauseTimeout:   {TimedOut: true},
		protocol.CauseOutput:    dialecttest.Printed("{"),
		protocol.CauseExit:      dialecttest.Exited(1, "", ""),
	}
	require.Len(t, results, len(tenex.Dialect.Causes()))
	for cause, r := range results {
		for _, event := range dialect.CanonicalEvents() {
			if event == protocol.PreTool && cause == protocol.CauseExit {
				continue // an exit code is an answer there, not a failure
			}
			for _, d := range []protocol.Decision{protocol.Block, protocol.Continue} {
				v := judge(event, r, nil, dialect.FailurePolicy{cause: d})
				require.Equal(t, d, v.Decision)
				require.Equal(t, cause, v.Cause)
				require.Equal(t, d == protocol.Block, v.Reason != "")
				require.Equal(t, d == protocol.Block, len(v.Warnings) == 0)
				first := judge(event, r, dialect.FailurePolicy{cause: d},
					dialect.FailurePolicy{cause: protocol.Block - d + protocol.Continue})
				require.Equal(t, d, first.Decision, "the first policy that names the cause counts")
			}
		}
	}
	v := judge(protocol.PreTool, dialecttest.Exited(1, "", ""),
		dialect.FailurePolicy{protocol.CauseExit: protocol.Continue})
	require.Equal(t, protocol.Block, v.Decision, "an exit code is an answer, not a failure")
}
