package claude_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/claude"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

func asks(d protocol.Decision, reason string) dialect.Verdict {
	v := dialecttest.Blocked(reason)
	v.Decision = d
	return v
}

func posted(failure protocol.Cause, body, why string) dialect.HookResult {
	r := dialecttest.Exited(0, body, "")
	r.HTTP = &dialect.HTTPResult{Failure: failure, Why: why}
	return r
}

// TestClaudeAtPreToolUse holds whole verdicts against what the real client was seen to do.
func TestClaudeAtPreToolUse(t *testing.T) {
	stop := func(v dialect.Verdict, reason string) dialect.Verdict {
		return dialecttest.And(v, func(v *dialect.Verdict) { v.Stop, v.StopReason = true, reason })
	}
	context := func(v dialect.Verdict, text string) dialect.Verdict {
		return dialecttest.And(v, func(v *dialect.Verdict) { v.Context = text })
	}
	message := func(v dialect.Verdict, text string) dialect.Verdict {
		return dialecttest.And(v, func(v *dialect.Verdict) { v.SystemMessage = text })
	}
	update := func(v dialect.Verdict, input string) dialect.Verdict {
		return dialecttest.And(v, func(v *dialect.Verdict) { v.UpdatedInput = []byte(input) })
	}
	failed := func(cause protocol.Cause) dialect.Verdict {
		return dialect.Verdict{Decision: protocol.Continue, Cause: cause, Status: dialect.StatusFailed}
	}
	const around = "printed text around a JSON answer"
	denied := dialecttest.Pre(`"permissionDecision":"deny","permissionDecisionReason":"no pushing"`)
	allowed := dialecttest.Pre(`"permissionDecision":"allow"`)
	for name, test := range map[string]struct {
		result  dialect.HookResult
		want    dialect.Verdict
		warning string // a part of the one that is there; "": there is none
	}{
		// Exit codes.
		"silence":      {dialecttest.Printed(""), dialecttest.Passes(), ""},
		"text":         {dialecttest.Printed("hello\n"), dialecttest.Passes(), ""},
		"stderr and 0": {dialecttest.Exited(0, "", "note"), dialecttest.Passes(), ""},
		"2":            {dialecttest.Exited(2, "", "no way"), dialecttest.Blocked("no way"), ""},
		"2, stderr is not trimmed": {dialecttest.Exited(2, "", "  line one\n\nline two  \n\n"),
			dialecttest.Blocked("  line one\n\nline two  \n\n"), ""},
		"2, silent": {dialecttest.Exited(2, "", ""), dialecttest.Blocked("No stderr output"), ""},
		"2, stdout is not used": {dialecttest.Exited(2, "said on stdout", ""),
			dialecttest.Blocked("No stderr output"), ""},
		"2, stderr no UTF-8": {dialecttest.Exited(2, "", "bytes \xff\xfe end"),
			dialecttest.Blocked("bytes \ufffd\ufffd end"), ""},
		"1": {dialecttest.Exited(1, "", "oops"), failed(protocol.CauseExit),
			"PreToolUse hook 'h' exited with 1; continuing"},
		"1, text": {dialecttest.Exited(1, "on stdout", ""), failed(protocol.CauseExit),
			"exited with 1"},
		"3":   {dialecttest.Exited(3, "", ""), failed(protocol.CauseExit), "exited with 3"},
		"126": {dialecttest.Exited(126, "", ""), failed(protocol.CauseExit), "exited with 126"},
		"127": {dialecttest.Exited(127, "", "not found"), failed(protocol.CauseExit),
			"exited with 127"},
		"137": {dialecttest.Exited(137, "", ""), failed(protocol.CauseExit), "exited with 137"},
		"255": {dialecttest.Exited(255, "", ""), failed(protocol.CauseExit), "exited with 255"},
		"a signal": {dialecttest.Killed("SIGKILL", "", "before"), failed(protocol.CauseSignal),
			"PreToolUse hook 'h' was killed by SIGKILL; continuing"},
		"a signal and text": {dialecttest.Killed("SIGTERM", "text", ""), failed(protocol.CauseSignal),
			"was killed by SIGTERM"},
		"no start": {dialect.HookResult{Err: errors.New("./x: no such file")},
			dialecttest.And(failed(protocol.CauseUnstarted), func(v *dialect.Verdict) {
				v.Status = dialect.StatusUnstarted
			}), "could not run: ./x: no such file"},
		"a deadline, whatever was printed": {dialect.HookResult{TimedOut: true, Limit: time.Second, ExitCode: 2,
			Stdout: dialecttest.Printed(denied).Stdout, Stderr: dialecttest.Printed("x").Stdout},
			dialecttest.And(failed(protocol.CauseTimeout), func(v *dialect.Verdict) {
				v.Status = dialect.StatusTimeout
			}), "timed out after 1s"},

		// What counts as JSON.
		"deny": {dialecttest.Printed(denied), dialecttest.Blocked("no pushing"), ""},
		"white space around": {dialecttest.Printed(" \n\t" + denied + "\r\n"),
			dialecttest.Blocked("no pushing"), ""},
		"a BOM": {dialecttest.Printed("\ufeff" + denied), dialecttest.Blocked("no pushing"), ""},
		"a BOM among blanks": {dialecttest.Printed("\n \ufeff\u00a0" + denied + "\u2028\ufeff"),
			dialecttest.Blocked("no pushing"), ""},
		"no UTF-8": {dialecttest.Printed(strings.Replace(denied, "no", "\xff", 1)),
			dialecttest.Blocked("\ufffd pushing"), ""},
		"{}": {dialecttest.Printed("{}"), dialecttest.Passes(), ""},
		"unknown keys": {
			dialecttest.Printed(`{"bogus":1,"hookSpecificOutput":{"x":{"permissionDecision":"allow"},` +
				`"hookEventName":"PreToolUse","permissionDecision":"deny"}}`), dialecttest.Blocked("Blocked by hook"),
			""},
		"keys with escapes": {
			dialecttest.Printed(`{"hookSpecific\u004futput":{"hookEventName":"Pre\u0054oolUse",` +
				`"permission\u0044ecision":"den\u0079"}}`), dialecttest.Blocked("Blocked by hook"), ""},
		"NEL is no white space": {dialecttest.Printed(denied + "\u0085"), dialecttest.Passes(), around},
		"text before":           {dialecttest.Printed("log\n" + denied), dialecttest.Passes(), around},
		"text behind":           {dialecttest.Printed(denied + " trailing"), dialecttest.Passes(), around},
		"a comment behind":      {dialecttest.Printed(`{"decision":"block"} // no`), dialecttest.Passes(), around},
		"an array":              {dialecttest.Printed("[" + denied + "]"), dialecttest.Passes(), around},
		"a string":              {dialecttest.Printed(`"deny"`), dialecttest.Passes(), ""},
		"a number":              {dialecttest.Printed("42"), dialecttest.Passes(), ""},
		"null":                  {dialecttest.Printed("null"), dialecttest.Passes(), ""},
		"JSON that breaks off":  {dialecttest.Printed(`{"decision":"block"`), dialecttest.Passes(), around},
		"a brace alone": {dialecttest.Printed("{"), dialecttest.Passes(),
			"it begins with { and is no JSON"},
		"JSON on stderr": {dialecttest.Exited(0, "", denied), dialecttest.Passes(), ""},
		"braces around text": {dialecttest.Printed("{not json}"), failed(protocol.CauseOutput),
			"gave an answer that cannot be read: line 1, column 2"},
		"single quotes": {dialecttest.Printed(`{'continue':false}`), failed(protocol.CauseOutput),
			"cannot be read"},
		"a comma at the end": {dialecttest.Printed(`{"continue":false,}`), failed(protocol.CauseOutput),
			"cannot be read"},
		"two objects": {dialecttest.Printed("{}\n" + denied), failed(protocol.CauseOutput),
			"line 2, column 1"},
		"NUL in a string": {dialecttest.Printed("{\"systemMessage\":\"a\x00b\"}"),
			failed(protocol.CauseOutput), "cannot be read"},
		"a JSON that was cut": {dialect.HookResult{Stdout: dialect.Capture{Head: []byte(`{"decision":`),
			Tail: []byte(`"approve"}`), Total: 3 << 20}}, failed(protocol.CauseOutput), "it is too long"},
		"braces around text, exit 1": {dialecttest.Exited(1, "{not json}", "err"), failed(protocol.CauseOutput),
			"cannot be read"},
		"braces around text, exit 2": {dialecttest.Exited(2, "{not json}", "err"), dialecttest.Blocked("err"), ""},

		// Of equal keys the last counts.
		"deny, then allow": {dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"deny",` +
			`"permissionDecision":"allow"`)), dialecttest.Approved(""), `has "permissionDecision" twice in its answer`},
		"allow, then deny": {dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"allow",` +
			`"permission\u0044ecision":"deny"`)), dialecttest.Blocked("Blocked by hook"), ""},
		"a wrong type, then not": {dialecttest.Printed(`{"continue":"no","continue":false}`),
			stop(dialecttest.Passes(), ""), `has "continue" twice in its answer`},
		"two objects of a name": {dialecttest.Printed(`{"hookSpecificOutput":"x",` + denied[1:]),
			dialecttest.Blocked("no pushing"), ""},

		// Types are not converted, and null is none of them.
		"continue as a string": {dialecttest.Printed(`{"continue":"false"}`), failed(protocol.CauseOutput),
			`continue must be true or false, not "false"`},
		"continue null": {dialecttest.Printed(`{"continue":null}`), failed(protocol.CauseOutput),
			"continue must be true or false, not null"},
		"suppressOutput 0": {dialecttest.Printed(`{"suppressOutput":0}`), failed(protocol.CauseOutput),
			"suppressOutput must be true or false"},
		"stopReason 1": {dialecttest.Printed(`{"stopReason":1}`), failed(protocol.CauseOutput),
			"stopReason must be a string"},
		"reason beside a block": {dialecttest.Printed(`{"decision":"block","reason":["x"]}`),
			failed(protocol.CauseOutput), "reason must be a string"},
		"systemMessage null": {dialecttest.Printed(`{"systemMessage":null}`), failed(protocol.CauseOutput),
			"systemMessage must be a string, not null"},
		"terminalSequence true": {dialecttest.Printed(`{"terminalSequence":true}`), failed(protocol.CauseOutput),
			"terminalSequence must be a string"},
		"specific null": {dialecttest.Printed(`{"hookSpecificOutput":null}`), failed(protocol.CauseOutput),
			"hookSpecificOutput must be an object"},
		"specific as a string": {dialecttest.Printed(`{"hookSpecificOutput":"deny"}`), failed(protocol.CauseOutput),
			"hookSpecificOutput must be an object"},
		"permission null": {dialecttest.Printed(dialecttest.Pre(`"permissionDecision":null`)),
			failed(protocol.CauseOutput), "permissionDecision must be"},
		"permission true": {dialecttest.Printed(dialecttest.Pre(`"permissionDecision":true`)),
			failed(protocol.CauseOutput), "permissionDecision must be"},
		"permission maybe": {dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"maybe"`)),
			failed(protocol.CauseOutput), `"maybe"`},
		"permission Deny": {dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"Deny"`)),
			failed(protocol.CauseOutput), `"Deny"`},
		"permission block": {dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"block"`)),
			failed(protocol.CauseOutput), `"block"`},
		"its reason 42": {dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"deny",` +
			`"permissionDecisionReason":42`)), failed(protocol.CauseOutput),
			"permissionDecisionReason must be a string"},
		"context as a list": {dialecttest.Printed(dialecttest.Pre(`"additionalContext":["a"]`)),
			failed(protocol.CauseOutput), "additionalContext must be a string"},
		"updatedInput null": {dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"allow",` +
			`"updatedInput":null`)), failed(protocol.CauseOutput), "updatedInput must be an object"},
		"updatedInput a string": {dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"allow",` +
			`"updatedInput":"echo hi"`)), failed(protocol.CauseOutput), "updatedInput must be an object"},
		"updatedInput a list": {dialecttest.Printed(dialecttest.Pre(`"updatedInput":[]`)),
			failed(protocol.CauseOutput), "updatedInput must be an object"},
		"a type is wrong, exit 2": {dialecttest.Exited(2, dialecttest.Pre(`"permissionDecision":"maybe"`), "err"),
			dialecttest.Blocked("err"), ""},
		"a type is wrong, exit 1": {dialecttest.Exited(1, dialecttest.Pre(`"permissionDecision":"maybe"`), "err"),
			failed(protocol.CauseOutput), `"maybe"`},

		// The event must be named, and be this one.
		"no event": {dialecttest.Printed(dialecttest.Specific(`"permissionDecision":"deny"`)),
			failed(protocol.CauseOutput), "hookSpecificOutput has no hookEventName"},
		"another event": {dialecttest.Printed(dialecttest.Answers("PostToolUse",
			`"permissionDecision":"deny"`)), failed(protocol.CauseOutput),
			`hookEventName must be "PreToolUse", not "PostToolUse"`},
		"an unknown one": {dialecttest.Printed(dialecttest.Answers("Nope", `"permissionDecision":"deny"`)),
			failed(protocol.CauseOutput), `not "Nope"`},
		"in another case": {dialecttest.Printed(dialecttest.Answers("preToolUse",
			`"permissionDecision":"deny"`)), failed(protocol.CauseOutput), `not "preToolUse"`},
		"TENEX's name": {dialecttest.Printed(dialecttest.Answers("pre-tool", `"permissionDecision":"deny"`)),
			failed(protocol.CauseOutput), `not "pre-tool"`},
		"the event as a number": {dialecttest.Printed(dialecttest.Specific(`"hookEventName":1`)),
			failed(protocol.CauseOutput), "not 1"},
		"another, exit 2": {dialecttest.Exited(2, dialecttest.Answers("PostToolUse", `"additionalContext":"x"`),
			"err"), dialecttest.Blocked("err"), ""},

		// Decisions.
		"deny without a reason": {dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"deny"`)),
			dialecttest.Blocked("Blocked by hook"), ""},
		"deny, empty reason": {dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"deny",` +
			`"permissionDecisionReason":""`)), dialecttest.Blocked("Blocked by hook"), ""},
		"deny, blank reason": {dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"deny",` +
			`"permissionDecisionReason":"  \n "`)), dialecttest.Blocked("  \n "), ""},
		"deny, an outer reason": {dialecttest.Printed(`{"reason":"outer",` + denied[1:]),
			dialecttest.Blocked("no pushing"), ""},
		"deny in colour": {dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"deny",` +
			`"permissionDecisionReason":"\u001b[31mred"`)), dialecttest.Blocked("\x1b[31mred"), ""},
		"deny, half a character": {dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"deny",` +
			`"permissionDecisionReason":"\ud800\u0041"`)), dialecttest.Blocked("\ufffdA"), ""},
		"allow": {dialecttest.Printed(allowed), dialecttest.Approved(""), ""},
		"allow with a reason": {dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"allow",` +
			`"permissionDecisionReason":"fine"`)), dialecttest.Approved("fine"), ""},
		"ask": {dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"ask",` +
			`"permissionDecisionReason":"sure?"`)), asks(protocol.Ask, "sure?"), ""},
		"ask without a reason": {dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"ask"`)),
			asks(protocol.Ask, "Hook PreToolUse:Bash asked for confirmation for this tool"), ""},
		"defer": {dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"defer",` +
			`"permissionDecisionReason":"later"`)), asks(protocol.Defer, "later"), ""},
		"legacy block": {dialecttest.Printed(`{"decision":"block","reason":"old"}`),
			dialecttest.Blocked("old"), ""},
		"legacy block, no reason": {dialecttest.Printed(`{"decision":"block"}`),
			dialecttest.Blocked("Blocked by hook"), ""},
		"legacy approve": {dialecttest.Printed(`{"decision":"approve","reason":"legacy ok"}`),
			dialecttest.Approved("legacy ok"), ""},
		"block beats inner allow": {dialecttest.Printed(`{"decision":"block","reason":"legacy no",` +
			dialecttest.Pre(`"permissionDecision":"allow","permissionDecisionReason":"new yes"`)[1:]),
			dialecttest.Blocked("legacy no"), ""},
		"block beats inner ask": {dialecttest.Printed(`{"decision":"block","reason":"legacy no",` +
			dialecttest.Pre(`"permissionDecision":"ask"`)[1:]), dialecttest.Blocked("legacy no"), ""},
		"inner deny beats approve": {dialecttest.Printed(`{"decision":"approve",` + denied[1:]),
			dialecttest.Blocked("no pushing"), ""},
		"inner ask beats approve": {dialecttest.Printed(`{"decision":"approve",` +
			dialecttest.Pre(`"permissionDecision":"ask","permissionDecisionReason":"sure?"`)[1:]),
			asks(protocol.Ask, "sure?"), ""},
		"inner defer beats approve": {dialecttest.Printed(`{"decision":"approve",` +
			dialecttest.Pre(`"permissionDecision":"defer","permissionDecisionReason":"later"`)[1:]),
			asks(protocol.Defer, "later"), ""},
		"legacy deny": {dialecttest.Printed(`{"decision":"deny","reason":"x"}`),
			failed(protocol.CauseOutput), `decision must be "approve" or "block", not "deny"`},
		"legacy allow": {dialecttest.Printed(`{"decision":"allow"}`), failed(protocol.CauseOutput),
			`not "allow"`},
		"legacy null": {dialecttest.Printed(`{"decision":null}`), failed(protocol.CauseOutput),
			"not null"},

		// A key that decides and is misspelt the client passes over; hookrun reports it.
		"Decision": {dialecttest.Printed(`{"Decision":"block"}`), failed(protocol.CauseOutput),
			`it has "Decision" for "decision", so what it decided is not known`},
		"continu": {dialecttest.Printed(`{"continu":false}`), failed(protocol.CauseOutput),
			`"continu" for "continue"`},
		"hook_specific_output": {dialecttest.Printed(`{"hook_specific_output":{}}`), failed(protocol.CauseOutput),
			`for "hookSpecificOutput"`},
		"permisionDecison": {dialecttest.Exited(1, dialecttest.Pre(`"permisionDecison":"deny"`), ""),
			failed(protocol.CauseOutput), `for "permissionDecision"`},
		"permisionDecison, exit 2": {dialecttest.Exited(2, dialecttest.Pre(`"permisionDecison":"deny"`), "err"),
			dialecttest.Blocked("err"), ""},
		"three letters": {dialecttest.Printed(`{"dcsn":"block"}`), dialecttest.Passes(), ""},
		"a reason is misspelt": {dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"deny",` +
			`"permissionDecisionReson":"x"`)), dialecttest.Blocked("Blocked by hook"), ""},

		// Everything else.
		"permission at the top": {dialecttest.Printed(`{"permissionDecision":"deny"}`), dialecttest.Passes(),
			"belongs in hookSpecificOutput"},
		"context at the top": {dialecttest.Printed(`{"additionalContext":"x"}`), dialecttest.Passes(), ""},
		"update at the top": {dialecttest.Printed(`{"updatedInput":{"command":"x"}}`), dialecttest.Passes(),
			"belongs in hookSpecificOutput"},
		"update alone": {dialecttest.Printed(dialecttest.Pre(`"updatedInput":{"command": "x"}`)),
			update(dialecttest.Passes(), `{"command":"x"}`), ""},
		"update with allow": {dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"allow",` +
			`"updatedInput":{}`)), update(dialecttest.Approved(""), `{}`), ""},
		"update with ask": {dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"ask",` +
			`"permissionDecisionReason":"q","updatedInput":{"a":[1,null]}`)),
			update(asks(protocol.Ask, "q"), `{"a":[1,null]}`), ""},
		"update with deny": {dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"deny",` +
			`"updatedInput":{"a":1}`)), dialecttest.Blocked("Blocked by hook"), ""},
		"update with legacy block": {dialecttest.Printed(`{"decision":"block",` +
			dialecttest.Pre(`"updatedInput":{"a":1}`)[1:]), dialecttest.Blocked("Blocked by hook"), ""},
		"update with approve": {dialecttest.Printed(`{"decision":"approve",` +
			dialecttest.Pre(`"updatedInput":{"a":1}`)[1:]), update(dialecttest.Approved(""), `{"a":1}`), ""},
		"context is not trimmed": {dialecttest.Printed(dialecttest.Pre(`"additionalContext":" café\n"`)),
			context(dialecttest.Passes(), " café\n"), ""},
		"context with deny": {dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"deny",` +
			`"additionalContext":"why"`)), context(dialecttest.Blocked("Blocked by hook"), "why"), ""},
		"context with ask": {dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"ask",` +
			`"permissionDecisionReason":"q","additionalContext":"why"`)), context(asks(protocol.Ask, "q"), "why"), ""},
		"empty context": {dialecttest.Printed(dialecttest.Pre(`"additionalContext":""`)),
			dialecttest.Passes(), ""},
		"continue false": {dialecttest.Printed(`{"continue":false,"stopReason":"done"}`),
			stop(dialecttest.Passes(), "done"), ""},
		"continue false alone": {dialecttest.Printed(`{"continue":false}`), stop(dialecttest.Passes(), ""), ""},
		"continue false and allow": {dialecttest.Printed(`{"continue":false,"stopReason":"done",` + allowed[1:]),
			stop(dialecttest.Approved(""), "done"), ""},
		"continue false and deny": {dialecttest.Printed(`{"continue":false,"stopReason":"done",` + denied[1:]),
			stop(dialecttest.Blocked("no pushing"), "done"), ""},
		"continue true": {dialecttest.Printed(`{"continue":true,"stopReason":"ignored"}`),
			dialecttest.Passes(), ""},
		"stopReason alone": {dialecttest.Printed(`{"stopReason":"alone"}`), dialecttest.Passes(),
			"it has a stopReason and does not stop"},
		"suppressOutput": {dialecttest.Printed(`{"suppressOutput":true}`), dialecttest.Passes(), ""},
		"systemMessage": {dialecttest.Printed(`{"systemMessage":"m"}`), message(dialecttest.Passes(), "m"),
			""},
		"systemMessage and deny": {dialecttest.Printed(`{"systemMessage":"m",` + denied[1:]),
			message(dialecttest.Blocked("no pushing"), "m"), ""},

		// JSON is read on every exit: on any but 0 and 2 it alone counts, 2 blocks whatever it says.
		"1 and deny": {dialecttest.Exited(1, denied, "stderr"), dialecttest.Blocked("no pushing"), ""},
		"127 and deny": {dialecttest.Exited(127, denied, "stderr"), dialecttest.Blocked("no pushing"),
			""},
		"1 and legacy block": {dialecttest.Exited(1, `{"decision":"block","reason":"old"}`, ""),
			dialecttest.Blocked("old"), ""},
		"1 and allow": {dialecttest.Exited(1, allowed, "stderr"), dialecttest.Approved(""), ""},
		"1 and ask": {dialecttest.Exited(1,
			dialecttest.Pre(`"permissionDecision":"ask","permissionDecisionReason":"q"`), ""), asks(protocol.Ask, "q"),
			""},
		"1 and {}": {dialecttest.Exited(1, "{}", "stderr"), dialecttest.Passes(), ""},
		"1, update and context": {dialecttest.Exited(1,
			dialecttest.Pre(`"updatedInput":{"a":1},"additionalContext":"c"`), ""),
			context(update(dialecttest.Passes(), `{"a":1}`), "c"), ""},
		"1 and continue false": {dialecttest.Exited(1, `{"continue":false}`, ""), stop(dialecttest.Passes(), ""),
			""},
		"a signal and deny": {dialecttest.Killed("SIGKILL", denied, ""), dialecttest.Blocked("no pushing"),
			""},
		"a signal and allow": {dialecttest.Killed("SIGKILL", allowed, ""), dialecttest.Approved(""), ""},
		"2 and deny":         {dialecttest.Exited(2, denied, "stderr"), dialecttest.Blocked("no pushing"), ""},
		"2 and legacy block": {dialecttest.Exited(2, `{"decision":"block","reason":"old"}`, "stderr"),
			dialecttest.Blocked("old"), ""},
		"2 and allow": {dialecttest.Exited(2,
			dialecttest.Pre(`"permissionDecision":"allow","permissionDecisionReason":"fine"`), "stderr"),
			dialecttest.Blocked("stderr"), ""},
		"2 and allow, silent": {dialecttest.Exited(2, allowed, ""), dialecttest.Blocked("No stderr output"), ""},
		"2 and ask": {dialecttest.Exited(2,
			dialecttest.Pre(`"permissionDecision":"ask","permissionDecisionReason":"q"`), "stderr"),
			dialecttest.Blocked("stderr"), ""},
		"2 and defer": {dialecttest.Exited(2, dialecttest.Pre(`"permissionDecision":"defer"`),
			"stderr"), dialecttest.Blocked("stderr"), ""},
		"2 and approve": {dialecttest.Exited(2, `{"decision":"approve","reason":"yes"}`, "stderr"),
			dialecttest.Blocked("stderr"), ""},
		"2 and an update": {dialecttest.Exited(2,
			dialecttest.Pre(`"permissionDecision":"allow","updatedInput":{"a":1}`), "stderr"),
			dialecttest.Blocked("stderr"), ""},
		"2 and context": {dialecttest.Exited(2, dialecttest.Pre(`"additionalContext":"c"`), "stderr"),
			context(dialecttest.Blocked("stderr"), "c"), ""},
		"2 and a message": {dialecttest.Exited(2, `{"systemMessage":"m"}`, "stderr"),
			message(dialecttest.Blocked("stderr"), "m"), ""},
		"2 and continue false": {dialecttest.Exited(2, `{"continue":false,"stopReason":"halt"}`, "stderr"),
			stop(dialecttest.Blocked("stderr"), "halt"), ""},
		"2 and {}": {dialecttest.Exited(2, "{}", "stderr"), dialecttest.Blocked("stderr"), ""},
		"2 and JSON that breaks off": {dialecttest.Exited(2, `{"decision":"approve"`, "stderr"),
			dialecttest.Blocked("stderr"), ""},

		// Nobody waits.
		"async": {dialect.HookResult{Async: true, ExitCode: 2,
			Stdout: dialecttest.Printed(denied).Stdout},
			dialecttest.And(dialecttest.Passes(), func(v *dialect.Verdict) { v.Status = dialect.StatusAsync }), ""},
		"async by output": {dialecttest.Printed(`{"async":true}`),
			dialecttest.And(failed(protocol.CauseOutput), func(v *dialect.Verdict) {
				v.Status = dialect.StatusAsync
			}), "went async by its own first line"},
		"async by output, exit 2": {dialecttest.Exited(2, `{"async":true}`, "x"),
			dialecttest.And(failed(protocol.CauseOutput), func(v *dialect.Verdict) {
				v.Status = dialect.StatusAsync
			}), "went async by its own first line"},
		"async by its first line": {dialect.HookResult{Async: true, WentAsync: true},
			dialecttest.And(failed(protocol.CauseOutput), func(v *dialect.Verdict) {
				v.Status = dialect.StatusAsync
			}), "went async by its own first line"},
		"async beside a deny": {dialecttest.Printed(`{"async":true,` + denied[1:]),
			dialecttest.Blocked("no pushing"), ""},
		"async beside a block": {dialecttest.Printed(`{"async":true,"d\u0065cision":"block"}`),
			dialecttest.Blocked("Blocked by hook"), ""},
		"async beside a stop": {dialecttest.Printed(`{"async":true,"continue":false}`),
			stop(dialecttest.Passes(), ""), ""},
		"async as a word": {dialecttest.Printed(`{"async":"true"}`), dialecttest.Passes(), ""},
		"async false":     {dialecttest.Printed(`{"async":false}`), dialecttest.Passes(), ""},

		// A POST: its body must be an answer, and what went wrong on the way is a failure.
		"a body":             {posted("", denied, ""), dialecttest.Blocked("no pushing"), ""},
		"a body that allows": {posted("", allowed, ""), dialecttest.Approved(""), ""},
		"an empty body":      {posted("", " \n", ""), dialecttest.Passes(), ""},
		"a body of text": {posted("", "OK", ""), failed(protocol.CauseOutput),
			"answered with something else than a JSON object"},
		"a body that is a list": {posted("", "["+denied+"]", ""), failed(protocol.CauseOutput),
			"something else than a JSON object"},
		"a body that breaks off": {posted("", `{"decision":"block"`, ""), failed(protocol.CauseOutput),
			"something else than a JSON object"},
		"a body of braces": {posted("", "{no}", ""), failed(protocol.CauseOutput), "cannot be read"},
		"no good answer": {posted(protocol.CauseExit, "", "503 Service Unavailable"),
			failed(protocol.CauseExit), "PreToolUse hook 'h' got no answer: 503 Service Unavailable; continuing"},
		"no connection": {posted(protocol.CauseUnstarted, "", "refused"), failed(protocol.CauseExit),
			"PreToolUse hook 'h' got no answer: refused; continuing"},
		"half an answer": {posted(protocol.CauseOutput, "", "cut"), failed(protocol.CauseExit),
			"PreToolUse hook 'h' got no answer: cut; continuing"},
		"a deny in a bad answer": {posted(protocol.CauseExit, denied, "500"), failed(protocol.CauseExit),
			"got no answer: 500"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, event := range []protocol.Event{"PreToolUse", protocol.PreTool} { // two names of one moment
				v := decideClaude(event, test.result)
				if test.warning == "" {
					require.Empty(t, v.Warnings)
					require.Empty(t, v.Problem, "an answer is no failure")
				} else {
					require.Len(t, v.Warnings, 1)
					require.Contains(t, v.Warnings[0], test.warning)
					require.Equal(t, v.Status != dialect.StatusOK, v.Problem != "")
				}
				v.Warnings, v.Problem, v.Answered, v.FailedOpen = nil, "", false, ""
				require.Equal(t, test.want, v)
			}
		})
	}
}

// TestClaudeEvents says of each event what its hooks can do there: 2 = exit 2 blocks, b = "decision": "block" does, x =
// so does any exit but 0, s = "continue": false stops, t = plain text is context, f = a failure blocks where its policy
// says so (TestClaudeOnFailureMeansNothing has the others).
func TestClaudeEvents(t *testing.T) {
	can := map[protocol.Event]string{
		"PreToolUse": "2bsf", "PreSkillShellCommand": "2bsf", "PostToolUse": "2bsf", "PostToolUseFailure": "2bf",
		"PostToolBatch":     "2bsf",
		"PermissionRequest": "f", "PermissionDenied": "",
		"UserPromptSubmit": "2bstf", "UserPromptExpansion": "2bstf", "SessionStart": "t", "SessionEnd": "",
		"Setup": "", "Notification": "", "MessageDisplay": "",
		"Stop": "2bs", "SubagentStop": "2bs", "TaskCompleted": "2bs", "TeammateIdle": "2bs", "StopFailure": "",
		"SubagentStart": "s", "TaskCreated": "2bf",
		"PreCompact": "2btf", "PostCompact": "", "PreModelSwitch": "2bf", "PostModelSwitch": "t", "Elicitation": "2bf",
		"ElicitationResult": "2bf",
		"ConfigChange":      "2bf", "InstructionsLoaded": "", "CwdChanged": "", "DirectoryAdded": "", "FileChanged": "",
		"WorktreeCreate": "2bxf", "WorktreeRemove": "2bxf",
	}
	require.Len(t, can, 34)
	require.Len(t, claude.Dialect.Events.Names(), 34)
	for _, e := range claude.Dialect.Events.Names() {
		t.Run(string(e), func(t *testing.T) {
			does, known := can[e]
			require.True(t, known)
			parsed, ok := clients.All().ParseEvent(string(e))
			require.True(t, ok)
			require.Equal(t, e, parsed)
			blocks := func(letter string, v dialect.Verdict, reason string) {
				t.Helper()
				if !strings.Contains(does, letter) {
					require.Equal(t, protocol.Continue, v.Decision)
					require.Empty(t, v.Reason)
					require.False(t, v.Approved)
					return
				}
				require.Equal(t, dialecttest.Blocked(reason), v)
			}
			blocks("2", decideClaude(e, dialecttest.Exited(2, "text", "why")), "why")
			blocks("2", decideClaude(e, dialecttest.Exited(2, "", "")), "No stderr output")
			blocks("b", decideClaude(e, dialecttest.Printed(`{"decision":"block","reason":"look"}`)), "look")
			blocks("b", decideClaude(e, dialecttest.Exited(1, `{"decision":"block","reason":"look"}`, "x")),
				map[bool]string{true: "look"}[strings.Contains(does, "b")])
			blocks("x", decideClaude(e, dialecttest.Exited(1, "", "why")), "why")
			blocks("x", decideClaude(e, dialecttest.Killed("SIGTERM", "", "why")), "why")
			for _, exit := range []int{0, 1} {
				v := decideClaude(e, dialecttest.Exited(exit, `{"continue":false,"stopReason":"done"}`, ""))
				require.Equal(t, strings.Contains(does, "s"), v.Stop)
				require.Equal(t, map[bool]string{true: "done"}[v.Stop], v.StopReason)
				if exit == 0 {
					require.Equal(t, protocol.Continue, v.Decision, "a stop decides nothing")
				}
			}
			v := decideClaude(e, dialecttest.Printed(" \ufeffsome text\nmore \n"))
			require.Equal(t, map[bool]string{true: "some text\nmore"}[strings.Contains(does, "t")], v.Context)
			require.Equal(t, protocol.Continue, v.Decision)
			require.Equal(t, dialect.StatusOK, v.Status)
			require.Equal(t, v.Context != "", decideClaude(e, dialecttest.Printed(`["a"]`)).Context != "")
			require.Empty(t, decideClaude(e, dialecttest.Printed(`{"foo":1}`)).Context, "an object is never text")
			require.Empty(t, decideClaude(e, dialecttest.Exited(1, "text", "")).Context)
			require.Empty(t, decideClaude(e, dialecttest.Exited(2, "text", "")).Context)

			for _, unread := range []string{"{not json}", `{"decision":"deny"}`, `{"Decision":"block"}`,
				dialecttest.Answers("Nope", "")} {
				v = decideClaude(e, dialecttest.Printed(unread))
				require.Equal(t, protocol.Continue, v.Decision)
				require.Equal(t, dialect.StatusFailed, v.Status)
				require.NotEmpty(t, v.Warnings)
				if strings.Contains(does, "f") {
					require.Equal(t, protocol.Block, decideClaude(e, dialecttest.Printed(unread),
						dialecttest.OnFailure(protocol.Block)).Decision)
				}
			}
			require.Equal(t, dialect.StatusOK, decideClaude(e,
				dialecttest.Printed(dialecttest.Answers(e, ""))).Status, "its own name is the right one")
			require.False(t, decideClaude(e, dialecttest.Printed(`{"decision":"approve"}`)).Approved &&
				e != "PreToolUse" && e != "PreModelSwitch")
		})
	}
}

func TestClaudePermissionRequest(t *testing.T) {
	decision := func(fields string) dialect.Verdict {
		return decideClaude("PermissionRequest",
			dialecttest.Printed(dialecttest.Answers("PermissionRequest", `"decision":{`+fields+`}`)))
	}
	require.Equal(t, dialecttest.Blocked("no"), decision(`"behavior":"deny","message":"no"`))
	require.Equal(t, dialecttest.Blocked("Blocked by hook"), decision(`"behavior":"den\u0079","updatedInput":{"a":1}`))
	require.Equal(t, dialecttest.And(dialecttest.Blocked("no"), func(v *dialect.Verdict) {
		v.Stop, v.StopReason = true, "no"
	}), decision(`"behavior":"deny","message":"no","interrupt":true`))
	require.Equal(t, dialecttest.Blocked("no"), decision(`"behavior":"deny","message":"no","interrupt":false`))
	twice := decision(`"behavior":"deny","behavior":"allow"`)
	require.Equal(t, []any{protocol.Continue, true}, []any{twice.Decision, twice.Approved})
	require.Len(t, twice.Warnings, 1)
	require.Contains(t, twice.Warnings[0], `has "behavior" twice in its answer`)
	require.Equal(t, dialecttest.And(dialecttest.Approved(""), func(v *dialect.Verdict) {
		v.UpdatedInput = []byte(`{"a":1}`)
		v.Other = strictjson.Fields{{Key: "updatedPermissions", Value: json.RawMessage(`[{"b":2}]`)}}
	}), decision(`"behavior":"allow","updatedInput":{"a": 1},"updatedPermissions":[{"b": 2}]`))
	for _, wrong := range []string{``, `"behaviour":"deny"`, `"behavior":"ask"`, `"behavior":null`,
		`"behavior":"Deny"`, `"behavior":"deny","message":1`, `"behavior":"deny","interrupt":"yes"`,
		`"behavior":"allow","updatedInput":"x"`} {
		v := decision(wrong)
		require.Equal(t, protocol.Continue, v.Decision, wrong)
		require.Equal(t, dialect.StatusFailed, v.Status, wrong)
		require.False(t, v.Approved, wrong)
	}
	v := decideClaude("PermissionRequest", dialecttest.Printed(dialecttest.Answers("PermissionRequest",
		`"permissionDecision":"deny"`)))
	require.Len(t, v.Warnings, 1, "it is said that it means nothing")
	v.Warnings = nil
	require.Equal(t, dialecttest.Passes(), v, "the word of another event")
	v = decideClaude("PermissionRequest", dialecttest.Exited(2,
		dialecttest.Answers("PermissionRequest", `"decision":{"behavior":"deny","message":"no"}`), "x"))
	require.Equal(t, dialecttest.Blocked("no"), v, "not the exit, but what it printed")
	v = decideClaude("PermissionRequest", dialecttest.Exited(2,
		dialecttest.Answers("PermissionRequest", `"decision":{"behavior":"allow"}`), "x"))
	require.True(t, v.Approved)
}

func TestClaudeOtherFields(t *testing.T) {
	other := func(e protocol.Event, fields string) string {
		v := decideClaude(e, dialecttest.Printed(`{"terminalSequence":"\u0007",`+dialecttest.Answers(e, fields)[1:]))
		require.Equal(t, dialect.StatusOK, v.Status)
		text, err := v.Other.MarshalJSON()
		require.NoError(t, err)
		return string(text)
	}
	require.Equal(t, `{"terminalSequence":"\u0007","sessionTitle":"t","suppressOriginalPrompt":true}`,
		other("UserPromptSubmit", `"suppressOriginalPrompt":true,"sessionTitle":"t","bogus":1`))
	require.Equal(t, `{"terminalSequence":"\u0007","initialUserMessage":"hi","watchPaths":["a"]}`,
		other("SessionStart", `"watchPaths":[ "a" ],"initialUserMessage":"hi"`))
	require.Equal(t, `{"terminalSequence":"\u0007","displayContent":"d"}`,
		other("MessageDisplay", `"displayContent":"d"`))
	require.Equal(t, `{"terminalSequence":"\u0007"}`, other("PreToolUse", `"sessionTitle":"t"`),
		"a field of another event")
	require.Equal(t, dialect.StatusFailed, decideClaude("SessionStart",
		dialecttest.Printed(dialecttest.Answers("SessionStart", `"watchPaths":["a",1]`))).Status)

	for _, e := range []protocol.Event{"Elicitation", "ElicitationResult"} {
		require.Equal(t, protocol.Block, decideClaude(e,
			dialecttest.Printed(dialecttest.Answers(e, `"action":"decline"`))).Decision)
		require.Equal(t, protocol.Continue, decideClaude(e,
			dialecttest.Printed(dialecttest.Answers(e, `"action":"accept","content":{"a":1}`))).Decision)
		require.Equal(t, dialect.StatusFailed, decideClaude(e,
			dialecttest.Printed(dialecttest.Answers(e, `"action":"refuse"`))).Status)
	}
	path := decideClaude("WorktreeCreate", dialecttest.Printed("making it\n /tmp/tree \n")).Other.Get("worktreePath")
	require.Equal(t, `"/tmp/tree"`, string(path), "the last line is the path")
	require.Empty(t, decideClaude("WorktreeCreate", dialecttest.Exited(1, "/tmp/tree", "no")).Other)

	rewritten := func(tool, fields string) dialect.Verdict {
		c := dialecttest.AtEvent("PostToolUse")
		c.Tool = tool
		r := dialecttest.Printed(dialecttest.Answers("PostToolUse", fields))
		return claude.Dialect.Hooks.Decode(&c, "h", &r)
	}
	require.Equal(t, `"new"`, string(rewritten("mcp__x__y", `"updatedToolOutput":"new"`).UpdatedOutput))
	require.Equal(t, `[1]`, string(rewritten("mcp__x__y", `"updatedMCPToolOutput":[ 1 ]`).UpdatedOutput))
	require.Equal(t, `{"stdout":"a","stderr":"","interrupted":false}`,
		string(rewritten("Bash", `"updatedToolOutput":{"stdout":"a","stderr":"","interrupted":false}`).UpdatedOutput))
	for ignored, want := range map[string]protocol.Cause{
		`"updatedToolOutput":"a"`:                                             protocol.CauseRewrite,
		`"updatedToolOutput":{"stdout":"a"}`:                                  protocol.CauseRewrite,
		`"updatedToolOutput":{"stdout":1,"stderr":"","interrupted":false}`:    protocol.CauseRewrite,
		`"updatedToolOutput":"a"},"decision":"block","reason":"r","x":{"a":1`: protocol.CauseRewrite,
		`"updatedMCPToolOutput":[1]`:                                          "",
	} {
		v := rewritten("Bash", ignored)
		require.Nil(t, v.UpdatedOutput, ignored)
		require.Len(t, v.Warnings, 1)
		require.Contains(t, v.Warnings[0], "; ignored")
		require.Equal(t, want, v.Cause, "the client would show the old result, which the hook wanted nobody to see")
		require.Equal(t, want != "", v.Decision == protocol.Block)
	}
}

// A line that makes a hook asynchronous must not take a decision with it.
func TestClaudeDetaches(t *testing.T) {
	for line, want := range map[string]bool{
		`{"async":true}`: true, ` {"asyncTimeout":5, "async" : true} `: true,
		`{"async":true,"systemMessage":"m"}`: true,
		`{"async":false}`:                    false, `{"async":"true"}`: false, `{"async":1}`: false,
		`{"async":true`:    false,
		`{"async":true} x`: false, `{"x":{"async":true}}`: false, `["async"]`: false,
		`"async"`: false, ``: false, `async`: false, `{"async":true,"decision":"block"}`: false,
		`{"async":true,"continue":false}`: false, `{"async":true,` + dialecttest.Deny[1:]: false,
		`{"async":true,"async":true}`: false, `{"async":true,"d\u0065cision":"block"}`: false,
	} {
		require.Equal(t, want, claude.Dialect.AsyncLine()([]byte(line)), line)
	}
}

// Keys that the client does not know it passes over, and so a deny stands beside one that merely looks like another key
// of an answer: a hook that prints an answer for several clients in one object must not lose it.
func TestClaudeMisspeltKeyBesideTheRightOne(t *testing.T) {
	for _, stdout := range []string{
		`{"decision":"block","reason":"r","decisions":["r"]}`,
		`{"Decision":"deny","decision":"block","reason":"r"}`,
		`{"continued":true,"decision":"block","reason":"r"}`,
		`{"hook_specific_output":{},` +
			dialecttest.Pre(`"permissionDecision":"deny","permissionDecisionReason":"r"`)[1:],
		dialecttest.Pre(`"permissionDecision":"deny","permission_decision":"deny","permissionDecisionReason":"r"`),
	} {
		for _, exit := range []int{0, 1, 2} {
			v := decideClaude("PreToolUse", dialecttest.Exited(exit, stdout, "err"))
			require.Equal(t, protocol.Block, v.Decision, stdout)
		}
	}
	v := decideClaude("PreToolUse",
		dialecttest.Printed(dialecttest.Pre(`"permissionDecision":"allow","permission_decision":"deny"`)))
	require.False(t, v.Approved, "an approval with a word against it is none")
}

// Of two equal keys the last counts here too.
func TestClaudeAsyncTwice(t *testing.T) {
	v := decideClaude("PreToolUse", dialecttest.Exited(2, `{"async":true,"async":false}`, "no"))
	require.Equal(t, dialecttest.Blocked("no"), v)
	require.Equal(t, dialect.StatusAsync, decideClaude("PreToolUse",
		dialecttest.Printed(`{"async":false,"async":true}`)).Status)
}

// One or two letters are not one or two bytes.
func TestClaudeMisspeltInAnotherAlphabet(t *testing.T) {
	// the first have Cyrillic letters that look the same
	for _, key := range []string{"d\u0435cision", "d\u0435cisi\u043en", "de\xffcision", "deci\u7684sion"} {
		require.Equal(t, dialect.StatusFailed, decideClaude("PreToolUse",
			dialecttest.Printed(`{"`+key+`":"block"}`)).Status, "%+q", key)
	}
}

// A guard, the tool and the host must not read different values of a rewrite.
func TestClaudeUpdateWithEqualKeys(t *testing.T) {
	v := decideClaude("PreToolUse",
		dialecttest.Printed(dialecttest.Pre(`"updatedInput":{"command":"first","command":"last"}`)))
	require.Equal(t, `{"command":"last"}`, string(v.UpdatedInput))
}

func TestClaudeSubjects(t *testing.T) {
	c, _, err := clients.All().ParseInput(`{"hook_event_name":"SessionStart","source":"startup","tool_name":"Bash"}`)
	require.NoError(t, err)
	for event, want := range map[protocol.Event]string{"SessionStart": "startup", "PreToolUse": "Bash",
		protocol.PostTool: "Bash", "PermissionRequest": "Bash"} {
		c.Event = event
		subject, ok := claude.Dialect.MatcherSubject(&c)
		require.True(t, ok)
		require.Equal(t, want, subject)
	}
	for _, event := range []protocol.Event{"UserPromptSubmit", "Stop", protocol.PreExecute} {
		c.Event = event
		_, ok := claude.Dialect.MatcherSubject(&c)
		require.False(t, ok, "matchers mean nothing at %s", event)
	}
	c.Event, c.Failed = protocol.PostTool, true
	require.Equal(t, protocol.Event("PostToolUseFailure"), claude.Dialect.EventOf(&c))
}
