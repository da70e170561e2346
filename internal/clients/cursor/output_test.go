package cursor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/cursor"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// with sets what no literal of an outcome can have.
func with(o protocol.Outcome, set func(*protocol.Outcome)) protocol.Outcome {
	set(&o)
	return o
}

func TestOutput(t *testing.T) {
	inject := []protocol.Text{{Content: "one"}, {Content: "<two>"}}
	const went, block = protocol.Continue, protocol.Block
	for name, test := range map[string]struct {
		outcome protocol.Outcome
		want    string
	}{
		"nothing": {protocol.Outcome{Event: "preToolUse", Decision: went}, `{}`},
		"approved": {protocol.Outcome{Event: "pre-tool", Decision: went, Approved: true},
			`{"permission":"allow"}`},
		"the zero outcome": {protocol.Outcome{Event: "preToolUse"}, `{"permission":"deny"}`},
		"block": {protocol.Outcome{Event: "preToolUse", Decision: block, Reason: "R", SystemMessages: []string{"m"}},
			`{"permission":"deny","user_message":"R\nm","agent_message":"R"}`},
		"block and text": {protocol.Outcome{Event: "preToolUse", Decision: block, Reason: "R", Texts: inject[:1]},
			`{"permission":"deny","user_message":"R\n\none","agent_message":"R\n\none"}`},
		"ask that would ask nobody": {protocol.Outcome{Event: "preToolUse", Decision: protocol.Ask, Reason: "R"},
			`{"permission":"deny","user_message":"R\n\nhookrun: a hook said ask, and a hook of Cursor cannot say ` +
				`that here, ` +
				`so it is a block","agent_message":"R\n\nhookrun: a hook said ask, and a hook of Cursor cannot say ` +
				`that ` +
				`here, so it is a block"}`},
		"ask": {protocol.Outcome{Event: "beforeShellExecution", Decision: protocol.Ask, Reason: "R"},
			`{"permission":"ask","user_message":"R","agent_message":"R"}`},
		"rewrite": {protocol.Outcome{Event: "preToolUse", Decision: went, UpdatedInput: []byte(`{"a":"<"}`)},
			`{"updated_input":{"a":"<"}}`},
		"a rewrite that it cannot take": {with(protocol.Outcome{Event: "beforeShellExecution", Tool: "Shell",
			Decision: went, UpdatedInput: []byte(`{}`)}, func(o *protocol.Outcome) { o.UpdatedBy = "h" }),
			`{"permission":"deny","user_message":"project hook 'h' changed the tool's input, and Cursor cannot ` +
				`take that ` +
				`at beforeShellExecution","agent_message":"project hook 'h' changed the tool's input, and Cursor ` +
				`cannot ` +
				`take that at beforeShellExecution"}`},
		"stop before a tool": {protocol.Outcome{Event: "preToolUse", Decision: went, Stop: true, StopReason: "S"},
			`{"permission":"deny","user_message":"S","agent_message":"S"}`},
		"text before a tool": {protocol.Outcome{Event: "preToolUse", Decision: went, Texts: inject},
			`{"additional_context":"one\n\n<two>"}`},
		"prompt": {protocol.Outcome{Event: "pre-execute", Decision: went, Texts: inject[:1]},
			`{"additional_context":"one"}`},
		"blocked prompt": {protocol.Outcome{Event: "beforeSubmitPrompt", Decision: block, Reason: "R"},
			`{"continue":false,"user_message":"R"}`},
		"stopped prompt": {protocol.Outcome{Event: "beforeSubmitPrompt", Decision: went, Stop: true, StopReason: "S"},
			`{"continue":false,"user_message":"S"}`},
		"block after a tool": {protocol.Outcome{Event: "postToolUse", Decision: block, Reason: "R", Texts: inject[:1]},
			`{"additional_context":"R\n\none"}`},
		"message after a tool that failed": {with(protocol.Outcome{Event: "post-tool", Decision: went,
			SystemMessages: []string{"m"}}, func(o *protocol.Outcome) { o.Failed = true }),
			`{"additional_context":"m"}`},
		"result of an MCP tool": {protocol.Outcome{Event: "postToolUse", Tool: "MCP:q", Decision: went,
			UpdatedOutput: []byte(`{"a":1}`)}, `{"updated_mcp_tool_output":{"a":1}}`},
		"text as result of an MCP tool": {protocol.Outcome{Event: "postToolUse", Tool: "MCP:q", Decision: went,
			UpdatedOutput: []byte(`"x"`)}, `{"updated_mcp_tool_output":{"content":[{"type":"text","text":"x"}]}}`},
		"result of another tool": {with(protocol.Outcome{Event: "postToolUse", Tool: "Shell", Decision: went,
			UpdatedOutput: []byte(`"x"`)}, func(o *protocol.Outcome) { o.UpdatedBy = "h" }),
			`{"additional_context":"hookrun: project hook 'h' put another result in the place of this one, and ` +
				`Cursor takes ` +
				`that of MCP tools alone: do not use or repeat the result above"}`},
		"end of a " +
			"turn": {protocol.Outcome{Event: "stop", Decision: block, Reason: "more"}, `{"followup_message":"more"}`},
		"an event where nothing counts": {protocol.Outcome{Event: "sessionEnd", Decision: block, Reason: "R"},
			`{"user_message":"hookrun: Cursor can do nothing about this at sessionEnd: R"}`},
	} {
		t.Run(name, func(t *testing.T) {
			text, exit, err := dialecttest.Reply(cursor.Client, test.outcome)
			require.NoError(t, err)
			require.Zero(t, exit)
			require.JSONEq(t, test.want, string(text))
		})
	}
}
