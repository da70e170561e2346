package tenex_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// Output of other programs is text: a hook may run them and print what they say.
func TestOutputOfOtherProgramsIsText(t *testing.T) {
	const artifact = `{"reason":"compiler-artifact","package_id":"a 0.1.0","target":{"kind":["lib"]},"fresh":true}`
	for stdout, warning := range map[string]string{
		"{\"Action\":\"start\",\"Package\":\"a\"}\n{\"Action\":\"pass\",\"Package\":\"a\"}": "",
		`{"Action":"start"} {"Action":"pass"}`:                                              "",
		"{\"issues\":[]}\ndone":                                                             "",
		"{\n \"issues\": []\n}\n0 issues.":                                                  "",
		`{"issues":1,"issues":2}`:                                                           "",
		`{"tool_name":"Bash","tool_input":{"command":"ls"}}`:                                "",
		`{"tool_input":{"command":"ls"},"tool_name":"Bash","session_id":"s"}`:               "",
		artifact:                                      `"reason"`,
		artifact + "\n" + artifact:                    `"reason"`,
		"checking\n" + artifact:                       `"reason"`,
		`[{"filePath":"a","reason":"x"}]`:             `"reason"`,
		`{"level":"info","msg":"m","reason":"r"}`:     `"reason"`,
		`{"level":"info","reason":["a"]}`:             `"reason"`,
		`{"stop_reason":"end_turn","content":[]}`:     `"stop_reason"`,
		`{"content":[],"stopReason":"end_turn"}`:      `"stopReason"`,
		`{"command":"make","exit_code":2}`:            `"exit_code": 2`,
		`{"exitCode":1,"passed":3,"stderr":"1 of 4"}`: `"exitCode": 1`,
	} {
		v := judge(protocol.PreTool, dialecttest.Printed(stdout))
		require.Equal(t, []any{protocol.Continue, dialect.StatusOK, stdout}, []any{v.Decision, v.Status, v.Context},
			"%s", v.Reason)
		if warning == "" {
			require.Empty(t, v.Warnings, stdout)
			continue
		}
		require.Len(t, v.Warnings, 1, stdout)
		require.Contains(t, v.Warnings[0], warning, stdout)
		require.Contains(t, v.Warnings[0], "; the call goes on", stdout)
		require.NotContains(t, v.Warnings[0], "package_id")
		v = judge(protocol.PreTool, dialecttest.Printed(stdout), dialecttest.OnFailure(protocol.Block))
		require.Equal(t, []any{protocol.Block, protocol.CauseOutput}, []any{v.Decision, v.Cause}, stdout)
		require.Contains(t, v.Reason, warning)
		require.NotContains(t, v.Reason, "goes on")
	}
}

// What begins as an answer and is none blocks: a report has keys of its own, and is whole.
func TestWhatIsNoReport(t *testing.T) {
	for _, stdout := range []string{
		`{"reason":"no"}`, `{"reason":"no","systemMessage":"m"}`, `{"reason":"no","suppressOutput":true,"level":3}`,
		`{"reason":"no","desicion":"x","level":3}`, `[{"reason":"no"}]`, "x\n{\"reason\":\"no\"}",
		`{"raeson":"no","level":3}`,
		`{"issues":[]`, `{"issues":[]}}` + "\n" + `{"decision":"block"}`, "{\"issues\":[]}\n{broken", "{}\n{}",
		"{}\ndone", "{\"systemMessage\":\"m\"}\ndone",
		`{"tool_input":{"command":"ls"}}`, `{"tool_name":"Bash","tool_input":{},"permission":"deny"}`,
		`{"exit_code":2}`, `{"exitCode":2}`, `{"exit_code":2,"stderr":"no"}`,
		`{"returncode":1,"stdout":"","stderr":"no"}`,
		`{"status":1,"stderr":"no"}`, `{"exit_code":"2"}`, `{"exit":1,"reason":"no"}`,
		`{"blockReason":"x"}`, `{"block_reason":"x"}`, `{"denyReason":"x"}`, `{"deny_reason":"x"}`,
		`{"blocked_reason":"x","level":1}`,
		`{"continue":true,"stopReason":"x"}`, `{"prevent":true}`, `{"preventExecution":true}`,
		`{"prevent_continuation":true}`,
		`{"cancel":true}`, `{"interrupt":true}`, `{"resolution":"deny"}`, `{"blockExecution":true}`,
		`{"allow_tool_call":false}`, `{"execution_allowed":false}`, `{"command_blocked":true}`,
		`{"request_denied":true}`, `{"should_continue":false}`, `{"can_execute":false}`, `{"decisions":["block"]}`,
		`{"desicion":["block"]}`, `{"status":"denied","by":"guard"}`,
	} {
		v := judge(protocol.PreTool, dialecttest.Printed(stdout))
		require.Equal(t, []any{protocol.Block, protocol.CauseOutput}, []any{v.Decision, v.Cause}, stdout)
		require.NotContains(t, v.Reason, "after the end of the document", stdout)
	}
	for _, stdout := range []string{
		`{"exit_code":0}`, `{"exit_code":0,"stderr":"a note"}`, `{"exitCode":null}`, `{"code":1}`, `{"status":1}`,
		`{"stdout":"a","stderr":"","interrupted":false}`, `{"cancel":false,"prevent":false}`, `{"blockReason":""}`,
		`{"promptFeedback":{"blockReason":"SAFETY"}}`, `{"continue":true,"reason":"all is well"}`,
		`{"status":"approved","by":"ci"}`,
	} {
		v := judge(protocol.PreTool, dialecttest.Printed(stdout))
		require.Equal(t, protocol.Continue, v.Decision, "%s %s", stdout, v.Reason)
		require.Empty(t, v.Warnings, stdout)
	}
}

// What ends a line outside of JSON is a character of a string in JSON, so no answer begins behind it.
func TestLineEndsInAString(t *testing.T) {
	for _, end := range []string{"\u0085", "\u2028", "\u2029"} {
		v := judge(protocol.PreTool, dialecttest.Printed(`{"log":"x`+end+`]{desicion:"}`))
		require.Equal(t, protocol.Continue, v.Decision, "%q", end)
		require.NotEmpty(t, v.Context)
	}
}

// A policy for answers that cannot be read is for those that stand in other text, too.
func TestPolicyForAnswersInOtherText(t *testing.T) {
	for _, stdout := range []string{
		`debug: {"decision":"approve"}`, "verdict { decision: 'block' }",
		"ok\nverdict {\"permissionDecision\":\"allow\"}",
		`{"result":{"decision":"block"}}`, `{"hookSpecific":{"permissionDecision":"deny"}}`,
		`[[{"a":{"decision":"deny"}}]]`,
	} {
		for _, event := range dialect.CanonicalEvents() {
			v := judge(event, dialecttest.Printed(stdout))
			require.Equal(t, protocol.Continue, v.Decision, stdout)
			require.Len(t, v.Warnings, 1, stdout)
			require.Contains(t, v.Warnings[0], "not read", stdout)
			require.Contains(t, v.Warnings[0], map[bool]string{true: "; ignored, the tool already ran",
				false: "; the call goes on"}[event == protocol.PostTool])
			v = judge(event, dialecttest.Printed(stdout), dialecttest.OnFailure(protocol.Block))
			require.Equal(t, []any{protocol.Block, protocol.CauseOutput}, []any{v.Decision, v.Cause}, stdout)
			require.NotContains(t, v.Reason, "goes on")
		}
	}
}

// The line of a persistent hook has a text for stderr, and no code that makes it a reason.
func TestStderrOfALineWithoutACode(t *testing.T) {
	for line, warned := range map[string]bool{
		`{"stderr":"no"}`: true, `{"stderr":"no","exit_code":0}`: true,
		`{"stdout":"text","stderr":"no"}`: true, `{"stderr":" "}`: false, `{"exit_code":0}`: false,
		`{"decision":"approve","stderr":"a note"}`: false, `{"decision":"block","stderr":"a note"}`: false,
		`{"exit_code":1,"stderr":"no"}`: false,
	} {
		r := dialecttest.LineResult(line)
		c := dialect.Call{Event: protocol.PreTool, Tool: "shell"}
		v := tenex.Dialect.ApplyFailurePolicy(&c, nearmiss.Decode(tenex.Dialect, &c, "h", r))
		require.Equal(t, warned, strings.Contains(strings.Join(v.Warnings, "\n"),
			`has "stderr" in its line and no "exit_code" but 0`), line)
	}
}

// judge judges and settles, as the engine does.
func judge(e protocol.Event, r dialect.HookResult, policies ...dialect.FailurePolicy) dialect.Verdict {
	c := dialect.Call{Event: e, Tool: "shell"}
	return tenex.Dialect.ApplyFailurePolicy(&c, nearmiss.Decode(tenex.Dialect, &c, "h", &r), policies...)
}
