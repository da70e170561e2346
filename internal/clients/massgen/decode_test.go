package massgen_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/massgen"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// massgen judges and settles, as the engine does.
func decideMassgen(e protocol.Event, r dialect.HookResult, policies ...dialect.FailurePolicy) dialect.Verdict {
	c := dialect.Call{Event: e, Tool: "Write", Args: `{"a":1}`}
	return massgen.Dialect.ApplyFailurePolicy(&c, massgen.Dialect.Hooks.Decode(&c, "h", &r), policies...)
}

// failClosed is what "fail_closed: true" amounts to.
var failClosed = dialect.FailurePolicy{
	protocol.CauseTimeout: protocol.Block, protocol.CauseSignal: protocol.Block, protocol.CauseExit: protocol.Block,
	protocol.CauseOutput: protocol.Block,
}

// said is what a verdict comes to, for tables.
type said struct {
	decision protocol.Decision
	cause    protocol.Cause
	status   string
	reason   string
	args     string
	context  string
	strategy string
	warning  string // has this in one of them; "" is none
}

func requireSaid(t *testing.T, want said, v dialect.Verdict) {
	t.Helper()
	warnings := strings.Join(v.Warnings, "\n")
	require.Contains(t, warnings, want.warning)
	if want.warning == "" {
		require.Empty(t, warnings)
	}
	want.warning = ""
	require.Equal(t, want, said{v.Decision, v.Cause, v.Status, v.Reason, string(v.UpdatedInput), v.Context, v.Strategy,
		""})
}

func TestMassGenPreToolUse(t *testing.T) {
	goesOn := said{decision: protocol.Continue, status: dialect.StatusOK}
	denied := func(reason string) said {
		return said{decision: protocol.Block, cause: protocol.CausePolicy, status: dialect.StatusBlocked,
			reason: reason}
	}
	asks := func(reason string) said {
		return said{decision: protocol.Ask, cause: protocol.CausePolicy, status: dialect.StatusBlocked, reason: reason}
	}
	warned := func(s said, warning string) said { s.warning = warning; return s }
	args := func(args string) said { s := goesOn; s.args = args; return s }
	unreadable := func(why string) said {
		return said{decision: protocol.Continue, cause: protocol.CauseOutput, status: dialect.StatusFailed,
			warning: "Hook h failed: " + why}
	}
	const fallback = "Denied by hook h"
	for _, test := range []struct {
		name, stdout string
		want         said
	}{
		{"M05 nothing but defaults", `{}`, goesOn},
		{"M05 all defaults in words",
			`{"allowed":true,"metadata":{},"modified_args":null,"decision":"allow","reason":null,` +
				`"updated_input":null,"inject":null,"hook_errors":[],"hook_name":null,"hook_type":null,` +
				`"execution_time_ms":null,"executed_hooks":[]}`, goesOn},
		{"M05 null lists", `{"metadata":null,"hook_errors":null,"executed_hooks":null,"decision":null}`, goesOn},
		{"M06 allowed false", `{"allowed":false}`, denied(fallback)},
		{"M06 allowed false and decision allow", `{"allowed":false,"decision":"allow"}`, denied(fallback)},
		{"M06 allowed false and decision ask", `{"decision":"ask","allowed":false}`, denied(fallback)},
		{"M06 allowed true and decision deny", `{"allowed":true,"decision":"deny"}`, denied(fallback)},
		{"M06 ask keeps allowed", `{"allowed":true,"decision":"ask","reason":"sure?"}`, asks("sure?")},
		{"M37 allowed null is false to Python", `{"allowed":null}`, denied(fallback)},
		{"M37 allowed 0", `{"allowed":0.0e5}`, denied(fallback)},
		{"M37 allowed an empty text", `{"allowed":""}`, denied(fallback)},
		{"M37 allowed an empty list", `{"allowed":[ ]}`, denied(fallback)},
		{"M37 allowed an empty object", `{"allowed":{}}`, denied(fallback)},
		{"M37 allowed the text false is true to Python", `{"allowed":"false"}`,
			warned(goesOn, "allowed must be true or false, not ")},
		{"M37 allowed a list in a list", `{"allowed":[[]]}`, warned(goesOn, "allowed must be true or false, not ")},
		{"M37 allowed a small number", `{"allowed":-1e-9}`, warned(goesOn, "allowed must be true or false, not ")},
		{"M07 unknown keys", `{"note":true,"level":"high","x":{"decision":"maybe"}}`, goesOn},
		{"M07 an unknown key that may be a deny", `{"deny":true,"level":"high"}`,
			said{decision: protocol.Continue, status: dialect.StatusOK, warning: `it has "deny": true`}},
		{"M08 ask without a reason", `{"decision":"ask"}`, asks("Hook h asks for confirmation of this tool call")},
		{"M08 deny with a reason", `{"decision":"deny","reason":"no"}`, denied("no")},
		{"M09 errors beside an allow", `{"hook_errors":["one",{"two":2}]}`, warned(goesOn, "one\n{\"two\":2}")},
		{"M09 errors beside a deny", `{"allowed":false,"hook_errors":["one"]}`, warned(denied(fallback), "one")},
		{"M19 the reason of metadata", `{"allowed":false,"metadata":{"reason":"meta"}}`, denied("meta")},
		{"M19 the reason before that of metadata", `{"metadata":{"reason":"meta"},"allowed":false,"reason":"own"}`,
			denied("own")},
		{"M19 an empty reason", `{"allowed":false,"reason":"","metadata":{"reason":"meta"}}`, denied("meta")},
		{"M19 no reason at all", `{"allowed":false,"reason":null,"metadata":{"reason":null}}`, denied(fallback)},
		{"M19 a reason inside a text is none", `{"allowed":false,"metadata":"{\"reason\":\"x\"}"}`, denied(fallback)},
		{"M19 metadata that is a list", `{"allowed":false,"metadata":[{"reason":"x"}]}`, denied(fallback)},
		{"M19 a deny drops the rest", `{"allowed":false,"updated_input":{"b":1},"inject":{"content":"c"}}`,
			warned(denied(fallback), `"inject"`)},
		{"M18 new arguments", `{"updated_input": {"b": "é\u00e9", "c": 1.50}}`, args(`{"b":"éé","c":1.50}`)},
		{"M18 the same arguments are none", `{"updated_input":{ "a" : 1 }}`, goesOn},
		{"M18 old arguments are a text", `{"modified_args":"{\"b\": 2}"}`, args(`{"b":2}`)},
		{"M18 old arguments count before new ones", `{"modified_args":"{\"b\":2}","updated_input":{"c":3}}`,
			args(`{"b":2}`)},
		{"M18 whatever their order", `{"updated_input":{"c":3},"modified_args":"{\"b\":2}"}`, args(`{"b":2}`)},
		{"M18 old arguments null", `{"modified_args":null,"updated_input":{"c":3}}`, args(`{"c":3}`)},
		{"M18 old arguments empty", `{"modified_args":""}`, args(`{}`)},
		{"M18 old arguments that are no JSON", `{"modified_args":"rm -rf"}`, args(`"rm -rf"`)},
		{"M18 arguments beside ask", `{"decision":"ask","reason":"r","updated_input":{"c":3}}`, func() said {
			s := asks("r")
			s.args = `{"c":3}`
			return s
		}()},
		{"M18 arguments of no object", `{"updated_input":"x"}`, unreadable(`updated_input must be an object, not "x"`)},
		{"M18 old arguments of no text", `{"modified_args":{"b":1}}`,
			unreadable(`modified_args must be a string, not {"b":1}`)},
		{"an injection before the tool", `{"inject":{"content":"c"}}`,
			warned(goesOn,
				`PreToolUse hook 'h' answered with "inject", which means something after the tool only; ignored`)},
		{"M37 an unknown decision", `{"decision":"block"}`,
			unreadable(`decision "block" does not exist; known are allow, deny, ask`)},
		{"M37 an empty decision", `{"decision":""}`, unreadable(`decision "" does not exist`)},
		{"M37 a decision of another case", `{"decision":"Deny"}`, unreadable(`decision "Deny" does not exist`)},
		{"M37 a decision of another type", `{"decision":false}`, unreadable(`decision must be a string, not false`)},
		{"M37 a deny beside a wrong decision", `{"decision":"nope","allowed":false}`,
			warned(denied(fallback), `decision "nope" does not exist`)},
		{"M37 a deny beside wrong arguments", `{"updated_input":5,"decision":"deny","reason":"r"}`,
			warned(denied("r"), `updated_input must be an object`)},
		{"M37 an ask beside wrong arguments", `{"updated_input":5,"decision":"ask","reason":"r"}`,
			warned(asks("r"), `updated_input must be an object`)},
		{"M37 a reason of another type", `{"decision":"deny","reason":{"code": 5}}`, denied(`{"code": 5}`)},
		{"M37 a reason that is false to Python", `{"decision":"deny","reason":0}`, denied(fallback)},
		{"M37 a reason of another type beside allow", `{"allowed":true,"reason":5}`, goesOn},
		{"M37 a list", `[{"allowed":false}]`, unreadable("it did not print a JSON object")},
		{"M37 null", `null`, unreadable("it did not print a JSON object")},
		{"M39 nothing", "", unreadable("it printed nothing; print {} to allow")},
		{"M39 blanks", " \n", unreadable("it printed nothing")},
		{"M39 text", "hi\n", unreadable("it did not print a JSON object")},
		{"M39 a log line before the answer", "checking\n{\"allowed\":false}",
			unreadable("it did not print a JSON object")},
		{"M39 an answer cut short", `{"allowed":false`, unreadable("its answer, line 1, column 17")},
		{"M39 two answers", "{}\n{\"allowed\":false}", unreadable("its answer, line 2, column 1")},
		{"M39 Python's quotes", `{'allowed': False}`, unreadable("its answer, line 1, column 2")},
		{"M39 a byte order mark", "\ufeff{}", unreadable("it did not print a JSON object")},
		{"M39 equal keys", `{"reason":"a","reason":"b"}`, unreadable("its answer, line 1, column 15")},
		{"M39 equal keys of a deny", `{"decision":"allow","\u0064ecision":"deny"}`,
			warned(denied(fallback), "its answer, line 1, column 21")},
		{"M39 equal keys of a deny, the other way round", `{"allowed":false,"allowed":true}`,
			warned(denied(fallback), "its answer, line 1, column 18")},
		{"M39 equal keys below", `{"updated_input":{"a":1,"a":2}}`, unreadable("its answer, line 1, column 25")},
		{"NaN beside a deny",
			`{"decision":"deny","reason":"a \" NaN","metadata":{"score":NaN,"x":[-Infinity,Infinity]}}`,
			warned(denied(`a " NaN`), "NaN and Infinity")},
		{"NaN beside an allow", `{"metadata":{"score":NaN}}`, unreadable("NaN and Infinity")},
		{"NaN in new arguments", `{"updated_input":{"score":NaN}}`, unreadable("NaN and Infinity")},
		{"NaN in an answer that is no JSON for other reasons", `{"allowed":false,"x":NaN,}`, unreadable("its answer")},
		{"bytes that are no UTF-8", "{\"decision\":\"deny\",\"reason\":\"caf\xe9\"}", denied("caf\ufffd")},
		{"half a character", `{"decision":"deny","reason":"a\ud800;b"}`, denied("a\ufffd;b")},
		{"M42 a function that was not found",
			`{"allowed":false,"reason":"Hook import failed: x","metadata":{"import_error":true}}`,
			said{decision: protocol.Block, cause: protocol.CauseUnstarted, status: dialect.StatusUnstarted,
				reason: "Hook import failed: x"}},
		{"an import error that allows", `{"metadata":{"import_error":true}}`, goesOn},
	} {
		t.Run(test.name, func(t *testing.T) {
			requireSaid(t, test.want, decideMassgen("pre-tool", dialecttest.Printed(test.stdout)))
			if test.want.cause != protocol.CauseOutput {
				return
			}
			v := decideMassgen("pre-tool", dialecttest.Printed(test.stdout), failClosed)
			require.Equal(t, protocol.Block, v.Decision)
			require.Contains(t, v.Reason, test.want.warning)
			require.Empty(t, v.UpdatedInput)
		})
	}
	t.Run("an answer that was cut", func(t *testing.T) {
		r := dialecttest.Printed(`{"allowed":false}`)
		r.Stdout.Total = 2 << 20
		requireSaid(t, unreadable("its answer is too long: 16 MiB of output is kept"), decideMassgen("pre-tool", r))
	})
}

func TestMassGenFailures(t *testing.T) {
	const deny = `{"allowed":false}`
	timedOut := dialecttest.Printed(deny)
	timedOut.TimedOut, timedOut.Limit = true, time.Second
	for _, test := range []struct {
		name    string
		result  dialect.HookResult
		cause   protocol.Cause
		status  string
		problem string
	}{
		{"M31 M40 timeout", timedOut, protocol.CauseTimeout, dialect.StatusTimeout, "Hook h timed out"},
		{"M32 killed", dialecttest.Killed("SIGSEGV", deny, ""), protocol.CauseSignal, dialect.StatusFailed,
			"Hook h failed: it was killed by SIGSEGV"},
		{"M38 exit code, what it printed does not count", dialecttest.Exited(1, deny, ""), protocol.CauseExit,
			dialect.StatusFailed, "Hook h failed: it exited with 1"},
		{"M38 exit code 2 is one as all others", dialecttest.Exited(2, deny, "no\n"), protocol.CauseExit,
			dialect.StatusFailed, "Hook h failed: it exited with 2: no"},
		{"M32 an exception", dialecttest.Exited(1, "", "Traceback\n  File\nValueError: broken\n"), protocol.CauseExit,
			dialect.StatusFailed, "Hook h failed: it exited with 1: ValueError: broken"},
		{"M39 output", dialecttest.Printed("hi"), protocol.CauseOutput, dialect.StatusFailed,
			"Hook h failed: it did not print a JSON object"},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := decideMassgen("pre-tool", test.result)
			requireSaid(t, said{decision: protocol.Continue, cause: test.cause, status: test.status,
				warning: test.problem + "; continuing"}, v)
			v = decideMassgen("pre-tool", test.result, failClosed)
			require.Equal(t, protocol.Block, v.Decision, "fail_closed")
			require.Equal(t, test.problem, v.Reason)
			v = decideMassgen("post-tool", test.result, failClosed)
			require.Equal(t, protocol.Continue, v.Decision, "the tool has run")
			require.Equal(t, []string{test.problem + "; ignored, the tool already ran"}, v.Warnings)
		})
	}
	t.Run("M30 M33 M42 not found", func(t *testing.T) {
		missing := dialect.HookResult{Err: errors.New("no such file")}
		open := dialect.FailurePolicy{protocol.CauseTimeout: protocol.Continue, protocol.CauseExit: protocol.Continue}
		for _, policies := range [][]dialect.FailurePolicy{nil, {open}, {failClosed}} {
			v := decideMassgen("pre-tool", missing, policies...)
			requireSaid(t, said{decision: protocol.Block, cause: protocol.CauseUnstarted,
				status: dialect.StatusUnstarted, reason: "Hook import failed: h: no such file"}, v)
		}
		v := decideMassgen("pre-tool", missing, nil, dialect.FailurePolicy{protocol.CauseUnstarted: protocol.Continue})
		require.Equal(t, protocol.Continue, v.Decision, "as the external hooks of MassGen were")
		require.Equal(t, protocol.Continue, decideMassgen("post-tool", missing, failClosed).Decision)
	})
}

func TestMassGenPostToolUse(t *testing.T) {
	const who = "PostToolUse hook 'h' "
	ok := said{decision: protocol.Continue, status: dialect.StatusOK}
	injects := func(content string, s string) said { w := ok; w.context, w.strategy = content, s; return w }
	warned := func(s said, warning string) said { s.warning = warning; return s }
	for _, test := range []struct {
		name, stdout string
		want         said
	}{
		{"M23 content alone", `{"inject":{"content":"A"}}`, injects("A", dialect.ToolResult)},
		{"M23 tool_result", `{"inject":{"content":"A","strategy":"tool_result"}}`, injects("A", dialect.ToolResult)},
		{"M23 user_message", `{"inject":{"strategy":"user_message","content":" A\n"}}`,
			injects(" A\n", dialect.UserMessage)},
		{"M23 strategy null", `{"inject":{"content":"A","strategy":null}}`, injects("A", dialect.ToolResult)},
		{"M23 a strategy that does not exist", `{"inject":{"content":"A","strategy":"tool"}}`,
			warned(injects("A", dialect.ToolResult),
				`the strategy "tool", which does not exist; taken for tool_result`)},
		{"M23 no content", `{"inject":{"strategy":"user_message"}}`,
			said{decision: protocol.Continue, status: dialect.StatusOK}},
		{"M23 empty content", `{"inject":{"content":""}}`, ok},
		{"M23 empty", `{"inject":{}}`, ok},
		{"M23 null", `{"inject":null}`, ok},
		{"M23 a text", `{"inject":"A {\"content\":\"B\"}"}`, warned(ok, "answered with an \"inject\" that is no")},
		{"M23 content of another type", `{"inject":{"content":["A"]}}`,
			warned(ok, "answered with an \"inject\" that is no")},
		{"M20 a deny is on record and changes nothing", `{"decision":"deny","reason":"r","inject":{"content":"A"}}`,
			warned(said{decision: protocol.Continue, cause: protocol.CausePolicy, status: dialect.StatusBlocked,
				context: "A", strategy: dialect.ToolResult},
				who+"denied a call that had run, which changes nothing: r")},
		{"M20 ask changes nothing", `{"decision":"ask"}`,
			warned(ok, who+"asked about a call that had run, which changes nothing")},
		{"new arguments after the tool", `{"updated_input":{"b":1}}`,
			warned(ok, who+"answered with new arguments, which mean something before the tool only; ignored")},
		{"M09 errors", `{"hook_errors":["e"]}`, warned(ok, "e")},
	} {
		t.Run(test.name, func(t *testing.T) {
			requireSaid(t, test.want, decideMassgen("post-tool", dialecttest.Printed(test.stdout)))
		})
	}
}

// What MassGen passes over, and what may have been meant to deny: with fail_closed it does.
func TestMassGenDoubt(t *testing.T) {
	for stdout, says := range map[string]string{
		`{"allowed":"false"}`: "allowed must be true or false", `{"Allowed":false}`: `"Allowed": false`,
		`{"desicion":"deny"}`: `"desicion"`, `{"decision ":"deny"}`: `"decision "`,
		`{"permission":"deny"}`:          `"permission": "deny"`,
		`{"block":true,"decision":null}`: `"block": true`, `{"permissionDecision":"deny"}`: `"permissionDecision"`,
		`{"hookSpecificOutput":{"permissionDecision":"deny"}}`: `"hookSpecificOutput"`,
		`{"exit_code":2}`: `"exit_code": 2`, `{"returncode":"1","stderr":"no"}`: `"returncode": "1"`,
		`{"blockReason":"x"}`: `"blockReason": "x"`, `{"reason":"x","level":3}`: "it has a reason and no decision",
		`{"hookrun_no_result":"bool"}`: "the function returned bool, which is no HookResult",
	} {
		v := decideMassgen("pre-tool", dialecttest.Printed(stdout))
		require.Equal(t, protocol.Continue, v.Decision, stdout)
		require.Len(t, v.Warnings, 1, stdout)
		require.Contains(t, v.Warnings[0], says)
		require.Contains(t, v.Warnings[0], "; the call goes on")
		v = decideMassgen("pre-tool", dialecttest.Printed(stdout), failClosed)
		require.Equal(t, []any{protocol.Block, protocol.CauseOutput}, []any{v.Decision, v.Cause}, stdout)
		require.Contains(t, v.Reason, says)
	}
}
