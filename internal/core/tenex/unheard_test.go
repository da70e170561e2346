package tenex_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// TestUnheardRefusals: a hook that says no where hookrun does not look for it is warned of, whatever on_failure is.
func TestUnheardRefusals(t *testing.T) {
	const deny = `{"decision":"block","reason":"no"}`
	for name, test := range map[string]struct {
		r    dialect.HookResult
		want string // in the warning; "" is that there is none
	}{
		"YAML":                  {dialecttest.Printed("decision: block"), "printed decision: block, which was"},
		"a variable":            {dialecttest.Printed("decision=block"), "printed decision=block"},
		"words of its own":      {dialecttest.Printed(`{"safe":false}`), `printed "safe": false`},
		"in a member":           {dialecttest.Printed(`{"data":{"allowed":false}}`), `printed "allowed": false`},
		"a text":                {dialecttest.Printed("remember the milk"), ""},
		"deny on stderr":        {dialecttest.Exited(0, "", deny), "on stderr that says no"},
		"deny among notes":      {dialecttest.Exited(0, "a text", "note\n"+deny+"\nend"), "print it to stdout"},
		"deny on three lines":   {dialecttest.Exited(0, "{}", "{\n \"decision\": \"block\"\n}"), "print it to stdout"},
		"stop on stderr":        {dialecttest.Exited(0, "", `{"continue":false}`), "print it to stdout"},
		"other JSON on stderr":  {dialecttest.Exited(0, "", `{"level":"info","msg":"ok"}`), ""},
		"an approval on stderr": {dialecttest.Exited(0, "", `{"decision":"approve"}`), ""},
		"an approval on stdout": {dialecttest.Exited(0, `{"decision":"approve"}`, deny), ""},
		"a process is left":     {dialect.HookResult{Unread: true, LeftRunning: []int{7}}, "left a process behind"},
		"it holds no output":    {dialect.HookResult{LeftRunning: []int{7}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			v := judge(protocol.PreTool, test.r, dialecttest.OnFailure(protocol.Block))
			require.Equal(t, protocol.Continue, v.Decision)
			if test.want == "" {
				require.Empty(t, v.Warnings)
				return
			}
			require.Len(t, v.Warnings, 1)
			require.Contains(t, v.Warnings[0], test.want)
		})
	}
	require.Empty(t, judge(protocol.PostTool, dialecttest.Printed(`{"success":false}`)).Warnings, "it is feedback")
	require.Empty(t, judge(protocol.PreTool, dialecttest.Exited(2, "", deny)).Warnings, "the exit code denies")
}

// TestObjectOfALineWithoutAnAnswer: a persistent hook that reports a failure of its own did not approve.
func TestObjectOfALineWithoutAnAnswer(t *testing.T) {
	for _, line := range []string{`{"exit_code":null,"signal":"SIGKILL"}`, `{"error":"policy database is down"}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1}}`, `{"id":7}`, `{"message":"no database"}`, `{"context":"x"}`} {
		v := judge(protocol.PreTool, *dialecttest.LineResult(line), dialecttest.OnFailure(protocol.Block))
		require.Equal(t, []any{protocol.Block, protocol.CauseOutput}, []any{v.Decision, v.Cause}, line)
	}
	for _, line := range []string{`{}`, `{"exit_code":0}`, `{"stdout":"{\"id\":7}"}`, `{"decision":"approve"}`} {
		require.Equal(t, protocol.Continue, judge(protocol.PreTool, *dialecttest.LineResult(line)).Decision, line)
	}
}
