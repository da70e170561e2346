package tenex_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// TestDecisionTable is the README's table for pre-tool.
func TestDecisionTable(t *testing.T) {
	const fallback = "Tool call blocked by project hook 'h'"
	type want struct {
		decision protocol.Decision
		cause    protocol.Cause
		status   string
		reason   string
	}
	goesOn := want{protocol.Continue, "", dialect.StatusOK, ""}
	policy := func(reason string) want {
		return want{protocol.Block, protocol.CausePolicy, dialect.StatusBlocked, reason}
	}
	const words = `; an answer is {"decision": "block" or "approve", "reason": "…"}, or {"hookSpecificOutput": ` +
		`{"permissionDecision": "deny", "ask", "defer" or "allow", "permissionDecisionReason": "…"}}`
	const alone = "; print nothing but the JSON, and all else to stderr"
	silent := func(code int) want { return policy(fmt.Sprintf("%s (exit %d, nothing on stderr)", fallback, code)) }
	unreadable := func(why string) want {
		return want{protocol.Block, protocol.CauseOutput, dialect.StatusBlocked,
			"pre-tool hook 'h' gave an answer that cannot be read: " + why}
	}
	for name, test := range map[string]struct {
		result dialect.HookResult
		want   want
	}{
		"silent":                   {dialecttest.Printed(""), goesOn},
		"blanks":                   {dialecttest.Printed(" \n\t\n"), goesOn},
		"text":                     {dialecttest.Printed("hello"), goesOn},
		"a string is text":         {dialecttest.Printed(`"deny"`), goesOn},
		"JSON without a known key": {dialecttest.Printed(`{"ok":true,"errors":0}`), goesOn},
		"{} says nothing":          {dialecttest.Printed(`{}`), goesOn},
		"deny":                     {dialecttest.Printed(dialecttest.Deny), policy("no pushing")},
		"deny after a BOM":         {dialecttest.Printed("\ufeff" + dialecttest.Deny), policy("no pushing")},
		"deny with an escaped key": {dialecttest.Printed(`{"hookSpecificOutput":{"permission\u0044ecision":"deny"}` +
			`}`), policy(fallback)},
		"deny of another event": {dialecttest.Printed(strings.ReplaceAll(dialecttest.Deny, "PreToolUse", "Stop")),
			policy("no pushing")},
		"legacy block": {dialecttest.Printed(`{"decision":"block","reason":"old"}`), policy("old")},
		"block beats an inner allow": {dialecttest.Printed(`{"decision":"block","reason":"x",` +
			`"hookSpecificOutput":{"permissionDecision":"allow"}}`), policy("x")},
		"deny beats approve": {dialecttest.Printed(`{"decision":"approve",` +
			`"hookSpecificOutput":{"permissionDecision":"deny"}}`), policy(fallback)},
		"ask": {dialecttest.Printed(`{"hookSpecificOutput":{"permissionDecision":"ask"}}`),
			want{protocol.Ask, protocol.CausePolicy, dialect.StatusBlocked,
				"Project hook 'h' asks for confirmation of this tool call"}},
		"defer": {dialecttest.Printed(`{"hookSpecificOutput":{"permissionDecision":"defer",` +
			`"permissionDecisionReason":"later"}}`),
			want{protocol.Defer, protocol.CausePolicy, dialect.StatusBlocked, "later"}},
		"allow": {dialecttest.Printed(`{"hookSpecificOutput":{"permissionDecision":"allow",` +
			`"permissionDecisionReason":"fine"}}`), want{protocol.Continue, protocol.CausePolicy, dialect.StatusOK,
			"fine"}},
		"nulls are absent": {dialecttest.Printed(`{"decision":null,"reason":null,"continue":null,` +
			`"hookSpecificOutput":null}`), goesOn},

		"a brace and no JSON": {dialecttest.Printed(`{deny}`),
			unreadable("line 1, column 2: expected a key in double quotes, found 'd'" + alone)},
		"a JSON that breaks off": {dialecttest.Printed(`{"decision":"approve"`),
			unreadable("line 1, column 22: the document ends too early: '{' of 1:1 is never closed" + alone)},
		"text behind it": {dialecttest.Printed(`{"decision":"approve"} ok`),
			unreadable("line 1, column 24: there is something behind the JSON" + alone)},
		"two answers": {dialecttest.Printed("{}\n{}"),
			unreadable("line 2, column 1: there is something behind the JSON" + alone)},
		"equal keys": {dialecttest.Printed(`{"decision":"block","decision":"approve"}`),
			unreadable(`line 1, column 21: the key "decision" is there twice in one object; keep one`)},
		"no such decision": {dialecttest.Printed(`{"decision":"deny"}`),
			unreadable(`decision "deny" does not exist` + words)},
		"no such permission": {dialecttest.Printed(`{"hookSpecificOutput":{"permissionDecision":"Deny"}}`),
			unreadable(`permissionDecision "Deny" does not exist` + words)},
		"a decision that is true": {dialecttest.Printed(`{"decision":true}`),
			unreadable(`decision must be a string, not true`)},
		"continue as a string": {dialecttest.Printed(`{"continue":"false"}`),
			unreadable(`continue must be true or false, not "false"`)},
		"context as a list": {dialecttest.Printed(`{"hookSpecificOutput":{"additionalContext":["x"]}}`),
			unreadable(`additionalContext must be a string, not ["x"]`)},
		"input as a string": {dialecttest.Printed(`{"hookSpecificOutput":{"updatedInput":"ls"}}`),
			unreadable(`updatedInput must be an object, not "ls"`)},
		"specific as a string": {dialecttest.Printed(`{"hookSpecificOutput":"deny"}`),
			unreadable(`hookSpecificOutput must be an object, not "deny"`)},
		"deny at the wrong level": {dialecttest.Printed(`{"permissionDecision":"deny"}`),
			unreadable(`permissionDecision belongs in hookSpecificOutput`)},
		"half an answer that was cut": {dialect.HookResult{Stdout: dialect.Capture{Head: []byte(`{"decision":`),
			Tail: []byte(`"approve"}`), Total: 3 << 20}},
			unreadable("it is too long: 16 MiB of output is kept")},

		"exit 1":            {dialecttest.Exited(1, "dropped", " why \n"), policy("why")},
		"exit 2, silent":    {dialecttest.Exited(2, "", ""), policy(fallback)},
		"exit 1, silent":    {dialecttest.Exited(1, "dropped", ""), silent(1)},
		"exit 127":          {dialecttest.Exited(127, "", "not found"), policy("not found")},
		"exit 2 and a deny": {dialecttest.Exited(2, dialecttest.Deny, "stderr"), policy("no pushing")},
		"exit 2 and an allow": {dialecttest.Exited(2,
			`{"hookSpecificOutput":{"permissionDecision":"allow","permissionDecisionReason":"fine"}}`, "stderr"),
			policy("stderr")},
		"exit 1 and an ask": {dialecttest.Exited(1,
			`{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"sure?"}}`, ""),
			policy("sure?")},
		"exit 1 and broken JSON": {dialecttest.Exited(1, `{"decision":`, ""), silent(1)},
		"killed": {dialecttest.Killed("SIGKILL", "", ""),
			want{protocol.Block, protocol.CauseSignal, dialect.StatusBlocked,
				fallback + " (killed by SIGKILL, nothing on stderr)"}},
		"killed with a word": {dialecttest.Killed("SIGSEGV", "", "oops\n"),
			want{protocol.Block, protocol.CauseSignal, dialect.StatusBlocked,
				"oops\n(project hook 'h' was killed by SIGSEGV)"}},
		"killed after an allow": {dialecttest.Killed("SIGKILL", `{"decision":"approve"}`, ""),
			want{protocol.Block, protocol.CauseSignal, dialect.StatusBlocked,
				fallback + " (killed by SIGKILL, nothing on stderr)"}},
		"killed after a deny":       {dialecttest.Killed("SIGKILL", dialecttest.Deny, ""), policy("no pushing")},
		"an exit code nobody knows": {dialecttest.Exited(-1, "", ""), policy(fallback)},
		"could not start": {dialect.HookResult{Err: errors.New("./x: no such file")},
			want{protocol.Block, protocol.CauseUnstarted, dialect.StatusUnstarted,
				"pre-tool hook 'h' could not run: ./x: no such file"}},
		"timeout": {dialect.HookResult{TimedOut: true, Limit: 30 * time.Second},
			want{protocol.Continue, protocol.CauseTimeout, dialect.StatusTimeout, ""}},
		"timeout, deny printed": {dialect.HookResult{TimedOut: true, Limit: time.Second,
			Stdout: dialecttest.Printed(dialecttest.Deny).Stdout},
			policy("no pushing (it had not ended after 1s)")},
		"timeout, half a deny printed": {dialect.HookResult{TimedOut: true, Limit: time.Second,
			Stdout: dialecttest.Printed(dialecttest.Deny[:40]).Stdout},
			want{protocol.Continue, protocol.CauseTimeout, dialect.StatusTimeout, ""}},
		"the zero result is silence": {dialect.HookResult{}, goesOn},
	} {
		t.Run(name, func(t *testing.T) {
			for _, event := range []protocol.Event{protocol.PreTool, "PreToolUse"} {
				v := judge(event, test.result)
				require.Equal(t, test.want, want{v.Decision, v.Cause, v.Status, v.Reason})
			}
		})
	}
}

func TestOtherEventsAreNotHeldUpByFailures(t *testing.T) {
	for _, event := range []protocol.Event{protocol.PostTool, protocol.PreExecute} {
		then := "; ignored, the tool already ran"
		if event == protocol.PreExecute {
			then = "; continuing"
		}
		for warning, r := range map[string]dialect.HookResult{
			" exited with 3":                      dialecttest.Exited(3, dialecttest.Deny, "x"),
			" was killed by SIGKILL":              dialecttest.Killed("SIGKILL", dialecttest.Deny, ""),
			" could not run: no":                  {Err: errors.New("no")},
			" timed out after 1s":                 {TimedOut: true, Limit: time.Second},
			" gave an answer that cannot be read": dialecttest.Printed(`{`),
		} {
			v := judge(event, r)
			require.Equal(t, protocol.Continue, v.Decision, warning)
			require.Len(t, v.Warnings, 1)
			require.Contains(t, v.Warnings[0], string(event)+" hook 'h'"+warning)
			require.True(t, strings.HasSuffix(v.Warnings[0], then), v.Warnings[0])
			require.NotEqual(t, dialect.StatusOK, v.Status)
			require.Empty(t, v.Reason)
		}
		v := judge(event, dialecttest.Printed(`{"decision":"block","reason":"look again"}`))
		require.Equal(t, protocol.Block, v.Decision, "what JSON says counts at every event")
		require.Equal(t, "look again", v.Reason)
		require.False(t, judge(event, dialecttest.Printed(`{"decision":"approve"}`)).Approved)
	}
}

func TestAnswersSayMore(t *testing.T) {
	v := judge(protocol.PreTool,
		dialecttest.Printed(`{"continue":false,"stopReason":"done","systemMessage":"hi","suppressOutput":true,
		"hookSpecificOutput":{"additionalContext":"ctx","updatedInput":{"a": [1, 2]},"permissionDecision":"allow"}}`))
	require.True(t, v.Stop)
	require.Equal(t, "done", v.StopReason)
	require.Equal(t, "hi", v.SystemMessage)
	require.Equal(t, "ctx", v.Context)
	require.Equal(t, `{"a":[1,2]}`, string(v.UpdatedInput))
	require.True(t, v.Approved)
	require.Empty(t, v.Warnings)

	v = judge(protocol.PreTool, dialecttest.Exited(2,
		`{"continue":false,"systemMessage":"hi","hookSpecificOutput":{"updatedInput":{}}}`, ""))
	require.Equal(t, protocol.Block, v.Decision)
	require.True(t, v.Stop)
	require.Nil(t, v.UpdatedInput)

	v = judge(protocol.PostTool,
		dialecttest.Printed(`{"hookSpecificOutput":{"updatedInput":{},"updatedToolOutput":{"x": 1}}}`))
	require.Nil(t, v.UpdatedInput)
	require.Equal(t, `{"x":1}`, string(v.UpdatedOutput))
	require.Equal(t,
		[]string{"post-tool hook 'h' answered with updatedInput, which means something at pre-tool only; ignored"},
		v.Warnings)
	v = judge(protocol.PreTool, dialecttest.Printed(`{"hookSpecificOutput":{"updatedToolOutput":1}}`))
	require.Equal(t,
		[]string{"pre-tool hook 'h' answered with updatedToolOutput, which means something at post-tool only; " +
			"ignored"}, v.Warnings)

	v = judge(protocol.PreTool, dialecttest.Printed("checking…\nDEBUG: {\"decision\":\"approve\"}"))
	require.Equal(t, protocol.Continue, v.Decision)
	require.Equal(t,
		[]string{"pre-tool hook 'h' printed text before a JSON answer on line 2, which was therefore not read; print " +
			"nothing but the JSON, and all else to stderr; the call goes on"}, v.Warnings)
	require.Empty(t, judge(protocol.PreTool, dialecttest.Printed("a\n{b}\n{\"c\":1}")).Warnings)
}

// Universal Agent's hooks change the input by a key of their own, which is none here. That must not go unheard.
func TestRewriteInAnotherClientsWords(t *testing.T) {
	for stdout, decision := range map[string]protocol.Decision{
		`{"tool_input":{"command":"ls"}}`:                                     protocol.Block,
		`{"systemMessage":"m","tool_input":{"command":"ls"}}`:                 protocol.Block,
		`{"hook_event_name":"PreToolUse","tool_input":{"command":"ls"}}`:      protocol.Continue,
		`{"hookSpecificOutput":{"updatedInput":{"tool_input":"is its own"}}}`: protocol.Continue,
	} {
		v := judge(protocol.PreTool, dialecttest.Printed(stdout))
		require.Equal(t, decision, v.Decision, stdout)
		if decision == protocol.Block {
			require.Equal(t, protocol.CauseOutput, v.Cause)
			require.Contains(t, v.Reason, `did you mean "updatedInput" in "hookSpecificOutput"?`)
		}
	}
}
