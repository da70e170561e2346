package dialect_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/form"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

func TestZeroValuesAreSafe(t *testing.T) {
	require.Equal(t, protocol.Block, protocol.Outcome{}.Decision)
	require.Equal(t, protocol.Block, dialect.Verdict{}.Decision)
	require.Equal(t, 2, form.ExitCode(protocol.Outcome{}))
	require.Equal(t, "block", protocol.Decision(77).String())
	var d = protocol.Continue
	require.Error(t, d.UnmarshalText([]byte("allow")))
	require.Equal(t, protocol.Block, d)
	require.Equal(t, protocol.Block, new(dialect.Dialect).FailureDecision(&dialect.Call{Event: "Stop"},
		dialect.Fault{Cause: protocol.CauseTimeout}))
	require.Equal(t, protocol.Block, tenex.Dialect.FailureDecision(&dialect.Call{Event: "Stop"},
		dialect.Fault{Cause: protocol.CauseTimeout}))
}

func TestStderrIsShortened(t *testing.T) {
	r := dialecttest.Exited(1, "", strings.Repeat("é", 100_000))
	v := dialect.Verdict{}
	got := dialect.Report("h", "f:1", &r, &v).Stderr
	require.LessOrEqual(t, len(got), 64<<10)
	require.Contains(t, got, "é\n[hookrun: shortened]\né")
}
