package junie

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

func TestReply(t *testing.T) {
	const deny = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
		`"permissionDecisionReason":"no"}}`
	for event, want := range map[protocol.Event]string{before: deny,
		"UserPromptSubmit": `{"decision":"block","reason":"no"}`,
		"Stop":             `{"systemMessage":"hookrun: Junie CLI cannot be blocked at Stop: no"}`} {
		reply, err := Client.Reply(protocol.Outcome{Event: event, Decision: protocol.Block, Reason: "no"})
		require.NoError(t, err)
		require.Equal(t, want, string(reply.Stdout))
	}
	for _, o := range []protocol.Outcome{
		{Decision: protocol.Ask, Reason: "r"}, {Stop: true, StopReason: "r", Decision: protocol.Continue},
		{Decision: protocol.Continue, UpdatedInput: []byte(`{"r":1}`)},
		{Decision: protocol.Continue, Texts: []protocol.Text{{Hook: "h", Content: "r"}}},
	} {
		o.Event = before
		reply, err := Client.Reply(o)
		require.NoError(t, err)
		require.Contains(t, string(reply.Stdout), `"permissionDecision":"deny"`)
	}
}

func TestDecode(t *testing.T) {
	for _, test := range []struct {
		event   protocol.Event
		exit    int
		stdout  string
		blocked bool
		doubt   bool
	}{
		{before, 2, "", true, false},
		{before, 0, `{"hookSpecificOutput":{"permissionDecision":"deny"}}`, true, false},
		{before, 0, `{"decision":"block","reason":"r"}`, true, false},
		{before, 0, `{"decision":"blok","reason":"r"}`, false, true},
		{before, 0, `{"continue":false}`, false, true},
		{"UserPromptSubmit", 0, `{"decision":"block","reason":"r"}`, true, false},
		{"Stop", 0, `{"decision":"block","reason":"r"}`, false, true},
		{before, 0, `{}`, false, false},
	} {
		r := dialecttest.Exited(test.exit, test.stdout, "")
		v := Dialect.Hooks.Decode(&dialect.Call{Event: test.event}, "h", &r)
		require.Equal(t, test.blocked, v.Decision == protocol.Block, test)
		require.Equal(t, test.doubt, v.Doubt != "", test)
	}
}
