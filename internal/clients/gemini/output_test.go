package gemini_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/gemini"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// The output form, read again by the dialect, means the same.
func TestGeminiOutput(t *testing.T) {
	inject := []protocol.Text{{Content: "one"}, {Content: "<two>"}}
	for name, test := range map[string]struct {
		outcome protocol.Outcome
		want    string
	}{
		"nothing": {protocol.Outcome{Event: "BeforeTool", Decision: protocol.Continue}, `{}`},
		"block": {protocol.Outcome{Event: "BeforeTool", Decision: protocol.Block, Reason: "R"},
			`{"decision":"deny","reason":"R"}`},
		"block, by TENEX name": {protocol.Outcome{Event: "pre-tool", Decision: protocol.Block, Reason: "R"},
			`{"decision":"deny","reason":"R"}`},
		"the zero outcome": {protocol.Outcome{Event: "BeforeTool"}, `{"decision":"deny"}`},
		"ask": {protocol.Outcome{Event: "BeforeTool", Decision: protocol.Ask, Reason: "R"},
			`{"decision":"ask","reason":"R"}`},
		"ask after the tool": {protocol.Outcome{Event: "AfterTool", Decision: protocol.Ask, Reason: "R"},
			`{"decision":"deny","reason":"R\n\nhookrun: a hook said ask, and a hook of Gemini CLI cannot say that ` +
				`here, so it is a block"}`},
		"defer": {protocol.Outcome{Event: "BeforeTool", Decision: protocol.Defer, Reason: "R"},
			`{"decision":"deny","reason":"R\n\nhookrun: a hook said defer, and a hook of Gemini CLI cannot say that ` +
				`here, so it is a block"}`},
		"approved": {protocol.Outcome{Event: "BeforeTool", Decision: protocol.Continue, Approved: true,
			Reason: "R"}, `{}`},
		"stop": {protocol.Outcome{Event: "BeforeAgent", Decision: protocol.Continue, Stop: true,
			StopReason: "S"}, `{"continue":false,"stopReason":"S"}`},
		"rewrite": {protocol.Outcome{Event: "BeforeTool", Decision: protocol.Continue,
			UpdatedInput: []byte(`{"a":"<"}`)},
			`{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"a":"<"}}}`},
		"messages": {protocol.Outcome{Event: "BeforeTool", Decision: protocol.Continue,
			SystemMessages: []string{"a", "b"}}, `{"systemMessage":"a\nb"}`},
		"context": {protocol.Outcome{Event: "BeforeAgent", Decision: protocol.Continue, Texts: inject},
			`{"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"one\n\n<two>"}}`},
		"context before a tool": {protocol.Outcome{Event: "BeforeTool", Decision: protocol.Continue, Texts: inject},
			`{"systemMessage":"hookrun: Gemini CLI cannot give the model this at BeforeTool:\none\n\n<two>"}`},
		"context beside a block": {protocol.Outcome{Event: "AfterTool", Decision: protocol.Block, Reason: "R",
			Texts: inject}, `{"decision":"deny","reason":"R\n\none\n\n<two>"}`},
		"a new result": {protocol.Outcome{Event: "AfterTool", Decision: protocol.Continue,
			UpdatedOutput: []byte(`"clean"`), Texts: inject[:1]}, `{"decision":"deny","reason":"clean\n\none"}`},
		"a block and a new result": {protocol.Outcome{Event: "AfterTool", Decision: protocol.Block, Reason: "R",
			UpdatedOutput: []byte(`"clean"`)},
			`{"decision":"deny","reason":"R"}`},
		"a hook without an answer": {protocol.Outcome{Event: "BeforeTool", Decision: protocol.Continue,
			Hooks: []protocol.Report{{Name: "h", Status: dialect.StatusTimeout, Cause: protocol.CauseTimeout}}},
			`{"systemMessage":"hookrun: hook 'h' gave no answer (timeout), so it did not check this"}`},
		"a stop and a block": {protocol.Outcome{Event: "BeforeTool", Decision: protocol.Block, Reason: "R", Stop: true,
			StopReason: "S"},
			`{"continue":false,"stopReason":"S","decision":"deny","reason":"R","systemMessage":"R"}`},
		"a stop and a context": {protocol.Outcome{Event: "BeforeAgent", Decision: protocol.Continue, Stop: true,
			StopReason: "S", Texts: inject[:1]},
			`{"continue":false,"stopReason":"S","systemMessage":"S\nhookrun: Gemini CLI cannot give the model this ` +
				`at BeforeAgent:\none"}`},
		"a stop and a message": {protocol.Outcome{Event: "AfterAgent", Decision: protocol.Continue, Stop: true,
			StopReason: "S", SystemMessages: []string{"m"}},
			`{"continue":false,"stopReason":"S","systemMessage":"S\nm"}`},
		"what only the client can use": {protocol.Outcome{Event: "AfterAgent", Decision: protocol.Continue,
			Other: []byte(`{"clearContext":true,"watchPaths":[]}`)},
			`{"hookSpecificOutput":{"hookEventName":"AfterAgent","clearContext":true}}`},
	} {
		t.Run(name, func(t *testing.T) {
			line, _, err := dialecttest.Reply(gemini.Client, test.outcome)
			require.NoError(t, err)
			require.Equal(t, test.want, string(line))
			event := gemini.Dialect.EventOf(&dialect.Call{Event: test.outcome.Event})
			v := decideGemini(event, dialecttest.Printed(string(line)))
			require.Equal(t, test.outcome.Decision != protocol.Continue || test.outcome.UpdatedOutput != nil,
				v.Decision != protocol.Continue)
			require.Equal(t, test.outcome.Stop, v.Stop)
			require.Equal(t, string(test.outcome.UpdatedInput), string(v.UpdatedInput))
			require.Empty(t, v.Warnings)
		})
	}
	t.Run("context of a tool that failed is for the user", func(t *testing.T) {
		c, _, err := clients.All().ParseInput(recordedAfterTool)
		require.NoError(t, err)
		r := dialecttest.Printed(dialecttest.Specific(`"additionalContext":"C"`))
		v := gemini.Dialect.Hooks.Decode(&c, "h", &r)
		line, _, err := dialecttest.Reply(gemini.Client, dialect.Merge(&c,
			[]dialect.HookVerdict{{Verdict: v, Dialect: gemini.Dialect}}))
		require.NoError(t, err)
		require.Contains(t, string(line),
			`"systemMessage":"hookrun: Gemini CLI cannot give the model this at AfterTool:\nC"`)
	})
}
