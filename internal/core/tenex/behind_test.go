package tenex_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

const (
	block = `{"decision":"block","reason":"no"}`
	deny  = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}`
)

// A whole denial behind text on its line holds the call up, in the words of any client. Some of these texts only show
// such JSON, but a guard that prints its answer behind a label looks the same.
func TestDenialBehindText(t *testing.T) {
	for _, stdout := range []string{
		"DEBUG: " + block, "DEBUG: " + deny, "x " + block + " y", "checking…\nresult=" + block + "\ndone",
		"\ta:" + block,
		`log {"continue":false}`, `log {"continue":false,"stopReason":"x"}`, `x {"decision":"deny"}`,
		`x {"permissionDecision":"deny"}`, `x {"hookSpecificOutput":{"permissionDecision":"ask"}}`,
		`x {"hookSpecificOutput":{"permissionDecision":"defer"}}`, `x {"decision":"block","level":3}`,
		`x {"systemMessage":"m","decision":"BLOCK"}`, "x {\n  \"decision\": \"block\"\n}\ny", `x [` + block + `]`,
		`x [INFO ` + block, `[INFO] ` + block, `x {"decision":"approve"} ` + block, "\ufeffx " + block,
		strings.Repeat("x {\"decision\":\"approve\"}\n", 30) + "x " + block, strings.Repeat("text\n",
			30_000) + "x " + block,
		"\x1b[33mDEBUG\x1b[0m {\x1b[1m\"decision\"\x1b[0m:\"block\"}",
		"D\x00: \x00{\"\x00decision\x00\":\x00\"block\"\x00}",
		`"a string: {\"decision\":\"block\"}"`,
		// a shell script that grep found, a diff, a table and a sentence of Markdown, the report of a test
		`guard.sh:3:echo '` + block + `'`, "+" + block, "| deny | `" + block + "` |", "Print `" + block + "` to deny.",
		"ok 3 - prints " + block,
	} {
		v := judge(protocol.PreTool, dialecttest.Printed(stdout))
		require.Equal(t, []any{protocol.Block, protocol.CauseOutput}, []any{v.Decision, v.Cause}, stdout)
		require.Contains(t, v.Reason, "of an answer behind other text; print ")
		require.Contains(t, v.Reason, `belongs in "additionalContext"`)
		for _, event := range []protocol.Event{protocol.PreExecute, protocol.PostTool} {
			v := judge(event, dialecttest.Printed(stdout))
			require.Equal(t, protocol.Continue, v.Decision)
			require.Contains(t, strings.Join(v.Warnings, "\n"), "of an answer behind other text; print ", stdout)
			v = judge(event, dialecttest.Printed(stdout), dialecttest.OnFailure(protocol.Block))
			require.Equal(t, []any{protocol.Block, protocol.CauseOutput}, []any{v.Decision, v.Cause}, stdout)
		}
		line := dialecttest.LineResult(`{"stdout":` + string(strictjson.Quote(stdout)) + `}`)
		v = judge(protocol.PreTool, *line)
		require.Equal(t, []any{protocol.Block, protocol.CauseOutput}, []any{v.Decision, v.Cause}, stdout)
	}
}

// These texts have no whole denial behind text: they are injected, some with a warning.
func TestTextsThatMentionADenial(t *testing.T) {
	for stdout, warned := range map[string]bool{
		// source code, whose values are names, and JSON in the strings of a program or a log
		`guard.py:9:    print(json.dumps({"decision": "block", "reason": why}))`: true,
		`  return { decision: 'block', reason }`:                                 true,
		`level=info msg="said {\"decision\":\"block\"}"`:                         false,
		`INFO {"output":"{\"decision\":\"block\"}"}`:                             false,
		// part of other JSON
		`INFO {"hook":"guard","result":{"decision":"block"}}`: true,
		// documentation: alternatives, and an ellipsis
		`Answer with {"decision": "block" or "approve", "reason": "…"}.`: true,
		`Answer with {"decision": "block", …}.`:                          true,
		// cut off, or with a key that is misspelt
		`DEBUG: {"decision":"block","reason":"n`: true, `DEBUG: {"desicion":"block"}`: true,
		// nothing that holds a call up
		`DEBUG: {"decision":"approve"}`: true, `x {"hookSpecificOutput":{"permissionDecision":"allow"}}`: true,
		`x {"continue":true}`: true, `guard.py:3:1 {"reason":"line too long"}`: false,
		`x {"decision":"keep"}`: true, `x {"decision":null}`: false,
		// a text to be injected
		`{"hookSpecificOutput":{"additionalContext":"Print ` + strings.ReplaceAll(block, `"`, `\"`) + `."}}`: false,
	} {
		v := judge(protocol.PreTool, dialecttest.Printed(stdout))
		require.Equal(t, protocol.Continue, v.Decision, stdout)
		require.NotEmpty(t, v.Context, stdout)
		require.Equal(t, warned, len(v.Warnings) > 0, "%s: %v", stdout, v.Warnings)
	}
}

// A late result of an async hook says that it was no answer, and on_failure lets a text through.
func TestDenialBehindTextThatCannotCount(t *testing.T) {
	r := dialecttest.Printed("DEBUG: " + block)
	v := judge(protocol.PreTool, r, dialecttest.OnFailure(protocol.Continue))
	require.Equal(t, protocol.Continue, v.Decision)
	require.Len(t, v.Warnings, 1)
	r.AsyncResult = true
	c := dialect.Call{Event: protocol.PreTool, Tool: "shell"}
	require.NotEmpty(t, nearmiss.Decode(tenex.Dialect, &c, "h", &r).Problem)
	r = dialecttest.Printed("DEBUG: " + block)
	r.ExitCode, r.Stderr = 1, dialect.Capture{Head: []byte("why"), Total: 3}
	require.Equal(t, "why", judge(protocol.PreTool, r).Reason)
}
