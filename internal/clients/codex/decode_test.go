package codex_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/codex"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// codex judges and settles, as the engine does.
func decideCodex(e protocol.Event, r dialect.HookResult, policies ...dialect.FailurePolicy) dialect.Verdict {
	c := dialecttest.AtEvent(e)
	return codex.Dialect.ApplyFailurePolicy(&c, codex.Dialect.Hooks.Decode(&c, "h", &r), policies...)
}

// codexFailed is a failure that let the call pass: nothing of what was printed counts.
func codexFailed(cause protocol.Cause) dialect.Verdict {
	return dialect.Verdict{Decision: protocol.Continue, Status: dialect.StatusFailed, Cause: cause}
}

// codexHeld are the events at which a failure can block, if policies say so.
var codexHeld = map[protocol.Event]bool{"PreToolUse": true, "PermissionRequest": true, "PostToolUse": true,
	"UserPromptSubmit": true, "SessionStart": true, "PreCompact": true}

// requireCodex judges one result at some events, or at all, with the client's policy and with the one that blocks.
func requireCodex(t *testing.T, events string, r dialect.HookResult, want dialect.Verdict) {
	t.Helper()
	all := codex.Dialect.Events.Names()
	if events != "" {
		all = nil
		for e := range strings.FieldsSeq(events) {
			all = append(all, protocol.Event(e))
		}
	}
	for _, e := range all {
		v := decideCodex(e, r)
		if want.Status == dialect.StatusFailed {
			require.Len(t, v.Warnings, 1, e)
			require.Contains(t, v.Warnings[0], string(e)+" hook 'h' ")
			strict := decideCodex(e, r, dialecttest.OnFailure(protocol.Block))
			require.Equal(t, codexHeld[e], strict.Decision == protocol.Block, e)
			if codexHeld[e] {
				require.Equal(t, dialect.StatusBlocked, strict.Status, e)
				require.Equal(t, want.Cause, strict.Cause, e)
				require.NotEmpty(t, strict.Reason, e)
			}
		} else if len(v.Warnings) == 0 {
			require.Equal(t, v, decideCodex(e, r, dialecttest.OnFailure(protocol.Block)), e)
		}
		v.Problem, v.Warnings, v.FailedOpen = "", nil, ""
		require.Equal(t, want, v, e)
	}
}

func TestCodexExits(t *testing.T) {
	const blocking = "PreToolUse PermissionRequest PostToolUse UserPromptSubmit Stop SubagentStop"
	const others = "SessionStart SubagentStart PreCompact PostCompact Interrupt SessionEnd PreModelRequest " +
		"PostModelRequest"
	deny := dialecttest.Pre(`"permissionDecision":"deny","permissionDecisionReason":"R"`)
	for name, test := range map[string]struct {
		events string
		result dialect.HookResult
		want   dialect.Verdict
	}{
		"exit 0, nothing": {"", dialecttest.Exited(0, "", ""), dialecttest.Passes()},
		"exit 0, blanks":  {"", dialecttest.Exited(0, " \r\n\t\u00a0\n", "err"), dialecttest.Passes()},
		"exit 2, stderr": {blocking, dialecttest.Exited(2, "", "\n  one\ntwo \n\n"),
			dialecttest.Blocked("one\ntwo")},
		"exit 2, stderr that is no UTF-8": {blocking, dialecttest.Exited(2, "", "a\xffb"), dialecttest.Blocked("a�b")},
		"exit 2, cut characters": {blocking,
			dialecttest.Exited(2, "", "a\xe2\x82b\xff\xfec\xed\xa0\xf0\x9f\x98"), dialecttest.Blocked("a�b��c���")},
		"exit 2, stderr and JSON": {blocking,
			dialecttest.Exited(2, `{"systemMessage":"M","continue":false}`, "err"), dialecttest.Blocked("err")},
		"exit 2, stderr and broken JSON": {blocking, dialecttest.Exited(2, `{`, "err"), dialecttest.Blocked("err")},
		"exit 2, nothing":                {"", dialecttest.Exited(2, "", " \n"), codexFailed(protocol.CauseExit)},
		"exit 2, text":                   {"", dialecttest.Exited(2, "words", ""), codexFailed(protocol.CauseExit)},
		"exit 2, a deny":                 {"", dialecttest.Exited(2, deny, ""), codexFailed(protocol.CauseExit)},
		"exit 2, stderr, elsewhere":      {others, dialecttest.Exited(2, "", "err"), codexFailed(protocol.CauseExit)},
		"exit 1, nothing":                {"", dialecttest.Exited(1, "", ""), codexFailed(protocol.CauseExit)},
		"exit 1, stderr":                 {"", dialecttest.Exited(1, "", "err"), codexFailed(protocol.CauseExit)},
		"exit 1, a deny":                 {"", dialecttest.Exited(1, deny, "err"), codexFailed(protocol.CauseExit)},
		"exit 3":                         {"", dialecttest.Exited(3, "", "err"), codexFailed(protocol.CauseExit)},
		"exit 127": {"", dialecttest.Exited(127, "", "sh: nope: not found"),
			codexFailed(protocol.CauseExit)},
		"a signal": {"", dialecttest.Killed("SIGKILL", "", ""),
			codexFailed(protocol.CauseSignal)},
		"a signal, a deny": {"", dialecttest.Killed("SIGSEGV", deny, "err"),
			codexFailed(protocol.CauseSignal)},
	} {
		t.Run(name, func(t *testing.T) { requireCodex(t, test.events, test.result, test.want) })
	}
	for e := range codexHeld {
		require.Equal(t, e == "SessionStart" || e == "PreCompact", !strings.Contains(blocking, string(e)))
	}
}

func TestCodexNoAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		result dialect.HookResult
		status string
		cause  protocol.Cause
		says   string
	}{
		"not started": {dialect.HookResult{Err: errors.New("no such file")}, dialect.StatusUnstarted,
			protocol.CauseUnstarted, "PreToolUse hook 'h' could not run: no such file; continuing"},
		"too late": {dialect.HookResult{TimedOut: true, Limit: time.Second,
			Stdout: dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"deny",` +
				`"permissionDecisionReason":"R"`)).Stdout}, dialect.StatusTimeout, protocol.CauseTimeout,
			"PreToolUse hook 'h' timed out after 1s; continuing"},
		"an unreadable one": {dialect.HookResult{ProtocolError: "it is odd"}, dialect.StatusFailed,
			protocol.CauseOutput, "PreToolUse hook 'h' gave an answer that cannot be read: it is odd; continuing"},
		"too long": {dialect.HookResult{Stdout: dialect.Capture{Head: []byte(`{"a`), Tail: []byte(`"}`),
			Total: 99}}, dialect.StatusFailed, protocol.CauseOutput,
			"PreToolUse hook 'h' gave an answer that cannot be read: it is too long: 16 MiB of output is kept; " +
				"continuing"},
	} {
		t.Run(name, func(t *testing.T) {
			v := decideCodex("PreToolUse", test.result)
			require.Equal(t, []any{protocol.Continue, test.status, test.cause, []string{test.says}},
				[]any{v.Decision, v.Status, v.Cause, v.Warnings})
			strict := decideCodex("PreToolUse", test.result, dialecttest.OnFailure(protocol.Block))
			require.Equal(t, protocol.Block, strict.Decision)
			require.Equal(t, strings.TrimSuffix(test.says, "; continuing"), strict.Reason)
		})
	}
	require.Equal(t, dialect.Verdict{Decision: protocol.Continue, Status: dialect.StatusAsync},
		decideCodex("PreToolUse", dialect.HookResult{Async: true}))
	c := dialecttest.AtEvent("PreToolUse")
	v := dialect.Unsupported(codex.Dialect, &c, "h", "prompt")
	o := dialect.Merge(&c, []dialect.HookVerdict{{Verdict: dialecttest.Approved(""), Dialect: codex.Dialect},
		{Verdict: codex.Dialect.ApplyFailurePolicy(&c, v), Dialect: codex.Dialect}})
	require.True(t, o.Approved, "the client runs no such hook, and so it takes nothing back")
}

func TestCodexText(t *testing.T) {
	context := dialect.Verdict{Decision: protocol.Continue, Status: dialect.StatusOK, Context: "some words"}
	const ignoring = "PreToolUse PermissionRequest PostToolUse PreCompact PostCompact SessionEnd PreModelRequest " +
		"PostModelRequest"
	requireCodex(t, "UserPromptSubmit SessionStart SubagentStart", dialecttest.Printed(" some words\n"), context)
	requireCodex(t, ignoring, dialecttest.Printed(" some words\n"), dialecttest.Passes())
	requireCodex(t, "Stop SubagentStop Interrupt", dialecttest.Printed(" some words\n"),
		codexFailed(protocol.CauseOutput))
	for _, text := range []string{"42", "null", `"{}"`, "\ufeff{}"} {
		requireCodex(t, ignoring, dialecttest.Printed(text), dialecttest.Passes())
		requireCodex(t, "Stop", dialecttest.Printed(text), codexFailed(protocol.CauseOutput))
		requireCodex(t, "SessionStart", dialecttest.Printed(text),
			dialecttest.And(dialecttest.Passes(), func(v *dialect.Verdict) { v.Context = text }))
	}
	for _, text := range []string{"[info] hello", "{not json", "[1]", "[]", `{} {}`, "{}\nbye", `{"a":1,}`,
		`{'systemMessage':'M'}`} {
		requireCodex(t,
			"PreToolUse PermissionRequest PostToolUse UserPromptSubmit SessionStart SubagentStart PreCompact "+
				"PostCompact Stop SubagentStop Interrupt", dialecttest.Printed(text), codexFailed(protocol.CauseOutput))
		requireCodex(t, "SessionEnd PreModelRequest PostModelRequest", dialecttest.Printed(text), dialecttest.Passes())
	}
}

// TestCodexLostDeny: behind a log line the client does not see a deny, and is content. Who wants failures to block
// wants that too.
func TestCodexLostDeny(t *testing.T) {
	for _, text := range []string{"a line\n" +
		dialecttest.Pre(`"permissionDecision":"deny","permissionDecisionReason":"R"`),
		"\ufeff" + `{"decision":"block","reason":"R"}`, `log: {"continue":false}`} {
		v := decideCodex("PreToolUse", dialecttest.Printed(text))
		require.Len(t, v.Warnings, 1)
		require.Contains(t, v.Warnings[0], "a JSON answer")
		require.Contains(t, v.Warnings[0], "which was therefore not read")
		doubt := strings.TrimSuffix(v.Warnings[0], "; the call goes on")
		v.Warnings = nil
		require.Equal(t, dialecttest.Passes(), v)
		v = decideCodex("PreToolUse", dialecttest.Printed(text), dialecttest.OnFailure(protocol.Block))
		require.Equal(t, []any{protocol.Block, protocol.CauseOutput, dialect.StatusBlocked, doubt},
			[]any{v.Decision, v.Cause, v.Status, v.Reason})
	}
	v := decideCodex("UserPromptSubmit", dialecttest.Printed("a line\n{\"decision\":\"block\"}"))
	require.Equal(t, "a line\n{\"decision\":\"block\"}", v.Context)
	require.Empty(t, decideCodex("PreToolUse", dialecttest.Printed("no decision here")).Warnings)
}

func TestCodexAnswers(t *testing.T) {
	const every = "PreToolUse PermissionRequest PostToolUse UserPromptSubmit SessionStart SubagentStart PreCompact " +
		"PostCompact Stop SubagentStop"
	const context = "PreToolUse PostToolUse UserPromptSubmit SessionStart SubagentStart"
	const blocking = "PreToolUse PostToolUse UserPromptSubmit Stop SubagentStop"
	const without = "PermissionRequest SessionStart SubagentStart PreCompact PostCompact Interrupt"
	const stopping = "UserPromptSubmit SessionStart Stop SubagentStop PreCompact PostCompact"
	failed := codexFailed(protocol.CauseOutput)
	ok := func(change func(*dialect.Verdict)) dialect.Verdict {
		return dialecttest.And(dialecttest.Passes(), change)
	}
	message := ok(func(v *dialect.Verdict) { v.SystemMessage = "M" })
	added := ok(func(v *dialect.Verdict) { v.Context = "C" })
	stop := ok(func(v *dialect.Verdict) { v.Stop, v.StopReason = true, "S" })
	rewrite := ok(func(v *dialect.Verdict) { v.UpdatedInput = []byte(`{"command":"x","n":1.0}`) })
	permission := func(fields string) string { return dialecttest.Pre(fields) }
	request := func(decision string) string { return dialecttest.Answers("PermissionRequest", `"decision":`+decision) }
	for name, test := range map[string]struct {
		events string
		stdout string
		want   dialect.Verdict
	}{
		"the empty object":             {every + " Interrupt", " {}\n", dialecttest.Passes()},
		"a message":                    {every + " Interrupt", `{"systemMessage":"M"}`, message},
		"the last of equal keys":       {every, `{"systemMessage":"L","systemMessage":"M"}`, message},
		"the last of equal keys, null": {every, `{"systemMessage":"L","systemMessage":null}`, dialecttest.Passes()},
		"an escaped key":               {every, `{"system\u004dessage":"M"}`, message},
		"null":                         {every, `{"systemMessage":null,"stopReason":null}`, dialecttest.Passes()},
		"null for true or false":       {every, `{"continue":null}`, failed},
		"null for true or false, too":  {every, `{"systemMessage":"M","suppressOutput":null}`, failed},
		"nested as deep as can be": {"PreToolUse",
			`{"hookSpecificOutput":{"hookEventName":"Stop","permissionDecision":"allow","updatedInput":` +
				strings.Repeat("[", 125) + strings.Repeat("]", 125) + `}}`,
			dialecttest.And(dialecttest.Passes(), func(v *dialect.Verdict) {
				v.UpdatedInput = []byte(strings.Repeat("[", 125) + strings.Repeat("]", 125))
			})},
		"nested deeper": {"PreToolUse",
			`{"hookSpecificOutput":{"hookEventName":"Stop","permissionDecision":"allow","updatedInput":` +
				strings.Repeat("[", 126) + strings.Repeat("]", 126) + `}}`, failed},
		"a pair of surrogates": {every, `{"systemMessage":"\\ud83d\ud83d\ude00\u00e9"}`,
			dialecttest.And(dialecttest.Passes(), func(v *dialect.Verdict) { v.SystemMessage = `\ud83d😀é` })},
		"the first half of one":    {every, `{"systemMessage":"\ud83dx"}`, failed},
		"two first halves":         {every, `{"systemMessage":"\ud83d\ud83d\ude00"}`, failed},
		"the second half of one":   {every, `{"systemMessage":"\uDE00"}`, failed},
		"the first half, in a key": {every, `{"\ud83d":1}`, failed},
		"null, all that there is": {"PreToolUse",
			`{"continue":true,"stopReason":null,"suppressOutput":false,"systemMessage":null,"decision":null,` +
				`"reason":null,"hookSpecificOutput":null}`, dialecttest.Passes()},
		"an unknown key":        {every + " Interrupt", `{"systemMessage":"M","bogus":1}`, failed},
		"an unknown key, null":  {every, `{"bogus":null}`, failed},
		"another case":          {every, `{"SystemMessage":"M"}`, failed},
		"a wrong type":          {every, `{"systemMessage":1}`, failed},
		"continue as a text":    {every, `{"continue":"false"}`, failed},
		"nothing but a message": {"Interrupt", `{"continue":true}`, failed},

		"suppressed": {"PreToolUse PermissionRequest PostToolUse",
			`{"suppressOutput":true,"systemMessage":"M"}`, failed},
		"suppressed, elsewhere": {"UserPromptSubmit SessionStart SubagentStart PreCompact PostCompact Stop " +
			"SubagentStop", `{"suppressOutput":true,"systemMessage":"M"}`, message},
		"a stop":                  {stopping, `{"continue":false,"stopReason":"S"}`, stop},
		"a stop without a reason": {stopping, `{"continue":false}`, ok(func(v *dialect.Verdict) { v.Stop = true })},
		"a stop reason alone":     {stopping + " PostToolUse", `{"stopReason":"S"}`, dialecttest.Passes()},
		"a stop where there is none": {"PreToolUse PermissionRequest Interrupt", `{"continue":false,"stopReason":"S"}`,
			failed},
		"a stop reason where none": {"PreToolUse PermissionRequest Interrupt", `{"stopReason":"S"}`, failed},
		"a stop that is ignored":   {"SubagentStart", `{"continue":false,"stopReason":"S"}`, dialecttest.Passes()},
		"a stop, the result": {"PostToolUse", `{"continue":false,"stopReason":" S "}`,
			dialecttest.Blocked("S")},
		"a stop, the result, twice": {"PostToolUse",
			`{"continue":false,"stopReason":"S","decision":"block","reason":"R"}`, dialecttest.Blocked("R")},
		"a stop, a reason": {"PostToolUse", `{"continue":false,"reason":"R","suppressOutput":true}`,
			dialecttest.Blocked("R")},
		"a stop, a message": {"PostToolUse",
			`{"continue":false,"stopReason":"S","suppressOutput":true,"hookSpecificOutput":{"hookEventName":"Stop",` +
				`"additionalContext":"C"}}`, dialecttest.Blocked("S")},
		"a stop, half a block": {"PostToolUse",
			`{"continue":false,"stopReason":"S","decision":"block","hookSpecificOutput":{"hookEventName":"Stop",` +
				`"additionalContext":"C"}}`, dialecttest.Blocked("S")},
		"a stop, a context": {"PostToolUse",
			`{"continue":false,"stopReason":"S","hookSpecificOutput":{"hookEventName":"Stop",` +
				`"additionalContext":"C"}}`, dialecttest.And(dialecttest.Blocked("S"), func(v *dialect.Verdict) {
				v.Context = "C"
			})},
		"a stop, no reason": {"PostToolUse", `{"continue":false,"decision":"block"}`,
			dialecttest.Blocked("PostToolUse hook stopped execution")},
		"a stop beats a block": {"Stop SubagentStop",
			`{"continue":false,"stopReason":"S","decision":"block","reason":"R"}`, stop},
		"a stop and a block": {"UserPromptSubmit",
			`{"continue":false,"stopReason":"S","decision":"block","reason":"R"}`,
			dialecttest.And(dialecttest.Blocked("R"), func(v *dialect.Verdict) { v.Stop, v.StopReason = true, "S" })},

		"a block": {blocking, `{"decision":"block","reason":"\n R \n","systemMessage":"M"}`,
			dialecttest.And(dialecttest.Blocked("R"), func(v *dialect.Verdict) { v.SystemMessage = "M" })},
		"a block without a reason":      {blocking, `{"decision":"block","systemMessage":"M"}`, failed},
		"a block with a blank reason":   {blocking, `{"decision":"block","reason":" \n"}`, failed},
		"a block where there is none":   {without, `{"decision":"block","reason":"R"}`, failed},
		"a decision that is none":       {blocking, `{"decision":"nope","reason":"R"}`, failed},
		"a decision in another case":    {blocking, `{"decision":"Block","reason":"R"}`, failed},
		"approve":                       {blocking, `{"decision":"approve","reason":"R"}`, failed},
		"deny at the top":               {blocking, `{"decision":"deny","reason":"R"}`, failed},
		"a reason without a decision":   {"PreToolUse PostToolUse", `{"reason":"R"}`, failed},
		"a reason that nobody asks for": {"UserPromptSubmit Stop SubagentStop", `{"reason":"R"}`, dialecttest.Passes()},

		"context": {context,
			dialecttest.Specific(`"hookEventName":"PreToolUse","additionalContext":"C"`), added},
		"context of another event": {context,
			dialecttest.Specific(`"hookEventName":"PreModelRequest","additionalContext":"C"`), added},
		"context of no event": {context, dialecttest.Specific(`"additionalContext":"C"`), failed},
		"context of null": {context,
			dialecttest.Specific(`"hookEventName":null,"additionalContext":"C"`), failed},
		"context of a wrong event": {context,
			dialecttest.Specific(`"hookEventName":"Notification","additionalContext":"C"`), failed},
		"context of snakes": {context,
			dialecttest.Specific(`"hookEventName":"pre_tool_use","additionalContext":"C"`), failed},
		"context, a wrong type": {context,
			dialecttest.Specific(`"hookEventName":"PreToolUse","additionalContext":["C"]`), failed},
		"context, an unknown key": {context,
			dialecttest.Specific(`"hookEventName":"PreToolUse","additionalContext":"C","bogus":1`), failed},
		"context beside a block": {"PreToolUse PostToolUse UserPromptSubmit",
			`{"decision":"block","reason":"R","hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"C"}}`,
			dialecttest.And(dialecttest.Blocked("R"), func(v *dialect.Verdict) { v.Context = "C" })},
		"an output where there is none": {"Stop SubagentStop PreCompact PostCompact Interrupt",
			dialecttest.Specific(`"hookEventName":"Stop"`), failed},
		"an output that is none": {context + " PermissionRequest", `{"hookSpecificOutput":"x"}`, failed},

		"deny": {"PreToolUse",
			permission(`"permissionDecision":"deny","permissionDecisionReason":" R\n"`), dialecttest.Blocked("R")},
		"deny without a reason": {"PreToolUse", permission(`"permissionDecision":"deny"`), failed},
		"deny with a blank reason": {"PreToolUse",
			permission(`"permissionDecision":"deny","permissionDecisionReason":" "`), failed},
		"deny, context": {"PreToolUse",
			permission(`"permissionDecision":"deny","permissionDecisionReason":"R","additionalContext":"C"`),
			dialecttest.And(dialecttest.Blocked("R"), func(v *dialect.Verdict) { v.Context = "C" })},
		"deny and a stop": {"PreToolUse",
			`{"continue":false,` + permission(`"permissionDecision":"deny","permissionDecisionReason":"R"`)[1:],
			failed},
		"Deny": {"PreToolUse",
			permission(`"permissionDecision":"Deny","permissionDecisionReason":"R"`), failed},
		"allow": {"PreToolUse",
			permission(`"permissionDecision":"allow","permissionDecisionReason":"R","additionalContext":"C"`), failed},
		"ask": {"PreToolUse",
			permission(`"permissionDecision":"ask","permissionDecisionReason":"R"`), failed},
		"defer":                     {"PreToolUse", permission(`"permissionDecision":"defer"`), failed},
		"a permission reason alone": {"PreToolUse", permission(`"permissionDecisionReason":"R"`), failed},
		"a permission elsewhere": {"PostToolUse UserPromptSubmit SessionStart",
			permission(`"permissionDecision":"deny","permissionDecisionReason":"R"`), failed},
		"a rewrite": {"PreToolUse",
			permission(`"permissionDecision":"allow","updatedInput":{"command": "x", "n": 1.0}`), rewrite},
		"a rewrite, keys twice": {"PreToolUse",
			permission(`"permissionDecision":"allow","updatedInput":{"command":"y","command":"x","n":1.0}`), rewrite},
		"a rewrite that nobody allowed": {"PreToolUse", permission(`"updatedInput":{"command":"x"}`), failed},
		"a rewrite and a deny": {"PreToolUse",
			permission(`"permissionDecision":"deny","permissionDecisionReason":"R","updatedInput":{"command":"x"}`),
			failed},
		"a rewrite and an ask": {"PreToolUse",
			permission(`"permissionDecision":"ask","updatedInput":{"command":"x"}`), failed},
		"a rewrite to null": {"PreToolUse",
			permission(`"permissionDecision":"allow","updatedInput":null`), failed},
		"both forms, deny": {"PreToolUse",
			`{"decision":"block","reason":"B",` +
				permission(`"permissionDecision":"deny","permissionDecisionReason":"R"`)[1:], dialecttest.Blocked("R")},
		"both forms, allow": {"PreToolUse",
			`{"decision":"block","reason":"B",` + permission(`"permissionDecision":"allow"`)[1:], failed},
		"both forms, approve and a deny": {"PreToolUse",
			`{"decision":"approve",` + permission(`"permissionDecision":"deny","permissionDecisionReason":"R"`)[1:],
			dialecttest.Blocked("R")},
		"both forms, approve and a rewrite": {"PreToolUse",
			`{"decision":"approve",` +
				permission(`"permissionDecision":"allow","updatedInput":{"command":"x","n":1.0}`)[1:], rewrite},
		"a new output": {"PostToolUse",
			dialecttest.Specific(`"hookEventName":"PostToolUse","updatedToolOutput":"x"`), failed},
		"a new output for MCP": {"PostToolUse",
			dialecttest.Specific(`"hookEventName":"PostToolUse","updatedMCPToolOutput":{"content":[]}`), failed},

		"a request allowed": {"PermissionRequest", request(`{"behavior":"allow","message":"x"}`),
			dialecttest.Approved("")},
		"a request, null beside": {"PermissionRequest",
			request(`{"behavior":"allow","updatedInput":null,"updatedPermissions":null,"interrupt":false}`),
			dialecttest.Approved("")},
		"a request denied": {"PermissionRequest", request(`{"behavior":"deny","message":" R "}`),
			dialecttest.Blocked("R")},
		"a request denied, no words": {"PermissionRequest", request(`{"behavior":"deny"}`),
			dialecttest.Blocked("PermissionRequest hook denied approval")},
		"a request denied, blanks": {"PermissionRequest", request(`{"behavior":"deny","message":" "}`),
			dialecttest.Blocked("PermissionRequest hook denied approval")},
		"a request, no answer": {"PermissionRequest",
			dialecttest.Specific(`"hookEventName":"PermissionRequest"`), dialecttest.Passes()},
		"a request, null":        {"PermissionRequest", request(`null`), dialecttest.Passes()},
		"a request, ask":         {"PermissionRequest", request(`{"behavior":"ask"}`), failed},
		"a request, no behavior": {"PermissionRequest", request(`{"message":"R"}`), failed},
		"a request, an input":    {"PermissionRequest", request(`{"behavior":"allow","updatedInput":{}}`), failed},
		"a request, permissions": {"PermissionRequest", request(`{"behavior":"deny","updatedPermissions":[]}`),
			failed},
		"a request, interrupt": {"PermissionRequest",
			request(`{"behavior":"deny","message":"R","interrupt":true}`), failed},
		"a request, an unknown key": {"PermissionRequest", request(`{"behavior":"deny","bogus":1}`), failed},
		"a request of a wrong type": {"PermissionRequest", request(`"deny"`), failed},
		"a request, context": {"PermissionRequest",
			dialecttest.Specific(`"hookEventName":"PermissionRequest","additionalContext":"C"`), failed},
		"a request with a permission": {"PermissionRequest",
			dialecttest.Specific(`"hookEventName":"PreToolUse","permissionDecision":"deny",` +
				`"permissionDecisionReason":"R"`), failed},
	} {
		t.Run(name, func(t *testing.T) { requireCodex(t, test.events, dialecttest.Printed(test.stdout), test.want) })
	}
}

// TestCodexWhy: a warning says what the client had no use for, and whose word it is.
func TestCodexWhy(t *testing.T) {
	const begin, end = "PreToolUse hook 'h' gave an answer that cannot be read: ", "; continuing"
	for stdout, want := range map[string]string{
		`{"terminalSequence":"x"}`: `it has "terminalSequence", a word of Claude Code's, ` +
			`which Codex does not know there, and drops the whole answer for`,
		`{"permissionDecision":"deny"}`: `it has "permissionDecision", which Codex does not ` +
			`know there, and drops the whole answer for`,
		dialecttest.Pre(`"sessionTitle":"x"`): `it has "hookSpecificOutput.sessionTitle", a word of ` +
			`Claude Code's, which Codex does not know there, and drops the whole answer for`,
		dialecttest.Pre(`"tool_input":{}`): `it has "hookSpecificOutput.tool_input", a word of ` +
			`Gemini CLI's, which Codex does not know there, and drops the whole answer for`,
		dialecttest.Pre(`"llm_request":{}`): `it has "hookSpecificOutput.llm_request", a word of ` +
			`Gemini CLI's, which Codex does not know there, and drops the whole answer for`,
		`{"bogus":1}`: `it has "bogus", which Codex does not know there, and ` +
			`drops the whole answer for`,
		dialecttest.Pre(`"permissionDecision":"defer"`): `hookSpecificOutput.permissionDecision must be ` +
			`"allow", "deny" or "ask", not "defer"`,
		dialecttest.Pre(`"permissionDecision":"allow"`): `Codex has no permissionDecision "allow" by itself; to ` +
			`let pass, say nothing`,
		`{"decision":"approve"}`: `Codex has no decision "approve"; to let pass, say ` +
			`nothing`,
		`{"decision":"block"}`:      `decision "block" needs a reason`,
		`{"continue":false}`:        `PreToolUse has no continue: false`,
		`[1]`:                       `it must be a JSON object`,
		"{\n\"a\":1,}":              `line 2, column 6: a comma before '}'; remove it`,
		`{"hookSpecificOutput":{}}`: `hookSpecificOutput has no hookEventName`,
		dialecttest.Specific(`"hookEventName":"BeforeTool"`): `hookSpecificOutput.hookEventName "BeforeTool" is no ` +
			`event of Codex`,
		dialecttest.Pre(`"updatedInput":{}`): `updatedInput needs permissionDecision "allow"`,
		dialecttest.Pre(`"permissionDecision":"deny"`): `permissionDecision "deny" needs a ` +
			`permissionDecisionReason`,
	} {
		v := decideCodex("PreToolUse", dialecttest.Printed(stdout))
		require.Len(t, v.Warnings, 1, stdout)
		got := strings.TrimSuffix(strings.TrimPrefix(v.Warnings[0], begin), end)
		require.Equal(t, want, got, stdout)
	}
	v := decideCodex("PreToolUse",
		dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"allow","updatedInput":{"cmd":"x"}`)))
	require.Equal(t, []string{"updatedInput has no command, without which Codex fails the call of Bash"}, v.Warnings)
	require.JSONEq(t, `{"cmd":"x"}`, string(v.UpdatedInput))
}

// TestCodexLate: of a hook that nobody waited for no decision counts.
func TestCodexLate(t *testing.T) {
	late := func(r dialect.HookResult) dialect.Verdict {
		r.AsyncResult = true
		c := dialecttest.AtEvent("PreToolUse")
		return codex.Dialect.Hooks.Decode(&c, "h", &r)
	}
	want := dialect.Verdict{Decision: protocol.Continue, Status: dialect.StatusAsync}
	require.Equal(t, want, late(dialecttest.Exited(0, "", "")))
	require.Equal(t, want, late(dialecttest.Exited(2, "", "no")))
	want.Context, want.SystemMessage = "C", "M"
	require.Equal(t, want, late(dialecttest.Printed(`{"systemMessage":"M",`+
		dialecttest.Pre(`"permissionDecision":"deny","permissionDecisionReason":"R","additionalContext":"C"`)[1:])))
	want.Context, want.SystemMessage = "", ""
	want.Warnings = []string{"async PreToolUse hook 'h' exited with 1\nno"}
	require.Equal(t, want, late(dialecttest.Exited(1, "", "no")))
}

func TestCodexEvents(t *testing.T) {
	at := func(c dialect.Call) protocol.Event {
		require.NoError(t, c.Resolve(clients.All()))
		return codex.Dialect.EventOf(&c)
	}
	for e, want := range map[protocol.Event]protocol.Event{
		"pre-tool": "PreToolUse", "BeforeTool": "PreToolUse", "post-tool": "PostToolUse", "AfterTool": "PostToolUse",
		"PostToolUseFailure": "PostToolUse",
		"pre-execute":        "UserPromptSubmit", "BeforeAgent": "UserPromptSubmit", "Stop": "Stop",
		"Interrupt":    "Interrupt",
		"Notification": "Notification",
	} {
		require.Equal(t, want, at(dialect.Call{Event: e}), e)
	}
	require.Equal(t, protocol.Event("PostToolUse"), at(dialect.Call{Event: "post-tool", Failed: true}))
	require.Empty(t, at(dialect.Call{Event: "post-tool", Blocked: true}),
		"the client asks no hook about a tool that did not run")
	for e, field := range map[protocol.Event]string{
		"PreToolUse": "tool_name", "PermissionRequest": "tool_name", "PostToolUse": "tool_name",
		"SessionStart": "source", "SessionEnd": "reason",
		"PreCompact": "trigger", "PostCompact": "trigger", "SubagentStart": "agent_type", "SubagentStop": "agent_type",
		"UserPromptSubmit": "", "Stop": "", "PreModelRequest": "", "PostModelRequest": "", "Interrupt": "",
	} {
		require.Equal(t, field, codex.Dialect.SubjectField(e), e)
	}
	require.Len(t, codex.Dialect.Events.Names(), 14)
}
