package claude_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/claude"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// oracle is what Claude Code makes of a PreToolUse hook's stdout, read by encoding/json, which knows nothing of
// hookrun.
type oracle struct {
	plain    bool // no object: the client does not look into it
	async    bool
	invalid  bool // an object that fails the client's validation
	decision protocol.Decision
	approved bool
	stop     bool
	top      map[string]json.RawMessage
	specific map[string]json.RawMessage
}

// preToolUse are the fields of an answer and their types, null being none of them.
var (
	topTypes = map[string]string{"continue": "bool", "suppressOutput": "bool", "stopReason": "string",
		"decision": "approve block", "reason": "string", "systemMessage": "string", "terminalSequence": "string",
		"hookSpecificOutput": "object"}
	specificTypes = map[string]string{"hookEventName": "PreToolUse", "permissionDecision": "allow deny ask defer",
		"permissionDecisionReason": "string", "updatedInput": "object", "additionalContext": "string"}
)

func ofType(value json.RawMessage, want string) bool {
	switch value[0] {
	case 't', 'f':
		return want == "bool"
	case '{':
		return want == "object"
	case '"':
		return want == "string" || slices.Contains(strings.Fields(want), dialecttest.StringOf(value))
	}
	return false
}

func readByOracle(stdout string) oracle {
	decoded := dialect.Capture{Head: []byte(stdout), Total: int64(len(stdout))}
	text := strings.Trim(decoded.All(), dialecttest.JsSpace)
	o := oracle{decision: protocol.Continue}
	if !strings.HasPrefix(text, "{") || !strings.HasSuffix(text, "}") {
		o.plain = true
		return o
	}
	// A map tells keys apart by case and keeps the last of equal ones, as the client does; a struct would do neither.
	if json.Unmarshal([]byte(text), &o.top) != nil {
		o.invalid = true
		return o
	}
	decides := o.top["decision"] != nil || o.top["hookSpecificOutput"] != nil || o.top["continue"] != nil
	if dialecttest.Says(o.top["async"], true) && !decides {
		o.async = true
		return o
	}
	for key, want := range topTypes {
		o.invalid = o.invalid || o.top[key] != nil && !ofType(o.top[key], want)
	}
	if object := o.top["hookSpecificOutput"]; object != nil && !o.invalid {
		_ = json.Unmarshal(object, &o.specific)
		o.invalid = o.specific["hookEventName"] == nil
		for key, want := range specificTypes {
			o.invalid = o.invalid || o.specific[key] != nil && !ofType(o.specific[key], want)
		}
	}
	if o.invalid {
		return o
	}
	o.stop = dialecttest.Says(o.top["continue"], false)
	legacy, word := dialecttest.StringOf(o.top["decision"]), dialecttest.StringOf(o.specific["permissionDecision"])
	switch {
	case legacy == "block" || word == "deny":
		o.decision = protocol.Block
	case word == "defer":
		o.decision = protocol.Defer
	case word == "ask":
		o.decision = protocol.Ask
	default:
		o.approved = word == "allow" || legacy == "approve"
	}
	return o
}

// FuzzClaudeJudge holds the judge against the oracle, on the three kinds of exit: 0, 2 which blocks, and all others, on
// which JSON alone counts.
func FuzzClaudeJudge(f *testing.F) {
	const denied = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
		`"permissionDecisionReason":"no","additionalContext":"c"}}`
	for _, s := range []string{
		"", "text", "{}", "{", "{}{}", "null", "[]", denied, denied + " x", "x " + denied, "\ufeff" + denied,
		"\u0085" + denied, "{" + denied + "}", `{"a":1}`,
		strings.Replace(denied, "deny", "ask", 1), strings.Replace(denied, "deny", "defer", 1),
		strings.Replace(denied, "deny", "allow", 1), strings.Replace(denied, "PreToolUse", "Stop", 1),
		`{"decision":"block","reason":"r"}`, `{"decision":"approve","reason":"r"}`, `{"decision":"deny"}`,
		`{"decision":null}`, `{"decision":"block","decision":"approve"}`, `{"\u0064ecision":"block"}`,
		`{"decision":"block","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow",` +
			`"updatedInput":{"a":1}}}`, `{"decision":"approve",` + denied[1:],
		`{"continue":false,"stopReason":"s","systemMessage":"m","suppressOutput":true,"terminalSequence":"\u0007"}`,
		`{"continue":"false"}`, `{"Decision":"block"}`, `{"reason":"\ud800"}`,
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"a": [1e400, ` +
			`null]},"permissionDecision":"ask"}}`, `{"hookSpecificOutput":{}}`, `{"hookSpecificOutput":[]}`,
		`{"async":true}`, `{"async":true,"decision":"block"}`, `{"async":1}`,
		`{"hookSpecificOutput":1,"hookSpecificOutput":{"hookEventName":"PreToolUse"}}`, "{\"reason\":\"\xff\"}",
		`{"continue":false,}`,
	} {
		f.Add(s, uint8(0))
		f.Add(s, uint8(1))
		f.Add(s, uint8(2))
	}
	f.Fuzz(func(t *testing.T, stdout string, exit uint8) {
		if strings.Count(stdout, "[")+strings.Count(stdout, "{") > 9_000 {
			return // depth is limited, and not to the same by all
		}
		r := dialecttest.Exited(int(exit), stdout, "stderr")
		v := decideClaude("PreToolUse", r)
		strict := decideClaude("PreToolUse", r, dialecttest.OnFailure(protocol.Block))
		want := readByOracle(stdout)

		require.False(t, v.Approved && v.Decision != protocol.Continue)
		require.False(t, strict.Approved && strict.Decision != protocol.Continue)
		require.False(t, v.Decision == protocol.Block && v.UpdatedInput != nil)
		require.Equal(t, v.Decision != protocol.Continue, v.Status == dialect.StatusBlocked)
		require.Equal(t, v.Decision != protocol.Continue, v.Reason != "" && !v.Approved,
			"who blocks says why, and nobody else has a reason but he who allows")
		require.LessOrEqual(t, strict.Decision, v.Decision, "a policy that blocks never makes a verdict milder")

		if want.async && v.Status == dialect.StatusFailed {
			return // a misspelt key that decides stands beside it: a reported failure, which is stricter
		}
		if want.async {
			require.Equal(t, dialect.StatusAsync, v.Status)
			require.Equal(t, protocol.Continue, v.Decision)
			require.Len(t, v.Warnings, 1)
			require.Equal(t, protocol.Block, strict.Decision)
			return
		}
		if exit == 2 {
			require.Equal(t, protocol.Block, v.Decision)
			require.Equal(t, protocol.CausePolicy, v.Cause)
			if want.decision != protocol.Block {
				require.Equal(t, "stderr", v.Reason)
			}
			return
		}
		if strings.Contains(v.Problem, "so what it decided is not known") {
			// A key that is misspelt is a failure here, while the client passes over it. What blocks there must block
			// here too.
			require.NotEqual(t, protocol.Block, want.decision)
			want = oracle{invalid: true}
		}
		switch {
		case want.invalid || want.plain && exit != 0:
			require.Equal(t, protocol.Continue, v.Decision)
			require.Equal(t, dialect.StatusFailed, v.Status)
			require.Len(t, v.Warnings, 1)
			require.Equal(t, protocol.Block, strict.Decision)
			require.False(t, v.Approved || v.Stop || v.UpdatedInput != nil || v.Context != "")
			return
		case want.plain:
			require.Equal(t, protocol.Continue, v.Decision)
			require.Equal(t, dialect.StatusOK, v.Status)
			require.False(t, v.Approved || v.Stop || v.UpdatedInput != nil || v.Context != "")
			if len(v.Warnings) > 0 { // it is in doubt
				require.Equal(t, protocol.Block, strict.Decision)
				require.Equal(t, protocol.CauseOutput, strict.Cause)
				return
			}
			require.Equal(t, v, strict)
			return
		}
		require.Equal(t, want.decision, v.Decision)
		require.Equal(t, want.approved, v.Approved)
		require.Equal(t, want.stop, v.Stop)
		require.Equal(t, dialecttest.StringOf(want.top["systemMessage"]), v.SystemMessage)
		require.Equal(t, dialecttest.StringOf(want.specific["additionalContext"]), v.Context)
		if want.stop {
			require.Equal(t, dialecttest.StringOf(want.top["stopReason"]), v.StopReason)
		}
		if reason := dialecttest.StringOf(want.specific["permissionDecisionReason"]); reason != "" &&
			dialecttest.StringOf(want.specific["permissionDecision"]) == "deny" {
			require.Equal(t, reason, v.Reason)
		}
		if input := want.specific["updatedInput"]; input != nil && want.decision != protocol.Block {
			require.Equal(t, dialecttest.Decode(t, input), dialecttest.Decode(t, v.UpdatedInput))
		} else {
			require.Nil(t, v.UpdatedInput)
		}
		if v.Decision == protocol.Continue && len(v.Warnings) > 0 {
			require.Equal(t, protocol.Block, strict.Decision, "what is in doubt is a failure for those who ask for it")
		} else if exit == 0 || want.decision == protocol.Block {
			require.Equal(t, v, strict, "an answer is no failure")
		} else {
			require.Equal(t, protocol.Block, strict.Decision, "whatever else was printed on an exit that is none")
		}
	})
}

// claude judges and settles, as the engine does.
func decideClaude(e protocol.Event, r dialect.HookResult, policies ...dialect.FailurePolicy) dialect.Verdict {
	c := dialecttest.AtEvent(e)
	d := claude.Dialect.Of(e)
	return d.ApplyFailurePolicy(&c, d.Hooks.Decode(&c, "h", &r), policies...)
}
