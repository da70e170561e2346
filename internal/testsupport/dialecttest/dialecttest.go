// Package dialecttest has helpers for the tests of several dialects.
package dialecttest

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients/claude"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/protocol"
)

func StringOf(value json.RawMessage) (s string) {
	_ = json.Unmarshal(value, &s)
	return s
}

// AtEvent returns a call of Bash at an event.
func AtEvent(e protocol.Event) dialect.Call {
	return dialect.Call{Event: e, Tool: "Bash", Args: `{"command":"ls"}`}
}

// OnFailure returns a policy with the same decision for every cause.
func OnFailure(d protocol.Decision) dialect.FailurePolicy {
	p := dialect.FailurePolicy{}
	for _, cause := range claude.Dialect.Causes() {
		p[cause] = d
	}
	return p
}

// Answers returns an answer with fields of hookSpecificOutput for an event.
func Answers(e protocol.Event, fields string) string {
	if fields != "" {
		fields = "," + fields
	}
	return Specific(`"hookEventName":"` + string(e) + `"` + fields)
}

func Pre(fields string) string { return Answers("PreToolUse", fields) }

func Blocked(reason string) dialect.Verdict {
	return dialect.Verdict{Decision: protocol.Block, Cause: protocol.CausePolicy, Status: dialect.StatusBlocked,
		Reason: reason}
}

func Approved(reason string) dialect.Verdict {
	return dialect.Verdict{Decision: protocol.Continue, Cause: protocol.CausePolicy, Status: dialect.StatusOK,
		Approved: true, Reason: reason}
}

func Passes() dialect.Verdict {
	return dialect.Verdict{Decision: protocol.Continue, Status: dialect.StatusOK}
}

// And returns a verdict with a change.
func And(v dialect.Verdict, change func(*dialect.Verdict)) dialect.Verdict {
	change(&v)
	return v
}

func Encoded(t *testing.T, c *dialect.Call) string {
	p, warnings, err := claude.Dialect.Of(c.Event).Hooks.Encode(dialect.NewCall(*c))
	require.NoError(t, err)
	require.Empty(t, warnings)
	return string(p.Bytes())
}

// Merged returns the verdict and the outcome of a single hook that printed stdout.
func Merged(c *dialect.Call, stdout string) (dialect.Verdict, protocol.Outcome) {
	r := Printed(stdout)
	v := claude.Dialect.ApplyFailurePolicy(c, claude.Dialect.Hooks.Decode(c, "h", &r))
	return v, dialect.Merge(c, []dialect.HookVerdict{{Report: dialect.Report("h", "f:1", &r, &v), Verdict: v,
		Dialect: claude.Dialect}})
}

// JsSpace is the white space removed by JavaScript's trim.
const JsSpace = "\t\n\v\f\r " +
	"\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

// Says reports whether a JSON value equals want.
func Says(value json.RawMessage, want any) bool {
	var got any
	return json.Unmarshal(value, &got) == nil && got == want
}

func Member(object json.RawMessage, key string) json.RawMessage {
	var m map[string]json.RawMessage
	_ = json.Unmarshal(object, &m)
	return m[key]
}

func Decode(t *testing.T, object []byte) map[string]any {
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	var m map[string]any
	require.NoError(t, d.Decode(&m))
	return m
}

func LineResult(line string) *dialect.HookResult { return LineResultOf("", line) }

// LineResultOf returns the result of a persistent hook that answered the call id with a line.
func LineResultOf(id, line string) *dialect.HookResult {
	r := &dialect.HookResult{Stdout: dialect.Capture{Head: []byte(line), Total: int64(len(line))}, CallID: id}
	nearmiss.ReadLine(r)
	return r
}

// Merge merges the verdicts of hooks that printed stdouts at an event.
func Merge(e protocol.Event, stdouts ...string) protocol.Outcome {
	c := dialect.Call{Event: e, Tool: "shell"}
	var judged []dialect.HookVerdict
	for i, s := range stdouts {
		r := Printed(s)
		v := nearmiss.Decode(tenex.Dialect, &c, string(rune('a'+i)), &r)
		judged = append(judged, dialect.HookVerdict{Report: dialect.Report(string(rune('a'+i)), "f:1", &r, &v),
			Verdict: v, Dialect: tenex.Dialect})
	}
	return dialect.Merge(&c, judged)
}

func Specific(fields string) string { return `{"hookSpecificOutput":{` + fields + `}}` }

func Printed(stdout string) dialect.HookResult {
	return dialect.HookResult{Stdout: dialect.Capture{Head: []byte(stdout), Total: int64(len(stdout))}}
}

func Exited(code int, stdout, stderr string) dialect.HookResult {
	r := Printed(stdout)
	r.ExitCode = code
	r.Stderr = dialect.Capture{Head: []byte(stderr), Total: int64(len(stderr))}
	return r
}

func Killed(signal, stdout, stderr string) dialect.HookResult {
	r := Exited(-1, stdout, stderr)
	r.Signal = signal
	return r
}

const Deny = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
	`"permissionDecisionReason":"no pushing"}}`

// Reply returns the client's stdout and exit status for an outcome.
func Reply(to *client.Client, o protocol.Outcome) (stdout []byte, exit int, err error) {
	r, err := to.Reply(o)
	return r.Stdout, r.Exit, err
}

// Spoilt overrides the methods of Hooks by its fields that are not nil.
type Spoilt struct {
	dialect.Hooks
	OnEvent  func(*dialect.Call) protocol.Event
	OnEncode func(*dialect.Call) (dialect.Payload, []string, error)
	OnDecode func(*dialect.Call, string, *dialect.HookResult) dialect.Verdict
	OnMerge  func(*dialect.Merging)
}

// Event calls OnEvent, if set.
func (s Spoilt) Event(c *dialect.Call) protocol.Event {
	if s.OnEvent != nil {
		return s.OnEvent(c)
	}
	return s.Hooks.Event(c)
}

// Encode calls OnEncode, if set.
func (s Spoilt) Encode(c *dialect.Call) (dialect.Payload, []string, error) {
	if s.OnEncode != nil {
		return s.OnEncode(c)
	}
	return s.Hooks.Encode(c)
}

// Decode calls OnDecode, if set.
func (s Spoilt) Decode(c *dialect.Call, hook string, r *dialect.HookResult) dialect.Verdict {
	if s.OnDecode != nil {
		return s.OnDecode(c, hook, r)
	}
	return s.Hooks.Decode(c, hook, r)
}

// Merge calls OnMerge, if set.
func (s Spoilt) Merge(m *dialect.Merging) {
	if s.OnMerge != nil {
		s.OnMerge(m)
		return
	}
	s.Hooks.Merge(m)
}
