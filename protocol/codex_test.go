package protocol_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/all"
	"github.com/hookrun/hookrun/internal/dialect/codex"
	"github.com/hookrun/hookrun/protocol"
)

// codex judges and settles, as the runner does.
func decideCodex(e protocol.Event, r dialect.HookResult, policies ...protocol.FailurePolicy) dialect.Verdict {
	c := atEvent(e)
	return codex.Dialect.ApplyFailurePolicy(&c, codex.Dialect.Decode(&c, "h", &r), policies...)
}

// codexFailed is a failure that let the call pass: nothing of what was printed counts.
func codexFailed(cause protocol.Cause) dialect.Verdict {
	return dialect.Verdict{Decision: protocol.Continue, Status: protocol.StatusFailed, Cause: cause}
}

// codexHeld are the events at which a failure can block, if policies say so.
var codexHeld = map[protocol.Event]bool{"PreToolUse": true, "PermissionRequest": true, "PostToolUse": true, "UserPromptSubmit": true, "SessionStart": true, "PreCompact": true}

// requireCodex judges one result at some events, or at all, with the client's policy and with the one that blocks.
func requireCodex(t *testing.T, events string, r dialect.HookResult, want dialect.Verdict) {
	t.Helper()
	all := codex.Dialect.Events()
	if events != "" {
		all = nil
		for e := range strings.FieldsSeq(events) {
			all = append(all, protocol.Event(e))
		}
	}
	for _, e := range all {
		v := decideCodex(e, r)
		if want.Status == protocol.StatusFailed {
			require.Len(t, v.Warnings, 1, e)
			require.Contains(t, v.Warnings[0], string(e)+" hook 'h' ")
			strict := decideCodex(e, r, onFailure(protocol.Block))
			require.Equal(t, codexHeld[e], strict.Decision == protocol.Block, e)
			if codexHeld[e] {
				require.Equal(t, protocol.StatusBlocked, strict.Status, e)
				require.Equal(t, want.Cause, strict.Cause, e)
				require.NotEmpty(t, strict.Reason, e)
			}
		} else if len(v.Warnings) == 0 {
			require.Equal(t, v, decideCodex(e, r, onFailure(protocol.Block)), e)
		}
		v.Problem, v.Warnings = "", nil
		require.Equal(t, want, v, e)
	}
}

func TestCodexExits(t *testing.T) {
	const blocking = "PreToolUse PermissionRequest PostToolUse UserPromptSubmit Stop SubagentStop"
	const others = "SessionStart SubagentStart PreCompact PostCompact Interrupt SessionEnd PreModelRequest PostModelRequest"
	deny := pre(`"permissionDecision":"deny","permissionDecisionReason":"R"`)
	for name, test := range map[string]struct {
		events string
		result dialect.HookResult
		want   dialect.Verdict
	}{
		"exit 0, nothing":                 {"", exited(0, "", ""), passes()},
		"exit 0, blanks":                  {"", exited(0, " \r\n\t\u00a0\n", "err"), passes()},
		"exit 2, stderr":                  {blocking, exited(2, "", "\n  one\ntwo \n\n"), blocked("one\ntwo")},
		"exit 2, stderr that is no UTF-8": {blocking, exited(2, "", "a\xffb"), blocked("a�b")},
		"exit 2, cut characters":          {blocking, exited(2, "", "a\xe2\x82b\xff\xfec\xed\xa0\xf0\x9f\x98"), blocked("a�b��c���")},
		"exit 2, stderr and JSON":         {blocking, exited(2, `{"systemMessage":"M","continue":false}`, "err"), blocked("err")},
		"exit 2, stderr and broken JSON":  {blocking, exited(2, `{`, "err"), blocked("err")},
		"exit 2, nothing":                 {"", exited(2, "", " \n"), codexFailed(protocol.CauseExit)},
		"exit 2, text":                    {"", exited(2, "words", ""), codexFailed(protocol.CauseExit)},
		"exit 2, a deny":                  {"", exited(2, deny, ""), codexFailed(protocol.CauseExit)},
		"exit 2, stderr, elsewhere":       {others, exited(2, "", "err"), codexFailed(protocol.CauseExit)},
		"exit 1, nothing":                 {"", exited(1, "", ""), codexFailed(protocol.CauseExit)},
		"exit 1, stderr":                  {"", exited(1, "", "err"), codexFailed(protocol.CauseExit)},
		"exit 1, a deny":                  {"", exited(1, deny, "err"), codexFailed(protocol.CauseExit)},
		"exit 3":                          {"", exited(3, "", "err"), codexFailed(protocol.CauseExit)},
		"exit 127":                        {"", exited(127, "", "sh: nope: not found"), codexFailed(protocol.CauseExit)},
		"a signal":                        {"", killed("SIGKILL", "", ""), codexFailed(protocol.CauseSignal)},
		"a signal, a deny":                {"", killed("SIGSEGV", deny, "err"), codexFailed(protocol.CauseSignal)},
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
		status protocol.Status
		cause  protocol.Cause
		says   string
	}{
		"not started":       {dialect.HookResult{Err: errors.New("no such file")}, protocol.StatusUnstarted, protocol.CauseUnstarted, "PreToolUse hook 'h' could not run: no such file; continuing"},
		"too late":          {dialect.HookResult{TimedOut: true, Limit: time.Second, Stdout: printed(pre(`"permissionDecision":"deny","permissionDecisionReason":"R"`)).Stdout}, protocol.StatusTimeout, protocol.CauseTimeout, "PreToolUse hook 'h' timed out after 1s; continuing"},
		"an unreadable one": {dialect.HookResult{ProtocolError: "it is odd"}, protocol.StatusFailed, protocol.CauseOutput, "PreToolUse hook 'h' gave an answer that cannot be read: it is odd; continuing"},
		"too long":          {dialect.HookResult{Stdout: dialect.Capture{Head: []byte(`{"a`), Tail: []byte(`"}`), Total: 99}}, protocol.StatusFailed, protocol.CauseOutput, "PreToolUse hook 'h' gave an answer that cannot be read: it is too long: 1 MiB of output is kept; continuing"},
	} {
		t.Run(name, func(t *testing.T) {
			v := decideCodex("PreToolUse", test.result)
			require.Equal(t, []any{protocol.Continue, test.status, test.cause, []string{test.says}}, []any{v.Decision, v.Status, v.Cause, v.Warnings})
			strict := decideCodex("PreToolUse", test.result, onFailure(protocol.Block))
			require.Equal(t, protocol.Block, strict.Decision)
			require.Equal(t, strings.TrimSuffix(test.says, "; continuing"), strict.Reason)
		})
	}
	require.Equal(t, dialect.Verdict{Decision: protocol.Continue, Status: protocol.StatusAsync}, decideCodex("PreToolUse", dialect.HookResult{Async: true}))
	c := atEvent("PreToolUse")
	v := dialect.Unsupported(codex.Dialect, &c, "h", "prompt")
	o := dialect.Merge(&c, []dialect.HookVerdict{{Verdict: approved(""), Dialect: codex.Dialect}, {Verdict: codex.Dialect.ApplyFailurePolicy(&c, v), Dialect: codex.Dialect}})
	require.True(t, o.Approved, "the client runs no such hook, and so it takes nothing back")
}

func TestCodexText(t *testing.T) {
	context := dialect.Verdict{Decision: protocol.Continue, Status: protocol.StatusOK, Context: "some words"}
	const ignoring = "PreToolUse PermissionRequest PostToolUse PreCompact PostCompact SessionEnd PreModelRequest PostModelRequest"
	requireCodex(t, "UserPromptSubmit SessionStart SubagentStart", printed(" some words\n"), context)
	requireCodex(t, ignoring, printed(" some words\n"), passes())
	requireCodex(t, "Stop SubagentStop Interrupt", printed(" some words\n"), codexFailed(protocol.CauseOutput))
	for _, text := range []string{"42", "null", `"{}"`, "\ufeff{}"} {
		requireCodex(t, ignoring, printed(text), passes())
		requireCodex(t, "Stop", printed(text), codexFailed(protocol.CauseOutput))
		requireCodex(t, "SessionStart", printed(text), and(passes(), func(v *dialect.Verdict) { v.Context = text }))
	}
	for _, text := range []string{"[info] hello", "{not json", "[1]", "[]", `{} {}`, "{}\nbye", `{"a":1,}`, `{'systemMessage':'M'}`} {
		requireCodex(t, "PreToolUse PermissionRequest PostToolUse UserPromptSubmit SessionStart SubagentStart PreCompact PostCompact Stop SubagentStop Interrupt", printed(text), codexFailed(protocol.CauseOutput))
		requireCodex(t, "SessionEnd PreModelRequest PostModelRequest", printed(text), passes())
	}
}

// TestCodexLostDeny: behind a log line the client does not see a deny, and is content. Who wants failures to block wants that too.
func TestCodexLostDeny(t *testing.T) {
	for _, text := range []string{"a line\n" + pre(`"permissionDecision":"deny","permissionDecisionReason":"R"`), "\ufeff" + `{"decision":"block","reason":"R"}`, `log: {"continue":false}`} {
		v := decideCodex("PreToolUse", printed(text))
		require.Len(t, v.Warnings, 1)
		require.Contains(t, v.Warnings[0], "a JSON answer")
		require.Contains(t, v.Warnings[0], "which was therefore not read")
		doubt := strings.TrimSuffix(v.Warnings[0], "; the call goes on")
		v.Warnings = nil
		require.Equal(t, passes(), v)
		v = decideCodex("PreToolUse", printed(text), onFailure(protocol.Block))
		require.Equal(t, []any{protocol.Block, protocol.CauseOutput, protocol.StatusBlocked, doubt}, []any{v.Decision, v.Cause, v.Status, v.Reason})
	}
	v := decideCodex("UserPromptSubmit", printed("a line\n{\"decision\":\"block\"}"))
	require.Equal(t, "a line\n{\"decision\":\"block\"}", v.Context)
	require.Empty(t, decideCodex("PreToolUse", printed("no decision here")).Warnings)
}

func TestCodexAnswers(t *testing.T) {
	const every = "PreToolUse PermissionRequest PostToolUse UserPromptSubmit SessionStart SubagentStart PreCompact PostCompact Stop SubagentStop"
	const context = "PreToolUse PostToolUse UserPromptSubmit SessionStart SubagentStart"
	const blocking = "PreToolUse PostToolUse UserPromptSubmit Stop SubagentStop"
	const without = "PermissionRequest SessionStart SubagentStart PreCompact PostCompact Interrupt"
	const stopping = "UserPromptSubmit SessionStart Stop SubagentStop PreCompact PostCompact"
	failed := codexFailed(protocol.CauseOutput)
	ok := func(change func(*dialect.Verdict)) dialect.Verdict { return and(passes(), change) }
	message := ok(func(v *dialect.Verdict) { v.SystemMessage = "M" })
	added := ok(func(v *dialect.Verdict) { v.Context = "C" })
	stop := ok(func(v *dialect.Verdict) { v.Stop, v.StopReason = true, "S" })
	rewrite := ok(func(v *dialect.Verdict) { v.UpdatedInput = []byte(`{"command":"x","n":1.0}`) })
	permission := func(fields string) string { return pre(fields) }
	request := func(decision string) string { return answers("PermissionRequest", `"decision":`+decision) }
	for name, test := range map[string]struct {
		events string
		stdout string
		want   dialect.Verdict
	}{
		"the empty object":             {every + " Interrupt", " {}\n", passes()},
		"a message":                    {every + " Interrupt", `{"systemMessage":"M"}`, message},
		"the last of equal keys":       {every, `{"systemMessage":"L","systemMessage":"M"}`, message},
		"the last of equal keys, null": {every, `{"systemMessage":"L","systemMessage":null}`, passes()},
		"an escaped key":               {every, `{"system\u004dessage":"M"}`, message},
		"null":                         {every, `{"systemMessage":null,"stopReason":null}`, passes()},
		"null for true or false":       {every, `{"continue":null}`, failed},
		"null for true or false, too":  {every, `{"systemMessage":"M","suppressOutput":null}`, failed},
		"nested as deep as can be": {"PreToolUse", `{"hookSpecificOutput":{"hookEventName":"Stop","permissionDecision":"allow","updatedInput":` + strings.Repeat("[", 125) + strings.Repeat("]", 125) + `}}`, and(passes(), func(v *dialect.Verdict) {
			v.UpdatedInput = []byte(strings.Repeat("[", 125) + strings.Repeat("]", 125))
		})},
		"nested deeper":            {"PreToolUse", `{"hookSpecificOutput":{"hookEventName":"Stop","permissionDecision":"allow","updatedInput":` + strings.Repeat("[", 126) + strings.Repeat("]", 126) + `}}`, failed},
		"a pair of surrogates":     {every, `{"systemMessage":"\\ud83d\ud83d\ude00\u00e9"}`, and(passes(), func(v *dialect.Verdict) { v.SystemMessage = `\ud83d😀é` })},
		"the first half of one":    {every, `{"systemMessage":"\ud83dx"}`, failed},
		"two first halves":         {every, `{"systemMessage":"\ud83d\ud83d\ude00"}`, failed},
		"the second half of one":   {every, `{"systemMessage":"\uDE00"}`, failed},
		"the first half, in a key": {every, `{"\ud83d":1}`, failed},
		"null, all that there is":  {"PreToolUse", `{"continue":true,"stopReason":null,"suppressOutput":false,"systemMessage":null,"decision":null,"reason":null,"hookSpecificOutput":null}`, passes()},
		"an unknown key":           {every + " Interrupt", `{"systemMessage":"M","bogus":1}`, failed},
		"an unknown key, null":     {every, `{"bogus":null}`, failed},
		"another case":             {every, `{"SystemMessage":"M"}`, failed},
		"a wrong type":             {every, `{"systemMessage":1}`, failed},
		"continue as a text":       {every, `{"continue":"false"}`, failed},
		"nothing but a message":    {"Interrupt", `{"continue":true}`, failed},

		"suppressed":                 {"PreToolUse PermissionRequest PostToolUse", `{"suppressOutput":true,"systemMessage":"M"}`, failed},
		"suppressed, elsewhere":      {"UserPromptSubmit SessionStart SubagentStart PreCompact PostCompact Stop SubagentStop", `{"suppressOutput":true,"systemMessage":"M"}`, message},
		"a stop":                     {stopping, `{"continue":false,"stopReason":"S"}`, stop},
		"a stop without a reason":    {stopping, `{"continue":false}`, ok(func(v *dialect.Verdict) { v.Stop = true })},
		"a stop reason alone":        {stopping + " PostToolUse", `{"stopReason":"S"}`, passes()},
		"a stop where there is none": {"PreToolUse PermissionRequest Interrupt", `{"continue":false,"stopReason":"S"}`, failed},
		"a stop reason where none":   {"PreToolUse PermissionRequest Interrupt", `{"stopReason":"S"}`, failed},
		"a stop that is ignored":     {"SubagentStart", `{"continue":false,"stopReason":"S"}`, passes()},
		"a stop, the result":         {"PostToolUse", `{"continue":false,"stopReason":" S "}`, blocked("S")},
		"a stop, the result, twice":  {"PostToolUse", `{"continue":false,"stopReason":"S","decision":"block","reason":"R"}`, blocked("R")},
		"a stop, a reason":           {"PostToolUse", `{"continue":false,"reason":"R","suppressOutput":true}`, blocked("R")},
		"a stop, a message":          {"PostToolUse", `{"continue":false,"stopReason":"S","suppressOutput":true,"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"C"}}`, blocked("S")},
		"a stop, half a block":       {"PostToolUse", `{"continue":false,"stopReason":"S","decision":"block","hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"C"}}`, blocked("S")},
		"a stop, a context":          {"PostToolUse", `{"continue":false,"stopReason":"S","hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"C"}}`, and(blocked("S"), func(v *dialect.Verdict) { v.Context = "C" })},
		"a stop, no reason":          {"PostToolUse", `{"continue":false,"decision":"block"}`, blocked("PostToolUse hook stopped execution")},
		"a stop beats a block":       {"Stop SubagentStop", `{"continue":false,"stopReason":"S","decision":"block","reason":"R"}`, stop},
		"a stop and a block":         {"UserPromptSubmit", `{"continue":false,"stopReason":"S","decision":"block","reason":"R"}`, and(blocked("R"), func(v *dialect.Verdict) { v.Stop, v.StopReason = true, "S" })},

		"a block":                       {blocking, `{"decision":"block","reason":"\n R \n","systemMessage":"M"}`, and(blocked("R"), func(v *dialect.Verdict) { v.SystemMessage = "M" })},
		"a block without a reason":      {blocking, `{"decision":"block","systemMessage":"M"}`, failed},
		"a block with a blank reason":   {blocking, `{"decision":"block","reason":" \n"}`, failed},
		"a block where there is none":   {without, `{"decision":"block","reason":"R"}`, failed},
		"a decision that is none":       {blocking, `{"decision":"nope","reason":"R"}`, failed},
		"a decision in another case":    {blocking, `{"decision":"Block","reason":"R"}`, failed},
		"approve":                       {blocking, `{"decision":"approve","reason":"R"}`, failed},
		"deny at the top":               {blocking, `{"decision":"deny","reason":"R"}`, failed},
		"a reason without a decision":   {"PreToolUse PostToolUse", `{"reason":"R"}`, failed},
		"a reason that nobody asks for": {"UserPromptSubmit Stop SubagentStop", `{"reason":"R"}`, passes()},

		"context":                       {context, specific(`"hookEventName":"PreToolUse","additionalContext":"C"`), added},
		"context of another event":      {context, specific(`"hookEventName":"PreModelRequest","additionalContext":"C"`), added},
		"context of no event":           {context, specific(`"additionalContext":"C"`), failed},
		"context of null":               {context, specific(`"hookEventName":null,"additionalContext":"C"`), failed},
		"context of a wrong event":      {context, specific(`"hookEventName":"Notification","additionalContext":"C"`), failed},
		"context of snakes":             {context, specific(`"hookEventName":"pre_tool_use","additionalContext":"C"`), failed},
		"context, a wrong type":         {context, specific(`"hookEventName":"PreToolUse","additionalContext":["C"]`), failed},
		"context, an unknown key":       {context, specific(`"hookEventName":"PreToolUse","additionalContext":"C","bogus":1`), failed},
		"context beside a block":        {"PreToolUse PostToolUse UserPromptSubmit", `{"decision":"block","reason":"R","hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"C"}}`, and(blocked("R"), func(v *dialect.Verdict) { v.Context = "C" })},
		"an output where there is none": {"Stop SubagentStop PreCompact PostCompact Interrupt", specific(`"hookEventName":"Stop"`), failed},
		"an output that is none":        {context + " PermissionRequest", `{"hookSpecificOutput":"x"}`, failed},

		"deny":                              {"PreToolUse", permission(`"permissionDecision":"deny","permissionDecisionReason":" R\n"`), blocked("R")},
		"deny without a reason":             {"PreToolUse", permission(`"permissionDecision":"deny"`), failed},
		"deny with a blank reason":          {"PreToolUse", permission(`"permissionDecision":"deny","permissionDecisionReason":" "`), failed},
		"deny, context":                     {"PreToolUse", permission(`"permissionDecision":"deny","permissionDecisionReason":"R","additionalContext":"C"`), and(blocked("R"), func(v *dialect.Verdict) { v.Context = "C" })},
		"deny and a stop":                   {"PreToolUse", `{"continue":false,` + permission(`"permissionDecision":"deny","permissionDecisionReason":"R"`)[1:], failed},
		"Deny":                              {"PreToolUse", permission(`"permissionDecision":"Deny","permissionDecisionReason":"R"`), failed},
		"allow":                             {"PreToolUse", permission(`"permissionDecision":"allow","permissionDecisionReason":"R","additionalContext":"C"`), failed},
		"ask":                               {"PreToolUse", permission(`"permissionDecision":"ask","permissionDecisionReason":"R"`), failed},
		"defer":                             {"PreToolUse", permission(`"permissionDecision":"defer"`), failed},
		"a permission reason alone":         {"PreToolUse", permission(`"permissionDecisionReason":"R"`), failed},
		"a permission elsewhere":            {"PostToolUse UserPromptSubmit SessionStart", permission(`"permissionDecision":"deny","permissionDecisionReason":"R"`), failed},
		"a rewrite":                         {"PreToolUse", permission(`"permissionDecision":"allow","updatedInput":{"command": "x", "n": 1.0}`), rewrite},
		"a rewrite, keys twice":             {"PreToolUse", permission(`"permissionDecision":"allow","updatedInput":{"command":"y","command":"x","n":1.0}`), rewrite},
		"a rewrite that nobody allowed":     {"PreToolUse", permission(`"updatedInput":{"command":"x"}`), failed},
		"a rewrite and a deny":              {"PreToolUse", permission(`"permissionDecision":"deny","permissionDecisionReason":"R","updatedInput":{"command":"x"}`), failed},
		"a rewrite and an ask":              {"PreToolUse", permission(`"permissionDecision":"ask","updatedInput":{"command":"x"}`), failed},
		"a rewrite to null":                 {"PreToolUse", permission(`"permissionDecision":"allow","updatedInput":null`), failed},
		"both forms, deny":                  {"PreToolUse", `{"decision":"block","reason":"B",` + permission(`"permissionDecision":"deny","permissionDecisionReason":"R"`)[1:], blocked("R")},
		"both forms, allow":                 {"PreToolUse", `{"decision":"block","reason":"B",` + permission(`"permissionDecision":"allow"`)[1:], failed},
		"both forms, approve and a deny":    {"PreToolUse", `{"decision":"approve",` + permission(`"permissionDecision":"deny","permissionDecisionReason":"R"`)[1:], blocked("R")},
		"both forms, approve and a rewrite": {"PreToolUse", `{"decision":"approve",` + permission(`"permissionDecision":"allow","updatedInput":{"command":"x","n":1.0}`)[1:], rewrite},
		"a new output":                      {"PostToolUse", specific(`"hookEventName":"PostToolUse","updatedToolOutput":"x"`), failed},
		"a new output for MCP":              {"PostToolUse", specific(`"hookEventName":"PostToolUse","updatedMCPToolOutput":{"content":[]}`), failed},

		"a request allowed":           {"PermissionRequest", request(`{"behavior":"allow","message":"x"}`), approved("")},
		"a request, null beside":      {"PermissionRequest", request(`{"behavior":"allow","updatedInput":null,"updatedPermissions":null,"interrupt":false}`), approved("")},
		"a request denied":            {"PermissionRequest", request(`{"behavior":"deny","message":" R "}`), blocked("R")},
		"a request denied, no words":  {"PermissionRequest", request(`{"behavior":"deny"}`), blocked("PermissionRequest hook denied approval")},
		"a request denied, blanks":    {"PermissionRequest", request(`{"behavior":"deny","message":" "}`), blocked("PermissionRequest hook denied approval")},
		"a request, no answer":        {"PermissionRequest", specific(`"hookEventName":"PermissionRequest"`), passes()},
		"a request, null":             {"PermissionRequest", request(`null`), passes()},
		"a request, ask":              {"PermissionRequest", request(`{"behavior":"ask"}`), failed},
		"a request, no behavior":      {"PermissionRequest", request(`{"message":"R"}`), failed},
		"a request, an input":         {"PermissionRequest", request(`{"behavior":"allow","updatedInput":{}}`), failed},
		"a request, permissions":      {"PermissionRequest", request(`{"behavior":"deny","updatedPermissions":[]}`), failed},
		"a request, interrupt":        {"PermissionRequest", request(`{"behavior":"deny","message":"R","interrupt":true}`), failed},
		"a request, an unknown key":   {"PermissionRequest", request(`{"behavior":"deny","bogus":1}`), failed},
		"a request of a wrong type":   {"PermissionRequest", request(`"deny"`), failed},
		"a request, context":          {"PermissionRequest", specific(`"hookEventName":"PermissionRequest","additionalContext":"C"`), failed},
		"a request with a permission": {"PermissionRequest", specific(`"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"R"`), failed},
	} {
		t.Run(name, func(t *testing.T) { requireCodex(t, test.events, printed(test.stdout), test.want) })
	}
}

// TestCodexWhy: a warning says what the client had no use for, and whose word it is.
func TestCodexWhy(t *testing.T) {
	const begin, end = "PreToolUse hook 'h' gave an answer that cannot be read: ", "; continuing"
	for stdout, want := range map[string]string{
		`{"terminalSequence":"x"}`:               `it has "terminalSequence", a word of Claude Code's, which Codex does not know there, and drops the whole answer for`,
		`{"permissionDecision":"deny"}`:          `it has "permissionDecision", which Codex does not know there, and drops the whole answer for`,
		pre(`"sessionTitle":"x"`):                `it has "hookSpecificOutput.sessionTitle", a word of Claude Code's, which Codex does not know there, and drops the whole answer for`,
		pre(`"tool_input":{}`):                   `it has "hookSpecificOutput.tool_input", a word of Gemini CLI's, which Codex does not know there, and drops the whole answer for`,
		pre(`"llm_request":{}`):                  `it has "hookSpecificOutput.llm_request", a word of Gemini CLI's, which Codex does not know there, and drops the whole answer for`,
		`{"bogus":1}`:                            `it has "bogus", which Codex does not know there, and drops the whole answer for`,
		pre(`"permissionDecision":"defer"`):      `hookSpecificOutput.permissionDecision must be "allow", "deny" or "ask", not "defer"`,
		pre(`"permissionDecision":"allow"`):      `Codex has no permissionDecision "allow" by itself; to let pass, say nothing`,
		`{"decision":"approve"}`:                 `Codex has no decision "approve"; to let pass, say nothing`,
		`{"decision":"block"}`:                   `decision "block" needs a reason`,
		`{"continue":false}`:                     `PreToolUse has no continue: false`,
		`[1]`:                                    `it must be a JSON object`,
		"{\n\"a\":1,}":                           `line 2, column 6: a comma before '}'; remove it`,
		`{"hookSpecificOutput":{}}`:              `hookSpecificOutput has no hookEventName`,
		specific(`"hookEventName":"BeforeTool"`): `hookSpecificOutput.hookEventName "BeforeTool" is no event of Codex`,
		pre(`"updatedInput":{}`):                 `updatedInput needs permissionDecision "allow"`,
		pre(`"permissionDecision":"deny"`):       `permissionDecision "deny" needs a permissionDecisionReason`,
	} {
		v := decideCodex("PreToolUse", printed(stdout))
		require.Len(t, v.Warnings, 1, stdout)
		got := strings.TrimSuffix(strings.TrimPrefix(v.Warnings[0], begin), end)
		require.Equal(t, want, got, stdout)
	}
	v := decideCodex("PreToolUse", printed(pre(`"permissionDecision":"allow","updatedInput":{"cmd":"x"}`)))
	require.Equal(t, []string{"updatedInput has no command, without which Codex fails the call of Bash"}, v.Warnings)
	require.JSONEq(t, `{"cmd":"x"}`, string(v.UpdatedInput))
}

// TestCodexLate: of a hook that nobody waited for no decision counts.
func TestCodexLate(t *testing.T) {
	late := func(r dialect.HookResult) dialect.Verdict {
		r.AsyncResult = true
		c := atEvent("PreToolUse")
		return codex.Dialect.Decode(&c, "h", &r)
	}
	want := dialect.Verdict{Decision: protocol.Continue, Status: protocol.StatusAsync}
	require.Equal(t, want, late(exited(0, "", "")))
	require.Equal(t, want, late(exited(2, "", "no")))
	want.Context, want.SystemMessage = "C", "M"
	require.Equal(t, want, late(printed(`{"systemMessage":"M",`+pre(`"permissionDecision":"deny","permissionDecisionReason":"R","additionalContext":"C"`)[1:])))
	want.Context, want.SystemMessage = "", ""
	want.Warnings = []string{"async PreToolUse hook 'h' exited with 1\nno"}
	require.Equal(t, want, late(exited(1, "", "no")))
}

func TestCodexEvents(t *testing.T) {
	at := func(c protocol.Call) protocol.Event { return codex.Dialect.EventOf(&c) }
	for e, want := range map[protocol.Event]protocol.Event{
		"pre-tool": "PreToolUse", "BeforeTool": "PreToolUse", "post-tool": "PostToolUse", "AfterTool": "PostToolUse", "PostToolUseFailure": "PostToolUse",
		"pre-execute": "UserPromptSubmit", "BeforeAgent": "UserPromptSubmit", "Stop": "Stop", "Interrupt": "Interrupt", "Notification": "Notification",
	} {
		require.Equal(t, want, at(protocol.Call{Event: e}), e)
	}
	require.Equal(t, protocol.Event("PostToolUse"), at(protocol.Call{Event: "post-tool", Failed: true}))
	require.Empty(t, at(protocol.Call{Event: "post-tool", Blocked: true}), "the client asks no hook about a tool that did not run")
	for e, field := range map[protocol.Event]string{
		"PreToolUse": "tool_name", "PermissionRequest": "tool_name", "PostToolUse": "tool_name", "SessionStart": "source", "SessionEnd": "reason",
		"PreCompact": "trigger", "PostCompact": "trigger", "SubagentStart": "agent_type", "SubagentStop": "agent_type",
		"UserPromptSubmit": "", "Stop": "", "PreModelRequest": "", "PostModelRequest": "", "Interrupt": "",
	} {
		require.Equal(t, field, codex.Dialect.SubjectField(e), e)
	}
	require.Len(t, codex.Dialect.Events(), 14)
}

func TestCodexPayload(t *testing.T) {
	write := func(c protocol.Call) string {
		payload, warnings, err := codex.Dialect.EncodeInput(&c)
		require.NoError(t, err)
		require.Empty(t, warnings)
		return string(payload.Bytes())
	}
	input := `{"session_id":"s","turn_id":"t","cwd":"/w/sub","hook_event_name":"PreToolUse","model":"m","tool_name":"Bash","tool_input":{"command":"ls"}}`
	c, _, err := all.ParseInput(input)
	require.NoError(t, err)
	require.Equal(t, input+"\n", write(c), "the client's own goes through")
	c.Workspace = "/w"
	c.Event = "BeforeTool" // of another client, in its own words
	c.ClientInput = strings.Replace(input, "PreToolUse", "BeforeTool", 1)
	require.Equal(t, `{"session_id":"s","turn_id":"t","transcript_path":null,"cwd":"/w/sub","hook_event_name":"PreToolUse","model":"m","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":""}`+"\n", write(c))
	call := protocol.Call{Event: "post-tool", Workspace: "/w", SessionID: "s", TranscriptPath: "/t", Tool: "Bash", Args: `{"command": "ls"}`, Result: "out\n", ToolUseID: "u", AgentID: "a"}
	require.Equal(t, `{"session_id":"s","transcript_path":"/t","cwd":"/w","hook_event_name":"PostToolUse","model":"","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":"out\n","tool_use_id":"u","agent_id":"a"}`+"\n", write(call))
	call = protocol.Call{Event: "pre-execute", Workspace: "/w", Prompt: "hi"}
	require.Equal(t, `{"session_id":"","transcript_path":null,"cwd":"/w","hook_event_name":"UserPromptSubmit","model":"","permission_mode":"default","prompt":"hi"}`+"\n", write(call))
}

// TestCodexOutput: an outcome as the client's hook output, and what the client makes of that: nothing that held a call up lets it pass.
func TestCodexOutput(t *testing.T) {
	ptr := func(change func(*protocol.Outcome)) protocol.Outcome {
		o := protocol.Outcome{Decision: protocol.Continue}
		change(&o)
		return o
	}
	block := ptr(func(o *protocol.Outcome) { o.Decision, o.Reason = protocol.Block, "R" })
	silent := ptr(func(o *protocol.Outcome) { o.Decision = protocol.Ask })
	stop := ptr(func(o *protocol.Outcome) { o.Stop, o.StopReason = true, "S" })
	both := ptr(func(o *protocol.Outcome) { o.Decision, o.Reason, o.Stop, o.StopReason = protocol.Block, "R", true, "S" })
	context := ptr(func(o *protocol.Outcome) {
		o.Inject, o.SystemMessages = []protocol.Inject{{Content: "C"}, {Content: "D"}}, []string{"M"}
	})
	held := ptr(func(o *protocol.Outcome) {
		o.Decision, o.Reason, o.Inject = protocol.Block, "R", []protocol.Inject{{Content: "C"}}
	})
	rewrite := ptr(func(o *protocol.Outcome) { o.UpdatedInput, o.Approved = []byte(`{"command":"x"}`), true })
	output := ptr(func(o *protocol.Outcome) { o.UpdatedOutput = []byte(`"new"`) })
	approved := ptr(func(o *protocol.Outcome) { o.Approved, o.Reason = true, "fine" })
	const nothing = `{}`
	for event, wants := range map[protocol.Event]map[*protocol.Outcome]string{
		"PreToolUse": {
			&block:    `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"R"}}`,
			&silent:   `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"hookrun: a hook said ask, and a hook of Codex cannot say that here, so it is a block"}}`,
			&stop:     `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"S"}}`,
			&both:     `{"systemMessage":"hookrun: Codex cannot be stopped at PreToolUse: S","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"R"}}`,
			&context:  `{"systemMessage":"M","hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"C\n\nD"}}`,
			&rewrite:  `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"x"}}}`,
			&approved: nothing,
		},
		"PermissionRequest": {
			&block:    `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"R"}}}`,
			&stop:     `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"S"}}}`,
			&approved: `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`,
			&rewrite:  `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"project hook '' changed the tool's input, and Codex cannot take that here"}}}`,
			&context:  `{"systemMessage":"M\nhookrun: Codex cannot give the model this at PermissionRequest:\nC\n\nD"}`,
		},
		"PostToolUse": {
			&block:  `{"decision":"block","reason":"R"}`,
			&stop:   `{"continue":false,"stopReason":"S"}`,
			&both:   `{"continue":false,"stopReason":"S","decision":"block","reason":"R"}`,
			&output: `{"decision":"block","reason":"new"}`,
			&held:   `{"decision":"block","reason":"R","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"C"}}`,
		},
		"UserPromptSubmit": {&block: `{"decision":"block","reason":"R"}`, &stop: `{"continue":false,"stopReason":"S"}`, &both: `{"continue":false,"stopReason":"S","decision":"block","reason":"R","systemMessage":"R"}`},
		"SessionStart":     {&block: `{"continue":false,"stopReason":"R"}`, &stop: `{"continue":false,"stopReason":"S"}`, &silent: `{"continue":false,"stopReason":"hookrun: a hook said ask, and a hook of Codex cannot say that here, so it is a block"}`},
		"PreCompact":       {&block: `{"continue":false,"stopReason":"R"}`, &context: `{"systemMessage":"M\nhookrun: Codex cannot give the model this at PreCompact:\nC\n\nD"}`},
		"Stop":             {&block: `{"decision":"block","reason":"R"}`, &stop: `{"continue":false,"stopReason":"S"}`, &held: `{"decision":"block","reason":"R\n\nC"}`},
		"SubagentStart":    {&block: `{"systemMessage":"hookrun: Codex cannot be held up at SubagentStart: R"}`, &stop: `{"systemMessage":"hookrun: Codex cannot be stopped at SubagentStart: S"}`},
		"Interrupt":        {&block: `{"systemMessage":"hookrun: Codex cannot be held up at Interrupt: R"}`, &context: `{"systemMessage":"M\nhookrun: Codex cannot give the model this at Interrupt:\nC\n\nD"}`},
		"SessionEnd":       {&block: nothing, &context: nothing},
	} {
		wants[&protocol.Outcome{Decision: protocol.Continue}] = nothing
		for o, want := range wants {
			o.Event = event
			got, _, err := codex.Dialect.EncodeOutput(*o)
			require.NoError(t, err)
			require.Equal(t, want, string(got), event)
			v := decideCodex(event, printed(string(got)))
			require.NotEqual(t, protocol.StatusFailed, v.Status, "%s: the client drops it: %q", got, v.Warnings)
			if (o.Decision != protocol.Continue || o.Stop) && event != "SubagentStart" && event != "Interrupt" && event != "SessionEnd" {
				require.True(t, v.Decision == protocol.Block || v.Stop, "%s", got)
			}
		}
	}
	o := protocol.Outcome{Event: "pre-tool", Decision: protocol.Block, Reason: "R"}
	got, _, err := codex.Dialect.EncodeOutput(o)
	require.NoError(t, err)
	require.Contains(t, string(got), `"hookEventName":"PreToolUse"`)
}
