package codex_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/codex"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// TestCodexOutput: an outcome as the client's hook output, and what the client makes of that: nothing that held a call
// up lets it pass.
func TestCodexOutput(t *testing.T) {
	ptr := func(change func(*protocol.Outcome)) protocol.Outcome {
		o := protocol.Outcome{Decision: protocol.Continue}
		change(&o)
		return o
	}
	block := ptr(func(o *protocol.Outcome) { o.Decision, o.Reason = protocol.Block, "R" })
	silent := ptr(func(o *protocol.Outcome) { o.Decision = protocol.Ask })
	stop := ptr(func(o *protocol.Outcome) { o.Stop, o.StopReason = true, "S" })
	both := ptr(func(o *protocol.Outcome) {
		o.Decision, o.Reason, o.Stop, o.StopReason = protocol.Block, "R", true, "S"
	})
	context := ptr(func(o *protocol.Outcome) {
		o.Texts, o.SystemMessages = []protocol.Text{{Content: "C"}, {Content: "D"}}, []string{"M"}
	})
	held := ptr(func(o *protocol.Outcome) {
		o.Decision, o.Reason, o.Texts = protocol.Block, "R", []protocol.Text{{Content: "C"}}
	})
	rewrite := ptr(func(o *protocol.Outcome) { o.UpdatedInput, o.Approved = []byte(`{"command":"x"}`), true })
	output := ptr(func(o *protocol.Outcome) { o.UpdatedOutput = []byte(`"new"`) })
	approved := ptr(func(o *protocol.Outcome) { o.Approved, o.Reason = true, "fine" })
	const nothing = `{}`
	for event, wants := range map[protocol.Event]map[*protocol.Outcome]string{
		"PreToolUse": {
			&block: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
				`"permissionDecisionReason":"R"}}`,
			&silent: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
				`"permissionDecisionReason":"hookrun: a hook said ask, and a hook of Codex cannot say that here, so ` +
				`it is a block"}}`,
			&stop: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
				`"permissionDecisionReason":"S"}}`,
			&both: `{"systemMessage":"hookrun: Codex cannot be stopped at PreToolUse: ` +
				`S","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
				`"permissionDecisionReason":"R"}}`,
			&context: `{"systemMessage":"M","hookSpecificOutput":{"hookEventName":"PreToolUse",` +
				`"additionalContext":"C\n\nD"}}`,
			&rewrite: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow",` +
				`"updatedInput":{"command":"x"}}}`,
			&approved: nothing,
		},
		"PermissionRequest": {
			&block: `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny",` +
				`"message":"R"}}}`,
			&stop: `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny",` +
				`"message":"S"}}}`,
			&approved: `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`,
			&rewrite: `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny",` +
				`"message":"a project hook changed the tool's input, and Codex cannot take that here"}}}`,
			&context: `{"systemMessage":"M\nhookrun: Codex cannot give the model this at PermissionRequest:\nC\n\nD"}`,
		},
		"PostToolUse": {
			&block:  `{"decision":"block","reason":"R"}`,
			&stop:   `{"continue":false,"stopReason":"S"}`,
			&both:   `{"continue":false,"stopReason":"S","decision":"block","reason":"R"}`,
			&output: `{"decision":"block","reason":"new"}`,
			&held: `{"decision":"block","reason":"R","hookSpecificOutput":{"hookEventName":"PostToolUse",` +
				`"additionalContext":"C"}}`,
		},
		"UserPromptSubmit": {&block: `{"decision":"block","reason":"R"}`, &stop: `{"continue":false,"stopReason":"S"}`,
			&both: `{"continue":false,"stopReason":"S","decision":"block","reason":"R","systemMessage":"R"}`},
		"SessionStart": {&block: `{"continue":false,"stopReason":"R"}`,
			&stop: `{"continue":false,"stopReason":"S"}`,
			&silent: `{"continue":false,"stopReason":"hookrun: a hook said ask, and a hook of Codex cannot say that ` +
				`here, so it is a block"}`},
		"PreCompact": {&block: `{"continue":false,"stopReason":"R"}`,
			&context: `{"systemMessage":"M\nhookrun: Codex cannot give the model this at PreCompact:\nC\n\nD"}`},
		"Stop": {&block: `{"decision":"block","reason":"R"}`, &stop: `{"continue":false,"stopReason":"S"}`,
			&held: `{"decision":"block","reason":"R\n\nC"}`},
		"SubagentStart": {&block: `{"systemMessage":"hookrun: Codex cannot be blocked at SubagentStart: R"}`,
			&stop: `{"systemMessage":"hookrun: Codex cannot be stopped at SubagentStart: S"}`},
		"Interrupt": {&block: `{"systemMessage":"hookrun: Codex cannot be blocked at Interrupt: R"}`,
			&context: `{"systemMessage":"M\nhookrun: Codex cannot give the model this at Interrupt:\nC\n\nD"}`},
		"SessionEnd": {&block: nothing, &context: nothing},
	} {
		wants[&protocol.Outcome{Decision: protocol.Continue}] = nothing
		for o, want := range wants {
			o.Event = event
			got, _, err := dialecttest.Reply(codex.Client, *o)
			require.NoError(t, err)
			require.Equal(t, want, string(got), event)
			v := decideCodex(event, dialecttest.Printed(string(got)))
			require.NotEqual(t, dialect.StatusFailed, v.Status, "%s: the client drops it: %q", got, v.Warnings)
			if (o.Decision != protocol.Continue || o.Stop) && event != "SubagentStart" && event != "Interrupt" &&
				event != "SessionEnd" {
				require.True(t, v.Decision == protocol.Block || v.Stop, "%s", got)
			}
		}
	}
	o := protocol.Outcome{Event: "pre-tool", Decision: protocol.Block, Reason: "R"}
	got, _, err := dialecttest.Reply(codex.Client, o)
	require.NoError(t, err)
	require.Contains(t, string(got), `"hookEventName":"PreToolUse"`)
}
