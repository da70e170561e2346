package protocol_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/tenex"
	"github.com/hookrun/hookrun/protocol"
)

func printed(stdout string) dialect.HookResult {
	return dialect.HookResult{Stdout: dialect.Capture{Head: []byte(stdout), Total: int64(len(stdout))}}
}

func exited(code int, stdout, stderr string) dialect.HookResult {
	r := printed(stdout)
	r.ExitCode = code
	r.Stderr = dialect.Capture{Head: []byte(stderr), Total: int64(len(stderr))}
	return r
}

func killed(signal, stdout, stderr string) dialect.HookResult {
	r := exited(-1, stdout, stderr)
	r.Signal = signal
	return r
}

// judge judges and settles, as the runner does.
func judge(e protocol.Event, r dialect.HookResult, policies ...protocol.FailurePolicy) dialect.Verdict {
	c := protocol.Call{Event: e, Tool: "shell"}
	return tenex.Dialect.ApplyFailurePolicy(&c, tenex.Dialect.Decode(&c, "h", &r), policies...)
}

const deny = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no pushing"}}`

// TestDecisionTable is the README's table for pre-tool.
func TestDecisionTable(t *testing.T) {
	const fallback = "Tool call blocked by project hook 'h'"
	type want struct {
		decision protocol.Decision
		cause    protocol.Cause
		status   protocol.Status
		reason   string
	}
	goesOn := want{protocol.Continue, "", protocol.StatusOK, ""}
	policy := func(reason string) want {
		return want{protocol.Block, protocol.CausePolicy, protocol.StatusBlocked, reason}
	}
	const words = `; an answer is {"decision": "block" or "approve", "reason": "…"}, or {"hookSpecificOutput": {"permissionDecision": "deny", "ask", "defer" or "allow", "permissionDecisionReason": "…"}}`
	const alone = "; print nothing but the JSON, and all else to stderr"
	silent := func(code int) want { return policy(fmt.Sprintf("%s (exit %d, nothing on stderr)", fallback, code)) }
	unreadable := func(why string) want {
		return want{protocol.Block, protocol.CauseOutput, protocol.StatusBlocked, "pre-tool hook 'h' gave an answer that cannot be read: " + why}
	}
	for name, test := range map[string]struct {
		result dialect.HookResult
		want   want
	}{
		"silent":                     {printed(""), goesOn},
		"blanks":                     {printed(" \n\t\n"), goesOn},
		"text":                       {printed("hello"), goesOn},
		"a string is text":           {printed(`"deny"`), goesOn},
		"JSON without a known key":   {printed(`{"ok":true,"errors":0}`), goesOn},
		"{} says nothing":            {printed(`{}`), goesOn},
		"deny":                       {printed(deny), policy("no pushing")},
		"deny after a BOM":           {printed("\ufeff" + deny), policy("no pushing")},
		"deny with an escaped key":   {printed(`{"hookSpecificOutput":{"permission\u0044ecision":"deny"}}`), policy(fallback)},
		"deny of another event":      {printed(strings.ReplaceAll(deny, "PreToolUse", "Stop")), policy("no pushing")},
		"legacy block":               {printed(`{"decision":"block","reason":"old"}`), policy("old")},
		"block beats an inner allow": {printed(`{"decision":"block","reason":"x","hookSpecificOutput":{"permissionDecision":"allow"}}`), policy("x")},
		"deny beats approve":         {printed(`{"decision":"approve","hookSpecificOutput":{"permissionDecision":"deny"}}`), policy(fallback)},
		"ask":                        {printed(`{"hookSpecificOutput":{"permissionDecision":"ask"}}`), want{protocol.Ask, protocol.CausePolicy, protocol.StatusBlocked, "Project hook 'h' asks for confirmation of this tool call"}},
		"defer":                      {printed(`{"hookSpecificOutput":{"permissionDecision":"defer","permissionDecisionReason":"later"}}`), want{protocol.Defer, protocol.CausePolicy, protocol.StatusBlocked, "later"}},
		"allow":                      {printed(`{"hookSpecificOutput":{"permissionDecision":"allow","permissionDecisionReason":"fine"}}`), want{protocol.Continue, protocol.CausePolicy, protocol.StatusOK, "fine"}},
		"nulls are absent":           {printed(`{"decision":null,"reason":null,"continue":null,"hookSpecificOutput":null}`), goesOn},

		"a brace and no JSON":     {printed(`{deny}`), unreadable("line 1, column 2: expected a key in double quotes, found 'd'" + alone)},
		"a JSON that breaks off":  {printed(`{"decision":"approve"`), unreadable("line 1, column 22: the document ends too early: '{' of 1:1 is never closed" + alone)},
		"text behind it":          {printed(`{"decision":"approve"} ok`), unreadable("line 1, column 24: something stands behind the JSON" + alone)},
		"two answers":             {printed("{}\n{}"), unreadable("line 2, column 1: something stands behind the JSON" + alone)},
		"equal keys":              {printed(`{"decision":"block","decision":"approve"}`), unreadable(`line 1, column 21: the key "decision" is there twice in one object; keep one`)},
		"no such decision":        {printed(`{"decision":"deny"}`), unreadable(`decision "deny" does not exist` + words)},
		"no such permission":      {printed(`{"hookSpecificOutput":{"permissionDecision":"Deny"}}`), unreadable(`permissionDecision "Deny" does not exist` + words)},
		"a decision that is true": {printed(`{"decision":true}`), unreadable(`decision must be a string, not true`)},
		"continue as a string":    {printed(`{"continue":"false"}`), unreadable(`continue must be true or false, not "false"`)},
		"context as a list":       {printed(`{"hookSpecificOutput":{"additionalContext":["x"]}}`), unreadable(`additionalContext must be a string, not ["x"]`)},
		"input as a string":       {printed(`{"hookSpecificOutput":{"updatedInput":"ls"}}`), unreadable(`updatedInput must be an object, not "ls"`)},
		"specific as a string":    {printed(`{"hookSpecificOutput":"deny"}`), unreadable(`hookSpecificOutput must be an object, not "deny"`)},
		"deny at the wrong level": {printed(`{"permissionDecision":"deny"}`), unreadable(`permissionDecision belongs in hookSpecificOutput`)},
		"half an answer that was cut": {dialect.HookResult{Stdout: dialect.Capture{Head: []byte(`{"decision":`), Tail: []byte(`"approve"}`), Total: 3 << 20}},
			unreadable("it is too long: 1 MiB of output is kept")},

		"exit 1":                     {exited(1, "dropped", " why \n"), policy("why")},
		"exit 2, silent":             {exited(2, "", ""), policy(fallback)},
		"exit 1, silent":             {exited(1, "dropped", ""), silent(1)},
		"exit 127":                   {exited(127, "", "not found"), policy("not found")},
		"exit 2 and a deny":          {exited(2, deny, "stderr"), policy("no pushing")},
		"exit 2 and an allow":        {exited(2, `{"hookSpecificOutput":{"permissionDecision":"allow","permissionDecisionReason":"fine"}}`, "stderr"), policy("stderr")},
		"exit 1 and an ask":          {exited(1, `{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"sure?"}}`, ""), policy("sure?")},
		"exit 1 and broken JSON":     {exited(1, `{"decision":`, ""), silent(1)},
		"killed":                     {killed("SIGKILL", "", ""), want{protocol.Block, protocol.CauseSignal, protocol.StatusBlocked, fallback}},
		"killed with a word":         {killed("SIGSEGV", "", "oops\n"), want{protocol.Block, protocol.CauseSignal, protocol.StatusBlocked, "oops"}},
		"killed after an allow":      {killed("SIGKILL", `{"decision":"approve"}`, ""), want{protocol.Block, protocol.CauseSignal, protocol.StatusBlocked, fallback}},
		"killed after a deny":        {killed("SIGKILL", deny, ""), policy("no pushing")},
		"an exit code nobody knows":  {exited(-1, "", ""), policy(fallback)},
		"could not start":            {dialect.HookResult{Err: errors.New("./x: no such file")}, want{protocol.Block, protocol.CauseUnstarted, protocol.StatusUnstarted, "pre-tool hook 'h' could not run: ./x: no such file"}},
		"timeout":                    {dialect.HookResult{TimedOut: true, Limit: 30 * time.Second}, want{protocol.Continue, protocol.CauseTimeout, protocol.StatusTimeout, ""}},
		"timeout, deny printed":      {dialect.HookResult{TimedOut: true, Limit: time.Second, Stdout: printed(deny).Stdout}, want{protocol.Continue, protocol.CauseTimeout, protocol.StatusTimeout, ""}},
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
			" exited with 3":                      exited(3, deny, "x"),
			" was killed by SIGKILL":              killed("SIGKILL", deny, ""),
			" could not run: no":                  {Err: errors.New("no")},
			" timed out after 1s":                 {TimedOut: true, Limit: time.Second},
			" gave an answer that cannot be read": printed(`{`),
		} {
			v := judge(event, r)
			require.Equal(t, protocol.Continue, v.Decision, warning)
			require.Len(t, v.Warnings, 1)
			require.Contains(t, v.Warnings[0], string(event)+" hook 'h'"+warning)
			require.True(t, strings.HasSuffix(v.Warnings[0], then), v.Warnings[0])
			require.NotEqual(t, protocol.StatusOK, v.Status)
			require.Empty(t, v.Reason)
		}
		v := judge(event, printed(`{"decision":"block","reason":"look again"}`))
		require.Equal(t, protocol.Block, v.Decision, "what JSON says counts at every event")
		require.Equal(t, "look again", v.Reason)
		require.False(t, judge(event, printed(`{"decision":"approve"}`)).Approved)
	}
}

func TestOnFailure(t *testing.T) {
	results := map[protocol.Cause]dialect.HookResult{
		protocol.CauseSignal:    killed("SIGTERM", "", ""),
		protocol.CauseUnstarted: {Err: errors.New("no")},
		protocol.CauseTimeout:   {TimedOut: true},
		protocol.CauseOutput:    printed("{"),
		protocol.CauseExit:      exited(1, "", ""),
	}
	require.Len(t, results, len(tenex.Dialect.Causes))
	for cause, r := range results {
		for _, event := range protocol.Events() {
			if event == protocol.PreTool && cause == protocol.CauseExit {
				continue // an exit code is an answer there, not a failure
			}
			for _, d := range []protocol.Decision{protocol.Block, protocol.Continue} {
				v := judge(event, r, nil, protocol.FailurePolicy{cause: d})
				require.Equal(t, d, v.Decision)
				require.Equal(t, cause, v.Cause)
				require.Equal(t, d == protocol.Block, v.Reason != "")
				require.Equal(t, d == protocol.Block, len(v.Warnings) == 0)
				first := judge(event, r, protocol.FailurePolicy{cause: d}, protocol.FailurePolicy{cause: protocol.Block - d + protocol.Continue})
				require.Equal(t, d, first.Decision, "the first policy that names the cause counts")
			}
		}
	}
	v := judge(protocol.PreTool, exited(1, "", ""), protocol.FailurePolicy{protocol.CauseExit: protocol.Continue})
	require.Equal(t, protocol.Block, v.Decision, "an exit code is an answer, not a failure")
}

func TestAnswersSayMore(t *testing.T) {
	v := judge(protocol.PreTool, printed(`{"continue":false,"stopReason":"done","systemMessage":"hi","suppressOutput":true,
		"hookSpecificOutput":{"additionalContext":"ctx","updatedInput":{"a": [1, 2]},"permissionDecision":"allow"}}`))
	require.True(t, v.Stop)
	require.Equal(t, "done", v.StopReason)
	require.Equal(t, "hi", v.SystemMessage)
	require.Equal(t, "ctx", v.Context)
	require.Equal(t, `{"a":[1,2]}`, string(v.UpdatedInput))
	require.True(t, v.Approved)
	require.Empty(t, v.Warnings)

	v = judge(protocol.PreTool, exited(2, `{"continue":false,"systemMessage":"hi","hookSpecificOutput":{"updatedInput":{}}}`, ""))
	require.Equal(t, protocol.Block, v.Decision)
	require.True(t, v.Stop)
	require.Nil(t, v.UpdatedInput)

	v = judge(protocol.PostTool, printed(`{"hookSpecificOutput":{"updatedInput":{},"updatedToolOutput":{"x": 1}}}`))
	require.Nil(t, v.UpdatedInput)
	require.Equal(t, `{"x":1}`, string(v.UpdatedOutput))
	require.Equal(t, []string{"post-tool hook 'h' answered with updatedInput, which means something at pre-tool only; ignored"}, v.Warnings)
	v = judge(protocol.PreTool, printed(`{"hookSpecificOutput":{"updatedToolOutput":1}}`))
	require.Equal(t, []string{"pre-tool hook 'h' answered with updatedToolOutput, which means something at post-tool only; ignored"}, v.Warnings)

	v = judge(protocol.PreTool, printed("checking…\nDEBUG: "+deny))
	require.Equal(t, protocol.Continue, v.Decision)
	require.Equal(t, []string{"pre-tool hook 'h' printed text before a JSON answer on line 2, which was therefore not read; print nothing but the JSON, and all else to stderr; the call goes on"}, v.Warnings)
	require.Empty(t, judge(protocol.PreTool, printed("a\n{b}\n{\"c\":1}")).Warnings)
}

func TestTenexPayload(t *testing.T) {
	c := protocol.Call{
		Event: "PostToolUse", Workspace: "/w", SessionID: "s", Prompt: `say "<hi>" & é`, Tool: "shell",
		Args: ` { "command" : "a\u0062" , "n": 1e400 } `, Result: "line\n\x00\xff", ToolUseID: "t1", AgentID: "a1", TranscriptPath: "/t",
	}
	const common = `"session_id":"s","cwd":"/w","transcript_path":"/t","prompt":"say \"<hi>\" & é","agent_id":"a1",`
	const args, result = `{"command":"ab","n":1e400}`, `"line\n\u0000�"`
	encode := func() string {
		p, warnings, err := tenex.Dialect.EncodeInput(&c)
		require.NoError(t, err)
		require.Empty(t, warnings)
		return string(p.Bytes())
	}
	require.Equal(t, `{"event":"post-tool","tool":"shell","args":`+args+`,"result":`+result+`,`+common+
		`"hook_event_name":"PostToolUse","tool_name":"shell","tool_input":`+args+`,"tool_response":`+result+`,"tool_use_id":"t1"}`+"\n", encode())
	c.Failed = true
	require.Contains(t, encode(), `"hook_event_name":"PostToolUseFailure","error":`+result+`,"tool_name"`)
	c.Event = protocol.PreTool
	require.Equal(t, `{"event":"pre-tool","tool":"shell","args":`+args+`,`+common+
		`"hook_event_name":"PreToolUse","tool_name":"shell","tool_input":`+args+`,"tool_use_id":"t1"}`+"\n", encode())
	c = protocol.Call{Event: protocol.PreExecute}
	require.Equal(t, `{"event":"pre-execute","session_id":"","cwd":"","transcript_path":null,"prompt":"","hook_event_name":"UserPromptSubmit"}`+"\n", encode())
}

func TestInput(t *testing.T) {
	for args, want := range map[string]string{
		"":                              `{}`,
		" \n":                           `{}`,
		"not json":                      `"not json"`,
		`{"a":`:                         `"{\"a\":"`,
		"[1, 2]":                        `[1,2]`,
		"12":                            `12`,
		"null":                          `null`,
		"\"\xff\"":                      "\"\ufffd\"",
		`{"n":12345678901234567890.10}`: `{"n":12345678901234567890.10}`,
		`{"b":1,"a":"x","b":{"c":2}}`:   `{"a":"x","b":{"c":2}}`,
		`{"b":1,"b":"\u2028\b"}`:        "{\"b\":\"\u2028\\b\"}",
		`{"b":1,"\u0062":"<&>"}`:        `{"b":"<&>"}`,
	} {
		c := protocol.Call{Tool: "t", Args: args}
		got, warnings, err := c.Input()
		require.NoError(t, err)
		require.Equal(t, want, string(got), args)
		require.Equal(t, strings.Count(args, "b\":")+strings.Count(args, "62\":") > 1, len(warnings) == 1, args)
	}
	c := protocol.Call{Args: strings.Repeat("[", 10_000)}
	_, _, err := c.Input()
	require.ErrorContains(t, err, "nested more than 9999 deep")
}

// Universal Agent's hooks change the input by a key of their own, which is none here. That must not go unheard.
func TestRewriteInAnotherClientsWords(t *testing.T) {
	for stdout, decision := range map[string]protocol.Decision{
		`{"tool_input":{"command":"ls"}}`:                                     protocol.Block,
		`{"systemMessage":"m","tool_input":{"command":"ls"}}`:                 protocol.Block,
		`{"hook_event_name":"PreToolUse","tool_input":{"command":"ls"}}`:      protocol.Continue,
		`{"hookSpecificOutput":{"updatedInput":{"tool_input":"is its own"}}}`: protocol.Continue,
	} {
		v := judge(protocol.PreTool, printed(stdout))
		require.Equal(t, decision, v.Decision, stdout)
		if decision == protocol.Block {
			require.Equal(t, protocol.CauseOutput, v.Cause)
			require.Contains(t, v.Reason, `did you mean "updatedInput" in "hookSpecificOutput"?`)
		}
	}
}
