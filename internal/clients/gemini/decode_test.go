package gemini_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/gemini"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// gemini judges and settles, as the engine does.
func decideGemini(e protocol.Event, r dialect.HookResult, policies ...dialect.FailurePolicy) dialect.Verdict {
	c := gemini.Dialect.CallAt(e)
	c.Tool, c.Args = "run_shell_command", `{"command":"ls"}`
	return gemini.Dialect.ApplyFailurePolicy(c, gemini.Dialect.Hooks.Decode(c, "h", &r), policies...)
}

func TestGeminiText(t *testing.T) {
	told := func(message string) dialect.Verdict {
		return dialect.Verdict{Decision: protocol.Continue, Status: dialect.StatusOK, SystemMessage: message}
	}
	failed := func(cause protocol.Cause, message string) dialect.Verdict {
		return dialect.Verdict{Decision: protocol.Continue, Status: dialect.StatusFailed, Cause: cause,
			SystemMessage: message}
	}
	for name, test := range map[string]struct {
		result dialect.HookResult
		want   dialect.Verdict
	}{
		"exit 0, nothing":          {dialecttest.Exited(0, "", ""), told("")},
		"exit 0, blanks":           {dialecttest.Exited(0, " \n\ufeff", "\t\n"), told("")},
		"exit 0, a text":           {dialecttest.Exited(0, " words\n", ""), told("words")},
		"exit 0, a text on stderr": {dialecttest.Exited(0, "\n", "words\n"), told("words")},
		"stdout before stderr":     {dialecttest.Exited(0, "out", "err"), told("out")},
		"exit 1, nothing":          {dialecttest.Exited(1, "", ""), failed(protocol.CauseExit, "")},
		"exit 1, a text": {dialecttest.Exited(1, "", "words"),
			failed(protocol.CauseExit, "Warning: words")},
		"exit 2, nothing": {dialecttest.Exited(2, "", ""), failed(protocol.CauseExit, "")},
		"exit 3, nothing": {dialecttest.Exited(3, "", ""), failed(protocol.CauseExit, "")},
		"exit 2, a text": {dialecttest.Exited(2, "", "\n  one\ntwo\n\n"),
			dialecttest.Blocked("one\ntwo")},
		"exit 2, two texts": {dialecttest.Exited(2, "out", "err"), dialecttest.Blocked("out")},
		"exit 3, a text":    {dialecttest.Exited(3, "", "words"), dialecttest.Blocked("words")},
		"exit 255, a text":  {dialecttest.Exited(255, "words", ""), dialecttest.Blocked("words")},
		"exit 127": {dialecttest.Exited(127, "", "bash: nope: command not found"),
			dialecttest.Blocked("bash: nope: command not found")},
		"a signal, nothing": {dialecttest.Killed("SIGKILL", "", ""), failed(protocol.CauseSignal, "")},
		"a signal, a text": {dialecttest.Killed("SIGKILL", "words", ""),
			failed(protocol.CauseSignal, "words")},
		"a JSON string of words":           {dialecttest.Exited(0, `"words"`, ""), told(`"words"`)},
		"a JSON string of words, blocking": {dialecttest.Exited(2, `"words"`, ""), dialecttest.Blocked(`"words"`)},
		"broken JSON": {dialecttest.Exited(0, `{"decision": "deny", `, ""),
			failed(protocol.CauseOutput, `{"decision": "deny",`)},
		"JSON and then a text": {dialecttest.Exited(0, "{\"decision\":\"deny\"}\nbye", ""),
			failed(protocol.CauseOutput, "{\"decision\":\"deny\"}\nbye")},
		"a text and then JSON": {dialecttest.Exited(0, "hello\n{\"decision\":\"deny\"}", ""),
			failed(protocol.CauseOutput, "hello\n{\"decision\":\"deny\"}")},
		"broken JSON, blocking": {dialecttest.Exited(2, `{"decision": "allow", `, ""),
			dialecttest.Blocked(`{"decision": "allow",`)},
		"a log line in brackets": {dialecttest.Exited(0, "[info] {looks like JSON}", ""),
			told("[info] {looks like JSON}")},
		"a number": {dialecttest.Exited(0, "42", ""), failed(protocol.CauseOutput, "")},
		"null":     {dialecttest.Exited(0, "null", ""), failed(protocol.CauseOutput, "")},
		"a list": {dialecttest.Exited(0, `[{"decision":"deny"}]`, ""),
			failed(protocol.CauseOutput, "")},
		"a list, exit 2": {dialecttest.Exited(2, "[]", ""), failed(protocol.CauseExit, "")},
		"a string in a string in a string": {dialecttest.Exited(2, `"\"\\\"x\\\"\""`, ""),
			failed(protocol.CauseExit, "")},
	} {
		t.Run(name, func(t *testing.T) {
			v := decideGemini("BeforeTool", test.result)
			require.Equal(t, v.Status == dialect.StatusFailed, len(v.Warnings) > 0, "%q", v.Warnings)
			strict := decideGemini("BeforeTool", test.result, dialecttest.OnFailure(protocol.Block))
			if v.Status == dialect.StatusFailed {
				require.Equal(t, protocol.Block, strict.Decision, "--on-failure block closes it")
				require.Equal(t, dialect.StatusBlocked, strict.Status)
				require.NotEmpty(t, strict.Reason)
			} else {
				require.Equal(t, v, strict)
			}
			v.Warnings, v.Problem, v.FailedOpen = nil, "", ""
			require.Equal(t, test.want, v)
		})
	}
}

func TestGeminiAnswers(t *testing.T) {
	const deny = `{"decision":"deny","reason":"R"}`
	for name, test := range map[string]struct {
		result dialect.HookResult
		want   dialect.Verdict
	}{
		"deny": {dialecttest.Printed(deny), dialecttest.Blocked("R")},
		"block": {dialecttest.Printed(`{"decision":"block","reason":"R"}`),
			dialecttest.Blocked("R")},
		// Merge has the client's words
		"deny without a reason":         {dialecttest.Printed(`{"decision":"deny"}`), dialecttest.Blocked("")},
		"deny, exit 1":                  {dialecttest.Exited(1, deny, ""), dialecttest.Blocked("R")},
		"deny, exit 2, stderr":          {dialecttest.Exited(2, deny, "err"), dialecttest.Blocked("R")},
		"deny, killed":                  {dialecttest.Killed("SIGKILL", deny, ""), dialecttest.Blocked("R")},
		"deny on stderr":                {dialecttest.Exited(0, "", deny), dialecttest.Blocked("R")},
		"deny behind a byte order mark": {dialecttest.Printed("\ufeff" + deny), dialecttest.Blocked("R")},
		"deny over lines": {dialecttest.Printed("\n{\n \"decision\":\n\"deny\",\"reason\":\"R\"}\n\n"),
			dialecttest.Blocked("R")},
		"deny in a JSON string": {dialecttest.Printed(`"{\"decision\":\"deny\",\"reason\":\"R\"}"`),
			dialecttest.Blocked("R")},
		"deny by an escaped key": {dialecttest.Printed(`{"\u0064ecision":"den\u0079","reason":"R"}`),
			dialecttest.Blocked("R")},
		"the last of equal keys, a deny": {dialecttest.Printed(`{"decision":"allow","decision":"deny","reason":"R"}`),
			dialecttest.Blocked("R")},
		"deny beside a wrong output": {dialecttest.Printed(`{"decision":"deny","reason":"R",` +
			`"hookSpecificOutput":"x"}`), dialecttest.Blocked("R")},
		"deny with a reason of its own": {dialecttest.Printed(`{"decision":"deny","reason":{"x":1}}`),
			dialecttest.Blocked(`{"x":1}`)},
		"deny with a stopReason": {dialecttest.Printed(`{"decision":"deny","reason":"R","stopReason":"S"}`),
			dialecttest.Blocked("R")},
		"ask": {dialecttest.Printed(`{"decision":"ask","reason":"R","systemMessage":"M"}`),
			dialect.Verdict{Decision: protocol.Ask, Cause: protocol.CausePolicy, Status: dialect.StatusBlocked,
				Reason: "R", SystemMessage: "M"}},
		"stop": {dialecttest.Printed(`{"continue":false,"stopReason":"S","reason":"R"}`),
			dialect.Verdict{Decision: protocol.Block, Cause: protocol.CausePolicy, Status: dialect.StatusBlocked,
				Reason: "R", Stop: true, StopReason: "S"}},
		"the empty object": {dialecttest.Printed(`{}`), dialecttest.Passes()},
		"allow": {dialecttest.Printed(`{"decision":"allow","reason":"R",` +
			`"systemMessage":"M"}`), dialect.Verdict{Decision: protocol.Continue, Status: dialect.StatusOK,
			Reason: "R", SystemMessage: "M"}},
		"approve": {dialecttest.Printed(`{"decision":"approve"}`), dialecttest.Passes()},
		"null": {dialecttest.Printed(`{"decision":null,"continue":null,` +
			`"hookSpecificOutput":null,"reason":null,"systemMessage":null}`), dialecttest.Passes()},
		"a message that is hidden": {dialecttest.Printed(`{"suppressOutput":true,"systemMessage":"M"}`),
			dialecttest.Passes()},
		"a message that is not": {dialecttest.Printed(`{"suppressOutput":"","systemMessage":"M"}`),
			dialect.Verdict{Decision: protocol.Continue, Status: dialect.StatusOK, SystemMessage: "M"}},
		"a key that nobody knows": {dialecttest.Printed(`{"x":1,"hookSpecificOutput":{"y":2}}`),
			dialecttest.Passes()},
		"a rewrite": {dialecttest.Printed(dialecttest.Specific(`"tool_input":{"command": "a", ` +
			`"n": 1.0}`)), dialect.Verdict{Decision: protocol.Continue, Status: dialect.StatusOK,
			UpdatedInput: []byte(`{"command":"a","n":1.0}`)}},
		"a rewrite to nothing": {dialecttest.Printed(dialecttest.Specific(`"tool_input":{}`)),
			dialect.Verdict{Decision: protocol.Continue, Status: dialect.StatusOK, UpdatedInput: []byte(`{}`)}},
		"a rewrite with equal keys": {dialecttest.Printed(dialecttest.Specific(`"tool_input":{"a":1,"a":2}`)),
			dialect.Verdict{Decision: protocol.Continue, Status: dialect.StatusOK, UpdatedInput: []byte(`{"a":2}`)}},
		"another event's name beside it": {dialecttest.Printed(dialecttest.Specific(`"hookEventName":"AfterTool",` +
			`"tool_input":{}`)), dialect.Verdict{Decision: protocol.Continue, Status: dialect.StatusOK,
			UpdatedInput: []byte(`{}`)}},
		"a stop that is a string, killed": {dialecttest.Killed("SIGTERM", deny, ""), dialecttest.Blocked("R")},
	} {
		t.Run(name, func(t *testing.T) {
			v := decideGemini("BeforeTool", test.result)
			require.Empty(t, v.Warnings)
			require.Equal(t, v, decideGemini("BeforeTool", test.result, dialecttest.OnFailure(protocol.Block)),
				"an answer is no failure")
			v.Answered = false
			require.Equal(t, test.want, v)
		})
	}
}

// What the client passes over without a word lets pass here too, with a warning, and is closed by a policy.
func TestGeminiOddAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		stdout, warning string
		open            bool // a policy changes nothing
	}{
		"an unknown decision": {`{"decision":"maybe","systemMessage":"M"}`,
			`decision "maybe" does not exist`, false},
		"another spelling": {`{"decision":"Deny","systemMessage":"M"}`, `decision "Deny" does not exist`,
			false},
		"no string": {`{"decision":true,"systemMessage":"M"}`,
			"decision must be a string, not true", false},
		"continue is a string": {`{"continue":"false","systemMessage":"M"}`,
			`continue must be true or false, not "false"`, false},
		"a slip": {`{"desicion":"deny","systemMessage":"M"}`, `"desicion" for "decision"`,
			false},
		"an output that is no object": {`{"hookSpecificOutput":"x","systemMessage":"M"}`,
			`hookSpecificOutput must be an object`, false},
		"a rewrite that is no object": {`{"hookSpecificOutput":{"tool_input":["x"]},"systemMessage":"M"}`,
			`tool_input must be an object`, false},
		"Claude's deny": {`{"hookSpecificOutput":{"hookEventName":"PreToolUse",` +
			`"permissionDecision":"deny","permissionDecisionReason":"no"},"systemMessage":"M"}`,
			`"permissionDecision"`, false},
		"Claude's deny at the top": {`{"permissionDecision":"deny","systemMessage":"M"}`, `"permissionDecision"`,
			false},
		"Claude's ask": {`{"hookSpecificOutput":{"permissionDecision":"ask"},"systemMessage":"M"}`,
			`"permissionDecision"`, false},
		"Claude's rewrite": {`{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{}},` +
			`"systemMessage":"M"}`, `"updatedInput"`, false},
		"Claude's allow": {`{"hookSpecificOutput":{"permissionDecision":"allow"},"systemMessage":"M"}`,
			`"permissionDecision"`, true},
		"context, which has no place": {`{"hookSpecificOutput":{"additionalContext":"C"},"systemMessage":"M"}`,
			`"additionalContext", which means nothing at BeforeTool`, true},
		"an unknown decision and exit 1": {`{"decision":"maybe","systemMessage":"M"}`,
			`exited with 1, and its answer means nothing: decision "maybe"`, false},
	} {
		t.Run(name, func(t *testing.T) {
			code := 0
			if strings.HasSuffix(name, "exit 1") {
				code = 1
			}
			v := decideGemini("BeforeTool", dialecttest.Exited(code, test.stdout, ""))
			require.Equal(t, protocol.Continue, v.Decision)
			require.Equal(t, "M", v.SystemMessage, "the rest of the answer counts")
			require.Contains(t, strings.Join(v.Warnings, "\n"), test.warning)
			require.Nil(t, v.UpdatedInput)
			require.Empty(t, v.Context)
			strict := decideGemini("BeforeTool", dialecttest.Exited(code, test.stdout, ""),
				dialecttest.OnFailure(protocol.Block))
			if test.open {
				require.Equal(t, v, strict)
				require.Equal(t, dialect.StatusOK, v.Status)
				return
			}
			require.Equal(t, dialect.StatusFailed, v.Status)
			require.Equal(t, protocol.Block, strict.Decision)
			require.Contains(t, strict.Reason, strings.TrimSuffix(test.warning, `"permissionDecision"`))
		})
	}
}

func TestGeminiEvents(t *testing.T) {
	for _, test := range []struct {
		event                 protocol.Event
		subject               string
		blocks, stops, inject bool
	}{
		{"SessionStart", "source", false, false, true},
		{"BeforeAgent", "", true, true, true},
		{"PreCompress", "trigger", false, false, false},
		{"BeforeModel", "", true, true, false},
		{"BeforeToolSelection", "", false, false, false},
		{"AfterModel", "", true, true, false},
		{"BeforeTool", "tool_name", true, true, false},
		{"AfterTool", "tool_name", true, true, true},
		{"Notification", "", false, false, false},
		{"AfterAgent", "", true, true, false},
		{"SessionEnd", "reason", false, false, false},
	} {
		t.Run(string(test.event), func(t *testing.T) {
			require.Contains(t, gemini.Dialect.Events.Names(), test.event)
			require.Equal(t, test.subject, gemini.Dialect.SubjectField(test.event))

			for _, r := range []dialect.HookResult{dialecttest.Printed(`{"decision":"deny","reason":"R"}`),
				dialecttest.Exited(2, "", "R")} {
				v := decideGemini(test.event, r)
				require.Equal(t, test.blocks, v.Decision == protocol.Block)
				if test.blocks {
					require.Equal(t, "R", v.Reason)
				} else {
					require.NotEmpty(t, v.Warnings)
					require.Empty(t, v.SystemMessage, "a reason is no message")
				}
			}
			v := decideGemini(test.event,
				dialecttest.Printed(`{"continue":false,"stopReason":"S",`+
					`"hookSpecificOutput":{"additionalContext":"C"}}`))
			require.Equal(t, test.stops, v.Stop)
			require.Equal(t, test.stops, v.StopReason == "S")
			require.Equal(t, test.inject, v.Context == "C")
			require.Equal(t, test.event == "BeforeTool", v.Decision == protocol.Block, "this call does not run")
			require.Equal(t, !test.stops || !test.inject, len(v.Warnings) > 0)

			require.Equal(t, "words", decideGemini(test.event, dialecttest.Printed("words")).SystemMessage)
			require.Equal(t, "Warning: words", decideGemini(test.event,
				dialecttest.Exited(1, "words", "")).SystemMessage)

			strict := decideGemini(test.event, dialecttest.Exited(2, "", ""), dialecttest.OnFailure(protocol.Block))
			require.Equal(t, test.blocks && test.event != "AfterAgent", strict.Decision == protocol.Block,
				"a policy holds up what can be held up")
		})
	}
	require.Len(t, gemini.Dialect.Events.Names(), 11)

	t.Run("ask asks before a tool alone", func(t *testing.T) {
		v := decideGemini("AfterTool", dialecttest.Printed(`{"decision":"ask"}`))
		require.Equal(t, protocol.Continue, v.Decision)
		require.Contains(t, v.Warnings[0], "asks nobody at AfterTool; ignored, the tool already ran")
		require.Equal(t, protocol.Block, decideGemini("BeforeAgent", dialecttest.Printed(`{"decision":"ask"}`),
			dialecttest.OnFailure(protocol.Block)).Decision)
	})
	t.Run("a rewrite counts before a tool alone", func(t *testing.T) {
		v := decideGemini("AfterTool", dialecttest.Printed(dialecttest.Specific(`"tool_input":{}`)))
		require.Nil(t, v.UpdatedInput)
		require.Contains(t, v.Warnings[0], "tool_input")
	})
	t.Run("what only the client can use is carried", func(t *testing.T) {
		v := decideGemini("BeforeModel",
			dialecttest.Printed(dialecttest.Specific(`"llm_request":{"model": "m"},"toolConfig":{}`)))
		require.Equal(t, strictjson.Fields{{Key: "llm_request", Value: json.RawMessage(`{"model":"m"}`)}}, v.Other)
		require.Equal(t, "clearContext", decideGemini("AfterAgent",
			dialecttest.Printed(dialecttest.Specific(`"clearContext":true`))).Other[0].Key)
	})
}

func TestGeminiFailures(t *testing.T) {
	for _, test := range []struct {
		event  protocol.Event
		result dialect.HookResult
		want   protocol.Decision
		status string
	}{
		{"BeforeTool", dialect.HookResult{Err: errors.New("bash: not found in PATH")}, protocol.Block,
			dialect.StatusUnstarted},
		{"BeforeAgent", dialect.HookResult{Err: errors.New("bash: not found in PATH")}, protocol.Block,
			dialect.StatusUnstarted},
		{"AfterTool", dialect.HookResult{Err: errors.New("bash: not found in PATH")}, protocol.Continue,
			dialect.StatusUnstarted},
		{"AfterAgent", dialect.HookResult{Err: errors.New("bash: not found in PATH")}, protocol.Continue,
			dialect.StatusUnstarted},
		{"SessionStart", dialect.HookResult{Err: errors.New("bash: not found in PATH")}, protocol.Continue,
			dialect.StatusUnstarted},
		{"BeforeTool", dialect.HookResult{TimedOut: true, Limit: time.Second,
			Stdout: dialecttest.Printed(`{"decision":"deny"}`).Stdout}, protocol.Continue, dialect.StatusTimeout},
		{"AfterModel", dialect.HookResult{TimedOut: true, Limit: time.Second}, protocol.Continue,
			dialect.StatusTimeout},
	} {
		v := decideGemini(test.event, test.result)
		require.Equal(t, test.want, v.Decision, "%s %+v", test.event, test.result)
		require.Equal(t, test.status, v.Status)
		require.Equal(t, test.want == protocol.Block, len(v.Warnings) == 0)
	}
	require.Equal(t, protocol.Block, decideGemini("BeforeTool", dialect.HookResult{TimedOut: true, Limit: time.Second},
		dialecttest.OnFailure(protocol.Block)).Decision)

	t.Run("an answer that is too long", func(t *testing.T) {
		r := dialecttest.Printed(`{"decision":"deny","reason":"aaaaaa`)
		r.Stdout.Tail, r.Stdout.Total = []byte(`aaaa"}`), 3<<20
		v := decideGemini("BeforeTool", r)
		require.Equal(t, protocol.CauseOutput, v.Cause)
		require.Equal(t, protocol.Block, decideGemini("BeforeTool", r, dialecttest.OnFailure(protocol.Block)).Decision)
	})
}

func TestGeminiEqualKeys(t *testing.T) {
	for _, answer := range []string{`{"decision":"deny","decision":"allow"}`,
		`{"hookSpecificOutput":{"tool_input":{"a":1},"tool_input":{}}}`} {
		c := dialect.Call{Event: "BeforeTool", Tool: "run_shell_command"}
		v := gemini.Dialect.Hooks.Decode(&c, "h", &dialect.HookResult{Stdout: dialect.Capture{Head: []byte(answer),
			Total: int64(len(answer))}})
		open := gemini.Dialect.ApplyFailurePolicy(&c, v)
		require.Equal(t, protocol.Continue, open.Decision, "the last counts, as in the client")
		require.Len(t, open.Warnings, 1)
		require.Contains(t, open.Warnings[0], "twice in its answer")
		closed := gemini.Dialect.ApplyFailurePolicy(&c, v, dialect.FailurePolicy{protocol.CauseOutput: protocol.Block})
		require.Equal(t, []any{protocol.Block, protocol.CauseOutput}, []any{closed.Decision, closed.Cause})
	}
}
