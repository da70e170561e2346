package kiro

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// What the client is told at each event: exit 2 where a block is possible, text for the model at the prompt alone.
func TestReply(t *testing.T) {
	block := protocol.Outcome{Decision: protocol.Block, Reason: "no"}
	ask := protocol.Outcome{Decision: protocol.Ask, Reason: "sure?"}
	rewrite := protocol.Outcome{Decision: protocol.Continue, UpdatedInput: []byte(`{"command":"ls"}`)}
	text := protocol.Outcome{Decision: protocol.Continue, Texts: []protocol.Text{{Hook: "h", Content: "look"}}}
	for _, test := range []struct {
		event           protocol.Event
		outcome         protocol.Outcome
		exit            int
		stdout, mention string
	}{
		{prompt, block, 2, "", "no"},
		{before, block, 2, "", "no"},
		{after, block, 0, `{"message":"hookrun: Kiro CLI cannot be blocked at postToolUse: no"}`, ""},
		{before, ask, 2, "", "cannot say that here, so it is a block"},
		{before, rewrite, 2, "", "cannot give the tool another"},
		{before, text, 2, "", "look"},
		{prompt, text, 0, "look", ""},
		{"agentSpawn", text, 0, "look", ""},
		{before, protocol.Outcome{Decision: protocol.Continue}, 0, "", ""},
	} {
		o := test.outcome
		o.Event = test.event
		reply, err := Client.Reply(o)
		require.NoError(t, err)
		require.Equal(t, test.exit, reply.Exit, test.event)
		require.Equal(t, test.stdout, string(reply.Stdout), test.event)
		require.Contains(t, reply.Stderr, test.mention)
	}
}

func TestDecode(t *testing.T) {
	for _, test := range []struct {
		event  protocol.Event
		exit   int
		stderr string
		want   dialect.Verdict
	}{
		{before, 2, "no", dialecttest.Blocked("no")},
		{before, 2, "", dialecttest.Blocked("Blocked by a hook")},
		{before, 0, "", dialecttest.Passes()},
	} {
		r := dialecttest.Exited(test.exit, "", test.stderr)
		require.Equal(t, test.want, Dialect.Hooks.Decode(&dialect.Call{Event: test.event}, "h", &r))
	}
	for _, event := range []protocol.Event{before, after} { // fails open
		r := dialecttest.Exited(1, "", "")
		c := &dialect.Call{Event: event}
		v := Dialect.ApplyFailurePolicy(c, Dialect.Hooks.Decode(c, "h", &r))
		require.Equal(t, protocol.Continue, v.Decision)
		require.NotEmpty(t, v.Warnings)
	}
}

func TestPattern(t *testing.T) {
	for _, test := range []struct {
		matcher, tool string
		want          bool
	}{
		{"*", "@git/push", true}, {"@builtin", "fs_read", true}, {"@builtin", "@git/push", false},
		{"fs_*", "fs_read", true}, {"fs_*", "execute_bash", false}, {"@git", "@git/push", true},
		{"@git", "@github/push", false}, {"@git/p*", "@git/push", true}, {"fs_?ead", "fs_read", true},
	} {
		require.Equal(t, test.want, reader{}.Pattern(test.matcher, "tool_name").Match(test.tool), test)
	}
}
