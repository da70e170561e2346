package protocol_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/all"
	"github.com/hookrun/hookrun/internal/dialect/claude"
	"github.com/hookrun/hookrun/protocol"
)

// atEvent is a call of the client's tool at one of its events.
func atEvent(e protocol.Event) protocol.Call {
	return protocol.Call{Event: e, Tool: "Bash", Args: `{"command":"ls"}`}
}

// claude judges and settles, as the runner does.
func decideClaude(e protocol.Event, r dialect.HookResult, policies ...protocol.FailurePolicy) dialect.Verdict {
	c := atEvent(e)
	return claude.Dialect.ApplyFailurePolicy(&c, claude.Dialect.Decode(&c, "h", &r), policies...)
}

// onFailure is a policy that says the same for every cause.
func onFailure(d protocol.Decision) protocol.FailurePolicy {
	p := protocol.FailurePolicy{}
	for _, cause := range claude.Dialect.Causes {
		p[cause] = d
	}
	return p
}

// answers is what a hook prints to use fields of its event.
func answers(e protocol.Event, fields string) string {
	if fields != "" {
		fields = "," + fields
	}
	return specific(`"hookEventName":"` + string(e) + `"` + fields)
}

func pre(fields string) string { return answers("PreToolUse", fields) }

func blocked(reason string) dialect.Verdict {
	return dialect.Verdict{Decision: protocol.Block, Cause: protocol.CausePolicy, Status: protocol.StatusBlocked, Reason: reason}
}

func approved(reason string) dialect.Verdict {
	return dialect.Verdict{Decision: protocol.Continue, Cause: protocol.CausePolicy, Status: protocol.StatusOK, Approved: true, Reason: reason}
}

func passes() dialect.Verdict {
	return dialect.Verdict{Decision: protocol.Continue, Status: protocol.StatusOK}
}

func asks(d protocol.Decision, reason string) dialect.Verdict {
	v := blocked(reason)
	v.Decision = d
	return v
}

// and adds to a verdict.
func and(v dialect.Verdict, change func(*dialect.Verdict)) dialect.Verdict {
	change(&v)
	return v
}

func posted(failure protocol.Cause, body, why string) dialect.HookResult {
	r := exited(0, body, "")
	r.HTTP = &dialect.HTTPResult{Failure: failure, Why: why}
	return r
}

// TestClaudeAtPreToolUse holds whole verdicts against what the real client was seen to do.
func TestClaudeAtPreToolUse(t *testing.T) {
	stop := func(v dialect.Verdict, reason string) dialect.Verdict {
		return and(v, func(v *dialect.Verdict) { v.Stop, v.StopReason = true, reason })
	}
	context := func(v dialect.Verdict, text string) dialect.Verdict {
		return and(v, func(v *dialect.Verdict) { v.Context = text })
	}
	message := func(v dialect.Verdict, text string) dialect.Verdict {
		return and(v, func(v *dialect.Verdict) { v.SystemMessage = text })
	}
	update := func(v dialect.Verdict, input string) dialect.Verdict {
		return and(v, func(v *dialect.Verdict) { v.UpdatedInput = []byte(input) })
	}
	failed := func(cause protocol.Cause) dialect.Verdict {
		return dialect.Verdict{Decision: protocol.Continue, Cause: cause, Status: protocol.StatusFailed}
	}
	const around = "printed text around a JSON answer"
	denied := pre(`"permissionDecision":"deny","permissionDecisionReason":"no pushing"`)
	allowed := pre(`"permissionDecision":"allow"`)
	for name, test := range map[string]struct {
		result  dialect.HookResult
		want    dialect.Verdict
		warning string // a part of the one that is there; "": there is none
	}{
		// Exit codes.
		"silence":                  {printed(""), passes(), ""},
		"text":                     {printed("hello\n"), passes(), ""},
		"stderr and 0":             {exited(0, "", "note"), passes(), ""},
		"2":                        {exited(2, "", "no way"), blocked("no way"), ""},
		"2, stderr is not trimmed": {exited(2, "", "  line one\n\nline two  \n\n"), blocked("  line one\n\nline two  \n\n"), ""},
		"2, silent":                {exited(2, "", ""), blocked("No stderr output"), ""},
		"2, stdout is not used":    {exited(2, "said on stdout", ""), blocked("No stderr output"), ""},
		"2, stderr no UTF-8":       {exited(2, "", "bytes \xff\xfe end"), blocked("bytes \ufffd\ufffd end"), ""},
		"1":                        {exited(1, "", "oops"), failed(protocol.CauseExit), "PreToolUse hook 'h' exited with 1; continuing"},
		"1, text":                  {exited(1, "on stdout", ""), failed(protocol.CauseExit), "exited with 1"},
		"3":                        {exited(3, "", ""), failed(protocol.CauseExit), "exited with 3"},
		"126":                      {exited(126, "", ""), failed(protocol.CauseExit), "exited with 126"},
		"127":                      {exited(127, "", "not found"), failed(protocol.CauseExit), "exited with 127"},
		"137":                      {exited(137, "", ""), failed(protocol.CauseExit), "exited with 137"},
		"255":                      {exited(255, "", ""), failed(protocol.CauseExit), "exited with 255"},
		"a signal":                 {killed("SIGKILL", "", "before"), failed(protocol.CauseSignal), "PreToolUse hook 'h' was killed by SIGKILL; continuing"},
		"a signal and text":        {killed("SIGTERM", "text", ""), failed(protocol.CauseSignal), "was killed by SIGTERM"},
		"no start":                 {dialect.HookResult{Err: errors.New("./x: no such file")}, and(failed(protocol.CauseUnstarted), func(v *dialect.Verdict) { v.Status = protocol.StatusUnstarted }), "could not run: ./x: no such file"},
		"a deadline, whatever was printed": {dialect.HookResult{TimedOut: true, Limit: time.Second, ExitCode: 2, Stdout: printed(denied).Stdout, Stderr: printed("x").Stdout},
			and(failed(protocol.CauseTimeout), func(v *dialect.Verdict) { v.Status = protocol.StatusTimeout }), "timed out after 1s"},

		// What counts as JSON.
		"deny":                       {printed(denied), blocked("no pushing"), ""},
		"white space around":         {printed(" \n\t" + denied + "\r\n"), blocked("no pushing"), ""},
		"a BOM":                      {printed("\ufeff" + denied), blocked("no pushing"), ""},
		"a BOM among blanks":         {printed("\n \ufeff\u00a0" + denied + "\u2028\ufeff"), blocked("no pushing"), ""},
		"no UTF-8":                   {printed(strings.Replace(denied, "no", "\xff", 1)), blocked("\ufffd pushing"), ""},
		"{}":                         {printed("{}"), passes(), ""},
		"unknown keys":               {printed(`{"bogus":1,"hookSpecificOutput":{"x":{"permissionDecision":"allow"},"hookEventName":"PreToolUse","permissionDecision":"deny"}}`), blocked("Blocked by hook"), ""},
		"keys with escapes":          {printed(`{"hookSpecific\u004futput":{"hookEventName":"Pre\u0054oolUse","permission\u0044ecision":"den\u0079"}}`), blocked("Blocked by hook"), ""},
		"NEL is no white space":      {printed(denied + "\u0085"), passes(), around},
		"text before":                {printed("log\n" + denied), passes(), around},
		"text behind":                {printed(denied + " trailing"), passes(), around},
		"a comment behind":           {printed(`{"decision":"block"} // no`), passes(), around},
		"an array":                   {printed("[" + denied + "]"), passes(), around},
		"a string":                   {printed(`"deny"`), passes(), ""},
		"a number":                   {printed("42"), passes(), ""},
		"null":                       {printed("null"), passes(), ""},
		"JSON that breaks off":       {printed(`{"decision":"block"`), passes(), around},
		"a brace alone":              {printed("{"), passes(), "it begins with { and is no JSON"},
		"JSON on stderr":             {exited(0, "", denied), passes(), ""},
		"braces around text":         {printed("{not json}"), failed(protocol.CauseOutput), "gave an answer that cannot be read: line 1, column 2"},
		"single quotes":              {printed(`{'continue':false}`), failed(protocol.CauseOutput), "cannot be read"},
		"a comma at the end":         {printed(`{"continue":false,}`), failed(protocol.CauseOutput), "cannot be read"},
		"two objects":                {printed("{}\n" + denied), failed(protocol.CauseOutput), "line 2, column 1"},
		"NUL in a string":            {printed("{\"systemMessage\":\"a\x00b\"}"), failed(protocol.CauseOutput), "cannot be read"},
		"a JSON that was cut":        {dialect.HookResult{Stdout: dialect.Capture{Head: []byte(`{"decision":`), Tail: []byte(`"approve"}`), Total: 3 << 20}}, failed(protocol.CauseOutput), "it is too long"},
		"braces around text, exit 1": {exited(1, "{not json}", "err"), failed(protocol.CauseOutput), "cannot be read"},
		"braces around text, exit 2": {exited(2, "{not json}", "err"), blocked("err"), ""},

		// Of equal keys the last counts.
		"deny, then allow":       {printed(pre(`"permissionDecision":"deny","permissionDecision":"allow"`)), approved(""), `has "permissionDecision" twice in its answer`},
		"allow, then deny":       {printed(pre(`"permissionDecision":"allow","permission\u0044ecision":"deny"`)), blocked("Blocked by hook"), ""},
		"a wrong type, then not": {printed(`{"continue":"no","continue":false}`), stop(passes(), ""), `has "continue" twice in its answer`},
		"two objects of a name":  {printed(`{"hookSpecificOutput":"x",` + denied[1:]), blocked("no pushing"), ""},

		// Types are not converted, and null is none of them.
		"continue as a string":    {printed(`{"continue":"false"}`), failed(protocol.CauseOutput), `continue must be true or false, not "false"`},
		"continue null":           {printed(`{"continue":null}`), failed(protocol.CauseOutput), "continue must be true or false, not null"},
		"suppressOutput 0":        {printed(`{"suppressOutput":0}`), failed(protocol.CauseOutput), "suppressOutput must be true or false"},
		"stopReason 1":            {printed(`{"stopReason":1}`), failed(protocol.CauseOutput), "stopReason must be a string"},
		"reason beside a block":   {printed(`{"decision":"block","reason":["x"]}`), failed(protocol.CauseOutput), "reason must be a string"},
		"systemMessage null":      {printed(`{"systemMessage":null}`), failed(protocol.CauseOutput), "systemMessage must be a string, not null"},
		"terminalSequence true":   {printed(`{"terminalSequence":true}`), failed(protocol.CauseOutput), "terminalSequence must be a string"},
		"specific null":           {printed(`{"hookSpecificOutput":null}`), failed(protocol.CauseOutput), "hookSpecificOutput must be an object"},
		"specific as a string":    {printed(`{"hookSpecificOutput":"deny"}`), failed(protocol.CauseOutput), "hookSpecificOutput must be an object"},
		"permission null":         {printed(pre(`"permissionDecision":null`)), failed(protocol.CauseOutput), "permissionDecision must be"},
		"permission true":         {printed(pre(`"permissionDecision":true`)), failed(protocol.CauseOutput), "permissionDecision must be"},
		"permission maybe":        {printed(pre(`"permissionDecision":"maybe"`)), failed(protocol.CauseOutput), `"maybe"`},
		"permission Deny":         {printed(pre(`"permissionDecision":"Deny"`)), failed(protocol.CauseOutput), `"Deny"`},
		"permission block":        {printed(pre(`"permissionDecision":"block"`)), failed(protocol.CauseOutput), `"block"`},
		"its reason 42":           {printed(pre(`"permissionDecision":"deny","permissionDecisionReason":42`)), failed(protocol.CauseOutput), "permissionDecisionReason must be a string"},
		"context as a list":       {printed(pre(`"additionalContext":["a"]`)), failed(protocol.CauseOutput), "additionalContext must be a string"},
		"updatedInput null":       {printed(pre(`"permissionDecision":"allow","updatedInput":null`)), failed(protocol.CauseOutput), "updatedInput must be an object"},
		"updatedInput a string":   {printed(pre(`"permissionDecision":"allow","updatedInput":"echo hi"`)), failed(protocol.CauseOutput), "updatedInput must be an object"},
		"updatedInput a list":     {printed(pre(`"updatedInput":[]`)), failed(protocol.CauseOutput), "updatedInput must be an object"},
		"a type is wrong, exit 2": {exited(2, pre(`"permissionDecision":"maybe"`), "err"), blocked("err"), ""},
		"a type is wrong, exit 1": {exited(1, pre(`"permissionDecision":"maybe"`), "err"), failed(protocol.CauseOutput), `"maybe"`},

		// The event must be named, and be this one.
		"no event":              {printed(specific(`"permissionDecision":"deny"`)), failed(protocol.CauseOutput), "hookSpecificOutput has no hookEventName"},
		"another event":         {printed(answers("PostToolUse", `"permissionDecision":"deny"`)), failed(protocol.CauseOutput), `hookEventName must be "PreToolUse", not "PostToolUse"`},
		"an unknown one":        {printed(answers("Nope", `"permissionDecision":"deny"`)), failed(protocol.CauseOutput), `not "Nope"`},
		"in another case":       {printed(answers("preToolUse", `"permissionDecision":"deny"`)), failed(protocol.CauseOutput), `not "preToolUse"`},
		"TENEX's name":          {printed(answers("pre-tool", `"permissionDecision":"deny"`)), failed(protocol.CauseOutput), `not "pre-tool"`},
		"the event as a number": {printed(specific(`"hookEventName":1`)), failed(protocol.CauseOutput), "not 1"},
		"another, exit 2":       {exited(2, answers("PostToolUse", `"additionalContext":"x"`), "err"), blocked("err"), ""},

		// Decisions.
		"deny without a reason":     {printed(pre(`"permissionDecision":"deny"`)), blocked("Blocked by hook"), ""},
		"deny, empty reason":        {printed(pre(`"permissionDecision":"deny","permissionDecisionReason":""`)), blocked("Blocked by hook"), ""},
		"deny, blank reason":        {printed(pre(`"permissionDecision":"deny","permissionDecisionReason":"  \n "`)), blocked("  \n "), ""},
		"deny, an outer reason":     {printed(`{"reason":"outer",` + denied[1:]), blocked("no pushing"), ""},
		"deny in colour":            {printed(pre(`"permissionDecision":"deny","permissionDecisionReason":"\u001b[31mred"`)), blocked("\x1b[31mred"), ""},
		"deny, half a character":    {printed(pre(`"permissionDecision":"deny","permissionDecisionReason":"\ud800\u0041"`)), blocked("\ufffdA"), ""},
		"allow":                     {printed(allowed), approved(""), ""},
		"allow with a reason":       {printed(pre(`"permissionDecision":"allow","permissionDecisionReason":"fine"`)), approved("fine"), ""},
		"ask":                       {printed(pre(`"permissionDecision":"ask","permissionDecisionReason":"sure?"`)), asks(protocol.Ask, "sure?"), ""},
		"ask without a reason":      {printed(pre(`"permissionDecision":"ask"`)), asks(protocol.Ask, "Hook PreToolUse:Bash asked for confirmation for this tool"), ""},
		"defer":                     {printed(pre(`"permissionDecision":"defer","permissionDecisionReason":"later"`)), asks(protocol.Defer, "later"), ""},
		"legacy block":              {printed(`{"decision":"block","reason":"old"}`), blocked("old"), ""},
		"legacy block, no reason":   {printed(`{"decision":"block"}`), blocked("Blocked by hook"), ""},
		"legacy approve":            {printed(`{"decision":"approve","reason":"legacy ok"}`), approved("legacy ok"), ""},
		"block beats inner allow":   {printed(`{"decision":"block","reason":"legacy no",` + pre(`"permissionDecision":"allow","permissionDecisionReason":"new yes"`)[1:]), blocked("legacy no"), ""},
		"block beats inner ask":     {printed(`{"decision":"block","reason":"legacy no",` + pre(`"permissionDecision":"ask"`)[1:]), blocked("legacy no"), ""},
		"inner deny beats approve":  {printed(`{"decision":"approve",` + denied[1:]), blocked("no pushing"), ""},
		"inner ask beats approve":   {printed(`{"decision":"approve",` + pre(`"permissionDecision":"ask","permissionDecisionReason":"sure?"`)[1:]), asks(protocol.Ask, "sure?"), ""},
		"inner defer beats approve": {printed(`{"decision":"approve",` + pre(`"permissionDecision":"defer","permissionDecisionReason":"later"`)[1:]), asks(protocol.Defer, "later"), ""},
		"legacy deny":               {printed(`{"decision":"deny","reason":"x"}`), failed(protocol.CauseOutput), `decision must be "approve" or "block", not "deny"`},
		"legacy allow":              {printed(`{"decision":"allow"}`), failed(protocol.CauseOutput), `not "allow"`},
		"legacy null":               {printed(`{"decision":null}`), failed(protocol.CauseOutput), "not null"},

		// A key that decides and is misspelt the client passes over; hookrun reports it.
		"Decision":                 {printed(`{"Decision":"block"}`), failed(protocol.CauseOutput), `it has "Decision" for "decision", so what it decided is not known`},
		"continu":                  {printed(`{"continu":false}`), failed(protocol.CauseOutput), `"continu" for "continue"`},
		"hook_specific_output":     {printed(`{"hook_specific_output":{}}`), failed(protocol.CauseOutput), `for "hookSpecificOutput"`},
		"permisionDecison":         {exited(1, pre(`"permisionDecison":"deny"`), ""), failed(protocol.CauseOutput), `for "permissionDecision"`},
		"permisionDecison, exit 2": {exited(2, pre(`"permisionDecison":"deny"`), "err"), blocked("err"), ""},
		"three letters":            {printed(`{"dcsn":"block"}`), passes(), ""},
		"a reason is misspelt":     {printed(pre(`"permissionDecision":"deny","permissionDecisionReson":"x"`)), blocked("Blocked by hook"), ""},

		// Everything else.
		"permission at the top":    {printed(`{"permissionDecision":"deny"}`), passes(), "belongs in hookSpecificOutput"},
		"context at the top":       {printed(`{"additionalContext":"x"}`), passes(), ""},
		"update at the top":        {printed(`{"updatedInput":{"command":"x"}}`), passes(), "belongs in hookSpecificOutput"},
		"update alone":             {printed(pre(`"updatedInput":{"command": "x"}`)), update(passes(), `{"command":"x"}`), ""},
		"update with allow":        {printed(pre(`"permissionDecision":"allow","updatedInput":{}`)), update(approved(""), `{}`), ""},
		"update with ask":          {printed(pre(`"permissionDecision":"ask","permissionDecisionReason":"q","updatedInput":{"a":[1,null]}`)), update(asks(protocol.Ask, "q"), `{"a":[1,null]}`), ""},
		"update with deny":         {printed(pre(`"permissionDecision":"deny","updatedInput":{"a":1}`)), blocked("Blocked by hook"), ""},
		"update with legacy block": {printed(`{"decision":"block",` + pre(`"updatedInput":{"a":1}`)[1:]), blocked("Blocked by hook"), ""},
		"update with approve":      {printed(`{"decision":"approve",` + pre(`"updatedInput":{"a":1}`)[1:]), update(approved(""), `{"a":1}`), ""},
		"context is not trimmed":   {printed(pre(`"additionalContext":" café\n"`)), context(passes(), " café\n"), ""},
		"context with deny":        {printed(pre(`"permissionDecision":"deny","additionalContext":"why"`)), context(blocked("Blocked by hook"), "why"), ""},
		"context with ask":         {printed(pre(`"permissionDecision":"ask","permissionDecisionReason":"q","additionalContext":"why"`)), context(asks(protocol.Ask, "q"), "why"), ""},
		"empty context":            {printed(pre(`"additionalContext":""`)), passes(), ""},
		"continue false":           {printed(`{"continue":false,"stopReason":"done"}`), stop(passes(), "done"), ""},
		"continue false alone":     {printed(`{"continue":false}`), stop(passes(), ""), ""},
		"continue false and allow": {printed(`{"continue":false,"stopReason":"done",` + allowed[1:]), stop(approved(""), "done"), ""},
		"continue false and deny":  {printed(`{"continue":false,"stopReason":"done",` + denied[1:]), stop(blocked("no pushing"), "done"), ""},
		"continue true":            {printed(`{"continue":true,"stopReason":"ignored"}`), passes(), ""},
		"stopReason alone":         {printed(`{"stopReason":"alone"}`), passes(), "it has a stopReason and does not stop"},
		"suppressOutput":           {printed(`{"suppressOutput":true}`), passes(), ""},
		"systemMessage":            {printed(`{"systemMessage":"m"}`), message(passes(), "m"), ""},
		"systemMessage and deny":   {printed(`{"systemMessage":"m",` + denied[1:]), message(blocked("no pushing"), "m"), ""},

		// JSON is read on every exit: on any but 0 and 2 it alone counts, 2 blocks whatever it says.
		"1 and deny":                 {exited(1, denied, "stderr"), blocked("no pushing"), ""},
		"127 and deny":               {exited(127, denied, "stderr"), blocked("no pushing"), ""},
		"1 and legacy block":         {exited(1, `{"decision":"block","reason":"old"}`, ""), blocked("old"), ""},
		"1 and allow":                {exited(1, allowed, "stderr"), approved(""), ""},
		"1 and ask":                  {exited(1, pre(`"permissionDecision":"ask","permissionDecisionReason":"q"`), ""), asks(protocol.Ask, "q"), ""},
		"1 and {}":                   {exited(1, "{}", "stderr"), passes(), ""},
		"1, update and context":      {exited(1, pre(`"updatedInput":{"a":1},"additionalContext":"c"`), ""), context(update(passes(), `{"a":1}`), "c"), ""},
		"1 and continue false":       {exited(1, `{"continue":false}`, ""), stop(passes(), ""), ""},
		"a signal and deny":          {killed("SIGKILL", denied, ""), blocked("no pushing"), ""},
		"a signal and allow":         {killed("SIGKILL", allowed, ""), approved(""), ""},
		"2 and deny":                 {exited(2, denied, "stderr"), blocked("no pushing"), ""},
		"2 and legacy block":         {exited(2, `{"decision":"block","reason":"old"}`, "stderr"), blocked("old"), ""},
		"2 and allow":                {exited(2, pre(`"permissionDecision":"allow","permissionDecisionReason":"fine"`), "stderr"), blocked("stderr"), ""},
		"2 and allow, silent":        {exited(2, allowed, ""), blocked("No stderr output"), ""},
		"2 and ask":                  {exited(2, pre(`"permissionDecision":"ask","permissionDecisionReason":"q"`), "stderr"), blocked("stderr"), ""},
		"2 and defer":                {exited(2, pre(`"permissionDecision":"defer"`), "stderr"), blocked("stderr"), ""},
		"2 and approve":              {exited(2, `{"decision":"approve","reason":"yes"}`, "stderr"), blocked("stderr"), ""},
		"2 and an update":            {exited(2, pre(`"permissionDecision":"allow","updatedInput":{"a":1}`), "stderr"), blocked("stderr"), ""},
		"2 and context":              {exited(2, pre(`"additionalContext":"c"`), "stderr"), context(blocked("stderr"), "c"), ""},
		"2 and a message":            {exited(2, `{"systemMessage":"m"}`, "stderr"), message(blocked("stderr"), "m"), ""},
		"2 and continue false":       {exited(2, `{"continue":false,"stopReason":"halt"}`, "stderr"), stop(blocked("stderr"), "halt"), ""},
		"2 and {}":                   {exited(2, "{}", "stderr"), blocked("stderr"), ""},
		"2 and JSON that breaks off": {exited(2, `{"decision":"approve"`, "stderr"), blocked("stderr"), ""},

		// Nobody waits.
		"async":                   {dialect.HookResult{Async: true, ExitCode: 2, Stdout: printed(denied).Stdout}, and(passes(), func(v *dialect.Verdict) { v.Status = protocol.StatusAsync }), ""},
		"async by output":         {printed(`{"async":true}`), and(failed(protocol.CauseOutput), func(v *dialect.Verdict) { v.Status = protocol.StatusAsync }), "went async by its own first line"},
		"async by output, exit 2": {exited(2, `{"async":true}`, "x"), and(failed(protocol.CauseOutput), func(v *dialect.Verdict) { v.Status = protocol.StatusAsync }), "went async by its own first line"},
		"async by its first line": {dialect.HookResult{Async: true, WentAsync: true}, and(failed(protocol.CauseOutput), func(v *dialect.Verdict) { v.Status = protocol.StatusAsync }), "went async by its own first line"},
		"async beside a deny":     {printed(`{"async":true,` + denied[1:]), blocked("no pushing"), ""},
		"async beside a block":    {printed(`{"async":true,"d\u0065cision":"block"}`), blocked("Blocked by hook"), ""},
		"async beside a stop":     {printed(`{"async":true,"continue":false}`), stop(passes(), ""), ""},
		"async as a word":         {printed(`{"async":"true"}`), passes(), ""},
		"async false":             {printed(`{"async":false}`), passes(), ""},

		// A POST: its body must be an answer, and what went wrong on the way is a failure.
		"a body":                 {posted("", denied, ""), blocked("no pushing"), ""},
		"a body that allows":     {posted("", allowed, ""), approved(""), ""},
		"an empty body":          {posted("", " \n", ""), passes(), ""},
		"a body of text":         {posted("", "OK", ""), failed(protocol.CauseOutput), "answered with something else than a JSON object"},
		"a body that is a list":  {posted("", "["+denied+"]", ""), failed(protocol.CauseOutput), "something else than a JSON object"},
		"a body that breaks off": {posted("", `{"decision":"block"`, ""), failed(protocol.CauseOutput), "something else than a JSON object"},
		"a body of braces":       {posted("", "{no}", ""), failed(protocol.CauseOutput), "cannot be read"},
		"no good answer":         {posted(protocol.CauseExit, "", "503 Service Unavailable"), failed(protocol.CauseExit), "PreToolUse hook 'h' got no answer: 503 Service Unavailable; continuing"},
		"no connection":          {posted(protocol.CauseUnstarted, "", "refused"), failed(protocol.CauseExit), "PreToolUse hook 'h' got no answer: refused; continuing"},
		"half an answer":         {posted(protocol.CauseOutput, "", "cut"), failed(protocol.CauseExit), "PreToolUse hook 'h' got no answer: cut; continuing"},
		"a deny in a bad answer": {posted(protocol.CauseExit, denied, "500"), failed(protocol.CauseExit), "got no answer: 500"},
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
					require.Equal(t, v.Status != protocol.StatusOK, v.Problem != "")
				}
				v.Warnings, v.Problem, v.Answered = nil, "", false
				require.Equal(t, test.want, v)
			}
		})
	}
}

// TestClaudeEvents says of each event what its hooks can do there: 2 = exit 2 blocks, b = "decision": "block" does, x = so does
// any exit but 0, s = "continue": false stops, t = plain text is context, f = a failure blocks where its policy says so (TestClaudeOnFailureMeansNothing has the others).
func TestClaudeEvents(t *testing.T) {
	can := map[protocol.Event]string{
		"PreToolUse": "2bsf", "PostToolUse": "2bsf", "PostToolUseFailure": "2bf", "PostToolBatch": "2bsf", "PermissionRequest": "f", "PermissionDenied": "",
		"UserPromptSubmit": "2bstf", "UserPromptExpansion": "2bstf", "SessionStart": "t", "SessionEnd": "", "Setup": "", "Notification": "", "MessageDisplay": "",
		"Stop": "2bs", "SubagentStop": "2bs", "TaskCompleted": "2bs", "TeammateIdle": "2bs", "StopFailure": "", "SubagentStart": "s", "TaskCreated": "2bf",
		"PreCompact": "2btf", "PostCompact": "", "PreModelSwitch": "2bf", "PostModelSwitch": "t", "Elicitation": "2bf", "ElicitationResult": "2bf",
		"ConfigChange": "2bf", "InstructionsLoaded": "", "CwdChanged": "", "DirectoryAdded": "", "FileChanged": "", "WorktreeCreate": "2bxf", "WorktreeRemove": "2bxf",
	}
	require.Len(t, can, 33)
	require.Len(t, claude.Dialect.Events(), 33)
	for _, e := range claude.Dialect.Events() {
		t.Run(string(e), func(t *testing.T) {
			does, known := can[e]
			require.True(t, known)
			parsed, ok := all.ParseEvent(string(e))
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
				require.Equal(t, blocked(reason), v)
			}
			blocks("2", decideClaude(e, exited(2, "text", "why")), "why")
			blocks("2", decideClaude(e, exited(2, "", "")), "No stderr output")
			blocks("b", decideClaude(e, printed(`{"decision":"block","reason":"look"}`)), "look")
			blocks("b", decideClaude(e, exited(1, `{"decision":"block","reason":"look"}`, "x")), map[bool]string{true: "look"}[strings.Contains(does, "b")])
			blocks("x", decideClaude(e, exited(1, "", "why")), "why")
			blocks("x", decideClaude(e, killed("SIGTERM", "", "why")), "why")
			for _, exit := range []int{0, 1} {
				v := decideClaude(e, exited(exit, `{"continue":false,"stopReason":"done"}`, ""))
				require.Equal(t, strings.Contains(does, "s"), v.Stop)
				require.Equal(t, map[bool]string{true: "done"}[v.Stop], v.StopReason)
				if exit == 0 {
					require.Equal(t, protocol.Continue, v.Decision, "a stop decides nothing")
				}
			}
			v := decideClaude(e, printed(" \ufeffsome text\nmore \n"))
			require.Equal(t, map[bool]string{true: "some text\nmore"}[strings.Contains(does, "t")], v.Context)
			require.Equal(t, protocol.Continue, v.Decision)
			require.Equal(t, protocol.StatusOK, v.Status)
			require.Equal(t, v.Context != "", decideClaude(e, printed(`["a"]`)).Context != "")
			require.Empty(t, decideClaude(e, printed(`{"foo":1}`)).Context, "an object is never text")
			require.Empty(t, decideClaude(e, exited(1, "text", "")).Context)
			require.Empty(t, decideClaude(e, exited(2, "text", "")).Context)

			for _, unread := range []string{"{not json}", `{"decision":"deny"}`, `{"Decision":"block"}`, answers("Nope", "")} {
				v = decideClaude(e, printed(unread))
				require.Equal(t, protocol.Continue, v.Decision)
				require.Equal(t, protocol.StatusFailed, v.Status)
				require.NotEmpty(t, v.Warnings)
				if strings.Contains(does, "f") {
					require.Equal(t, protocol.Block, decideClaude(e, printed(unread), onFailure(protocol.Block)).Decision)
				}
			}
			require.Equal(t, protocol.StatusOK, decideClaude(e, printed(answers(e, ""))).Status, "its own name is the right one")
			require.False(t, decideClaude(e, printed(`{"decision":"approve"}`)).Approved && e != "PreToolUse" && e != "PreModelSwitch")
		})
	}
}

func TestClaudePermissionRequest(t *testing.T) {
	decision := func(fields string) dialect.Verdict {
		return decideClaude("PermissionRequest", printed(answers("PermissionRequest", `"decision":{`+fields+`}`)))
	}
	require.Equal(t, blocked("no"), decision(`"behavior":"deny","message":"no"`))
	require.Equal(t, blocked("Blocked by hook"), decision(`"behavior":"den\u0079","updatedInput":{"a":1}`))
	require.Equal(t, and(blocked("no"), func(v *dialect.Verdict) { v.Stop, v.StopReason = true, "no" }), decision(`"behavior":"deny","message":"no","interrupt":true`))
	require.Equal(t, blocked("no"), decision(`"behavior":"deny","message":"no","interrupt":false`))
	twice := decision(`"behavior":"deny","behavior":"allow"`)
	require.Equal(t, []any{protocol.Continue, true}, []any{twice.Decision, twice.Approved})
	require.Len(t, twice.Warnings, 1)
	require.Contains(t, twice.Warnings[0], `has "behavior" twice in its answer`)
	require.Equal(t, and(approved(""), func(v *dialect.Verdict) {
		v.UpdatedInput = []byte(`{"a":1}`)
		v.Other = protocol.Fields{{Key: "updatedPermissions", Value: json.RawMessage(`[{"b":2}]`)}}
	}), decision(`"behavior":"allow","updatedInput":{"a": 1},"updatedPermissions":[{"b": 2}]`))
	for _, wrong := range []string{``, `"behaviour":"deny"`, `"behavior":"ask"`, `"behavior":null`, `"behavior":"Deny"`, `"behavior":"deny","message":1`, `"behavior":"deny","interrupt":"yes"`, `"behavior":"allow","updatedInput":"x"`} {
		v := decision(wrong)
		require.Equal(t, protocol.Continue, v.Decision, wrong)
		require.Equal(t, protocol.StatusFailed, v.Status, wrong)
		require.False(t, v.Approved, wrong)
	}
	v := decideClaude("PermissionRequest", printed(answers("PermissionRequest", `"permissionDecision":"deny"`)))
	require.Len(t, v.Warnings, 1, "it is said that it means nothing")
	v.Warnings = nil
	require.Equal(t, passes(), v, "the word of another event")
	v = decideClaude("PermissionRequest", exited(2, answers("PermissionRequest", `"decision":{"behavior":"deny","message":"no"}`), "x"))
	require.Equal(t, blocked("no"), v, "not the exit, but what it printed")
	v = decideClaude("PermissionRequest", exited(2, answers("PermissionRequest", `"decision":{"behavior":"allow"}`), "x"))
	require.True(t, v.Approved)
}

func TestClaudeOtherFields(t *testing.T) {
	other := func(e protocol.Event, fields string) string {
		v := decideClaude(e, printed(`{"terminalSequence":"\u0007",`+answers(e, fields)[1:]))
		require.Equal(t, protocol.StatusOK, v.Status)
		text, err := v.Other.MarshalJSON()
		require.NoError(t, err)
		return string(text)
	}
	require.Equal(t, `{"terminalSequence":"\u0007","sessionTitle":"t","suppressOriginalPrompt":true}`, other("UserPromptSubmit", `"suppressOriginalPrompt":true,"sessionTitle":"t","bogus":1`))
	require.Equal(t, `{"terminalSequence":"\u0007","initialUserMessage":"hi","watchPaths":["a"]}`, other("SessionStart", `"watchPaths":[ "a" ],"initialUserMessage":"hi"`))
	require.Equal(t, `{"terminalSequence":"\u0007","displayContent":"d"}`, other("MessageDisplay", `"displayContent":"d"`))
	require.Equal(t, `{"terminalSequence":"\u0007"}`, other("PreToolUse", `"sessionTitle":"t"`), "a field of another event")
	require.Equal(t, protocol.StatusFailed, decideClaude("SessionStart", printed(answers("SessionStart", `"watchPaths":["a",1]`))).Status)

	for _, e := range []protocol.Event{"Elicitation", "ElicitationResult"} {
		require.Equal(t, protocol.Block, decideClaude(e, printed(answers(e, `"action":"decline"`))).Decision)
		require.Equal(t, protocol.Continue, decideClaude(e, printed(answers(e, `"action":"accept","content":{"a":1}`))).Decision)
		require.Equal(t, protocol.StatusFailed, decideClaude(e, printed(answers(e, `"action":"refuse"`))).Status)
	}
	path := decideClaude("WorktreeCreate", printed("making it\n /tmp/tree \n")).Other.Get("worktreePath")
	require.Equal(t, `"/tmp/tree"`, string(path), "the last line is the path")
	require.Empty(t, decideClaude("WorktreeCreate", exited(1, "/tmp/tree", "no")).Other)

	rewritten := func(tool, fields string) dialect.Verdict {
		c := atEvent("PostToolUse")
		c.Tool = tool
		r := printed(answers("PostToolUse", fields))
		return claude.Dialect.Decode(&c, "h", &r)
	}
	require.Equal(t, `"new"`, string(rewritten("mcp__x__y", `"updatedToolOutput":"new"`).UpdatedOutput))
	require.Equal(t, `[1]`, string(rewritten("mcp__x__y", `"updatedMCPToolOutput":[ 1 ]`).UpdatedOutput))
	require.Equal(t, `{"stdout":"a","stderr":"","interrupted":false}`, string(rewritten("Bash", `"updatedToolOutput":{"stdout":"a","stderr":"","interrupted":false}`).UpdatedOutput))
	for _, ignored := range []string{`"updatedToolOutput":"a"`, `"updatedToolOutput":{"stdout":"a"}`, `"updatedToolOutput":{"stdout":1,"stderr":"","interrupted":false}`, `"updatedMCPToolOutput":[1]`} {
		v := rewritten("Bash", ignored)
		require.Nil(t, v.UpdatedOutput, ignored)
		require.Len(t, v.Warnings, 1)
		require.Contains(t, v.Warnings[0], "; ignored")
		require.Equal(t, protocol.StatusOK, v.Status)
	}
}

// A line that makes a hook asynchronous must not take a decision with it.
func TestClaudeDetaches(t *testing.T) {
	for line, want := range map[string]bool{
		`{"async":true}`: true, ` {"asyncTimeout":5, "async" : true} `: true, `{"async":true,"systemMessage":"m"}`: true,
		`{"async":false}`: false, `{"async":"true"}`: false, `{"async":1}`: false, `{"async":true`: false, `{"async":true} x`: false, `{"x":{"async":true}}`: false, `["async"]`: false,
		`"async"`: false, ``: false, `async`: false, `{"async":true,"decision":"block"}`: false, `{"async":true,"continue":false}`: false, `{"async":true,` + deny[1:]: false,
		`{"async":true,"async":true}`: false, `{"async":true,"d\u0065cision":"block"}`: false,
	} {
		require.Equal(t, want, claude.Dialect.GoesAsync([]byte(line)), line)
	}
}

func TestClaudeOnFailure(t *testing.T) {
	results := map[protocol.Cause]dialect.HookResult{
		protocol.CauseSignal:    killed("SIGTERM", "", "boom\n"),
		protocol.CauseUnstarted: {Err: errors.New("no: boom")},
		protocol.CauseTimeout:   {TimedOut: true, Limit: time.Second},
		protocol.CauseOutput:    printed("{not json}"),
		protocol.CauseExit:      exited(1, "", "boom\n"),
	}
	for cause, r := range results {
		for _, e := range []protocol.Event{"PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "PermissionRequest", "PreCompact"} {
			v := decideClaude(e, r)
			require.Equal(t, protocol.Continue, v.Decision, "the client goes on")
			require.Len(t, v.Warnings, 1)
			require.Equal(t, v, decideClaude(e, r, protocol.FailurePolicy{cause: protocol.Continue}, onFailure(protocol.Block)), "the first policy that names the cause counts")

			v = decideClaude(e, r, nil, protocol.FailurePolicy{cause: protocol.Block}, onFailure(protocol.Continue))
			require.Equal(t, protocol.Block, v.Decision)
			require.Equal(t, cause, v.Cause)
			require.NotEqual(t, protocol.StatusOK, v.Status)
			require.NotEqual(t, protocol.StatusFailed, v.Status, "failed is for what lets pass")
			require.Contains(t, v.Reason, string(e)+" hook 'h' ")
			if cause != protocol.CauseTimeout && cause != protocol.CauseOutput {
				require.Contains(t, v.Reason, "boom", "what the hook said of it")
			}
			require.Empty(t, v.Warnings, "the reason says it")
		}
	}
	c := atEvent("PreToolUse")
	v := dialect.Unsupported(claude.Dialect, &c, "h", "agent")
	require.Equal(t, protocol.Continue, claude.Dialect.ApplyFailurePolicy(&c, v).Decision)
	require.Equal(t, protocol.Block, claude.Dialect.ApplyFailurePolicy(&c, v, onFailure(protocol.Block)).Decision)

	for _, cause := range claude.Dialect.Causes {
		for _, e := range claude.Dialect.Events() {
			want := protocol.Continue
			if e == "PreModelSwitch" && cause == protocol.CauseTimeout {
				want = protocol.Block
			}
			c := atEvent(e)
			require.Equal(t, want, claude.Dialect.FailureDecision(&c, cause), "%s %s", e, cause)
		}
	}
}

func TestClaudeOnFailureWithAnAnswer(t *testing.T) {
	full := `{"continue":false,"stopReason":"s","systemMessage":"m",` + pre(`"permissionDecision":"allow","permissionDecisionReason":"fine","updatedInput":{"a":1},"additionalContext":"c"`)[1:]
	for _, exit := range []dialect.HookResult{exited(1, "", "err"), exited(127, "", ""), killed("SIGKILL", "", "err")} {
		with := func(stdout string) dialect.HookResult {
			r := exit
			r.Stdout = printed(stdout).Stdout
			return r
		}
		for _, stdout := range []string{`{}`, pre(""), pre(`"permissionDecision":"allow"`), `{"decision":"approve","reason":"fine"}`, pre(`"permissionDecision":"ask"`), full} {
			require.Empty(t, decideClaude("PreToolUse", with(stdout)).Warnings, "without a policy the JSON alone counts")
			v := decideClaude("PreToolUse", with(stdout), onFailure(protocol.Block))
			require.Equal(t, protocol.Block, v.Decision, stdout)
			require.False(t, v.Approved)
			require.Nil(t, v.UpdatedInput)
			require.Equal(t, protocol.StatusBlocked, v.Status)
			require.NotEqual(t, protocol.CausePolicy, v.Cause)
			require.Contains(t, v.Reason, "PreToolUse hook 'h' ", "not the reason for allowing")
		}
		for _, stdout := range []string{pre(`"permissionDecision":"deny","permissionDecisionReason":"own"`), `{"decision":"block","reason":"own"}`} {
			require.Equal(t, blocked("own"), decideClaude("PreToolUse", with(stdout), onFailure(protocol.Block)))
			require.Equal(t, blocked("own"), decideClaude("PreToolUse", with(stdout), onFailure(protocol.Continue)))
		}
	}
	v := decideClaude("PreToolUse", exited(1, full, ""))
	require.Equal(t, []any{true, true, "s", "m", "c", `{"a":1}`, "fine"}, []any{v.Approved, v.Stop, v.StopReason, v.SystemMessage, v.Context, string(v.UpdatedInput), v.Reason})

	for name, r := range map[string]dialect.HookResult{
		"plain text": printed("text"), "silence": printed(""), "{}": printed("{}"),
		"not waited for": {Async: true},
	} {
		require.Equal(t, protocol.Continue, decideClaude("PreToolUse", r, onFailure(protocol.Block)).Decision, name+" is no failure")
	}
	for _, r := range []dialect.HookResult{printed(`{"async":true}`), {Async: true, WentAsync: true}} {
		v := decideClaude("PreToolUse", r, onFailure(protocol.Block))
		require.Equal(t, []any{protocol.Block, protocol.CauseOutput, protocol.StatusAsync}, []any{v.Decision, v.Cause, v.Status}, "async unasked")
		require.Contains(t, v.Reason, "went async by its own first line")
		require.Empty(t, decideClaude("SessionStart", r, onFailure(protocol.Block)).Warnings, "there is nothing that it could have held up")
		require.Len(t, decideClaude("Stop", r, onFailure(protocol.Block)).Warnings, 1)
	}
	require.Equal(t, blocked("boom"), decideClaude("PreToolUse", exited(2, "", "boom"), onFailure(protocol.Continue)), "exit 2 is none either")
	wrong := decideClaude("PreToolUse", printed(answers("PostToolUse", `"additionalContext":"x"`)), onFailure(protocol.Block))
	require.Equal(t, protocol.Block, wrong.Decision)
	require.Equal(t, protocol.CauseOutput, wrong.Cause)
	require.Empty(t, wrong.Context)
}

// What a failure means cannot be set where a turn ends, since a hook that is broken would never let it end, and where nothing
// can be blocked.
func TestClaudeOnFailureMeansNothing(t *testing.T) {
	for _, e := range []protocol.Event{"Stop", "SubagentStop", "TaskCompleted", "TeammateIdle", "SessionStart", "SessionEnd", "Notification", "PostModelSwitch"} {
		for _, r := range []dialect.HookResult{exited(1, "", "boom"), exited(1, "{}", "boom"), killed("SIGKILL", "", ""), {Err: errors.New("no")}, {TimedOut: true}, printed("{not json}"), printed(answers("Nope", ""))} {
			v := decideClaude(e, r, onFailure(protocol.Block))
			require.Equal(t, protocol.Continue, v.Decision, "%s %+v", e, v)
			require.LessOrEqual(t, len(v.Warnings), 1, "one warning for one failure")
			require.Equal(t, v, decideClaude(e, r), "the policy changes nothing")
		}
	}
	require.Equal(t, blocked("go on"), decideClaude("Stop", exited(2, "", "go on"), onFailure(protocol.Continue)), "exit 2 is no failure")
}

// Keys that the client does not know it passes over, and so a deny stands beside one that merely looks like another key of an
// answer: a hook that prints an answer for several clients in one object must not lose it.
func TestClaudeMisspeltKeyBesideTheRightOne(t *testing.T) {
	for _, stdout := range []string{
		`{"decision":"block","reason":"r","decisions":["r"]}`,
		`{"Decision":"deny","decision":"block","reason":"r"}`,
		`{"continued":true,"decision":"block","reason":"r"}`,
		`{"hook_specific_output":{},` + pre(`"permissionDecision":"deny","permissionDecisionReason":"r"`)[1:],
		pre(`"permissionDecision":"deny","permission_decision":"deny","permissionDecisionReason":"r"`),
	} {
		for _, exit := range []int{0, 1, 2} {
			v := decideClaude("PreToolUse", exited(exit, stdout, "err"))
			require.Equal(t, protocol.Block, v.Decision, stdout)
		}
	}
	v := decideClaude("PreToolUse", printed(pre(`"permissionDecision":"allow","permission_decision":"deny"`)))
	require.False(t, v.Approved, "an approval with a word against it is none")
}

// Of two equal keys the last counts here too.
func TestClaudeAsyncTwice(t *testing.T) {
	v := decideClaude("PreToolUse", exited(2, `{"async":true,"async":false}`, "no"))
	require.Equal(t, blocked("no"), v)
	require.Equal(t, protocol.StatusAsync, decideClaude("PreToolUse", printed(`{"async":false,"async":true}`)).Status)
}

// One or two letters are not one or two bytes.
func TestClaudeMisspeltInAnotherAlphabet(t *testing.T) {
	for _, key := range []string{"d\u0435cision", "d\u0435cisi\u043en", "de\xffcision", "deci\u7684sion"} { // the first have Cyrillic letters that look the same
		require.Equal(t, protocol.StatusFailed, decideClaude("PreToolUse", printed(`{"`+key+`":"block"}`)).Status, "%+q", key)
	}
}

// A guard, the tool and the host must not read different values of a rewrite.
func TestClaudeUpdateWithEqualKeys(t *testing.T) {
	v := decideClaude("PreToolUse", printed(pre(`"updatedInput":{"command":"first","command":"last"}`)))
	require.Equal(t, `{"command":"last"}`, string(v.UpdatedInput))
}

func TestClaudeMerge(t *testing.T) {
	c := atEvent("PreToolUse")
	merge := func(results ...dialect.HookResult) protocol.Outcome {
		var judged []dialect.HookVerdict
		for i, r := range results {
			name := string(rune('a' + i))
			v := claude.Dialect.ApplyFailurePolicy(&c, claude.Dialect.Decode(&c, name, &r))
			judged = append(judged, dialect.HookVerdict{Report: dialect.Report(name, "f:1", &r, &v), Verdict: v, Dialect: claude.Dialect})
		}
		return dialect.Merge(&c, judged)
	}
	word := func(w string) dialect.HookResult {
		return printed(pre(`"permissionDecision":"` + w + `","permissionDecisionReason":"` + w + `","additionalContext":"c-` + w + `"`))
	}
	// deny = exit 2 > defer > ask > allow, in any order of the file.
	words := []string{"deny", "defer", "ask", "allow"}
	decisions := []protocol.Decision{protocol.Block, protocol.Defer, protocol.Ask, protocol.Continue}
	for i := range words {
		for j := range words {
			o := merge(word(words[i]), printed(""), word(words[j]))
			require.Equal(t, decisions[min(i, j)], o.Decision)
			require.Equal(t, words[min(i, j)], o.Reason)
			require.Equal(t, min(i, j) == 3, o.Approved)
			require.Equal(t, map[bool]string{true: "a", false: "c"}[i <= j], o.Hook)
			require.Equal(t, []string{"c-" + words[i], "c-" + words[j]}, o.Texts(), "the model is told what all of them say, also of a call that is blocked")
		}
		o := merge(word(words[i]), exited(2, "", "two"))
		require.Equal(t, protocol.Block, o.Decision)
		require.Equal(t, map[bool]string{true: "deny", false: "two"}[i == 0], o.Reason, "the first that blocks")
	}

	update := func(value string) dialect.HookResult { return printed(pre(`"updatedInput":{"v":"` + value + `"}`)) }
	o := merge(update("1"), update("2"), word("allow"))
	require.Equal(t, `{"v":"2"}`, string(o.UpdatedInput), "the last counts, and an allow after it does not undo it")
	require.True(t, o.Approved)
	require.Nil(t, merge(update("1"), word("deny")).UpdatedInput)
	require.NotNil(t, merge(update("1"), word("ask")).UpdatedInput)

	o = merge(printed(`{"continue":false,"stopReason":"s1"}`), word("deny"), printed(`{"continue":false,"stopReason":"s2"}`), printed(`{"continue":false}`))
	require.Equal(t, protocol.Block, o.Decision, "not run, and stopped")
	require.True(t, o.Stop)
	require.Equal(t, "s2", o.StopReason)
	require.Equal(t, 3, o.ExitCode())

	o = merge(word("allow"), exited(1, "", "boom"), dialect.HookResult{TimedOut: true}, printed("{x}"))
	require.True(t, o.Approved, "failures of others do not undo an allow with this client")
	require.Len(t, o.Warnings, 3)
	require.Len(t, o.Hooks, 4)
	unsupported := claude.Dialect.ApplyFailurePolicy(&c, dialect.Unsupported(claude.Dialect, &c, "p", "prompt"))
	r := word("allow")
	o = dialect.Merge(&c, []dialect.HookVerdict{{Verdict: claude.Dialect.Decode(&c, "a", &r), Dialect: claude.Dialect}, {Verdict: unsupported, Dialect: claude.Dialect}})
	require.Equal(t, protocol.Continue, o.Decision)
	require.False(t, o.Approved, "but a hook that hookrun could not ask does")
}

func TestClaudeSubjects(t *testing.T) {
	c, _, err := all.ParseInput(`{"hook_event_name":"SessionStart","source":"startup","tool_name":"Bash"}`)
	require.NoError(t, err)
	for event, want := range map[protocol.Event]string{"SessionStart": "startup", "PreToolUse": "Bash", protocol.PostTool: "Bash", "PermissionRequest": "Bash"} {
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

func encoded(t *testing.T, c *protocol.Call) string {
	p, warnings, err := claude.Dialect.EncodeInput(c)
	require.NoError(t, err)
	require.Empty(t, warnings)
	return string(p.Bytes())
}

func TestClaudePayload(t *testing.T) {
	c := protocol.Call{
		Event: protocol.PreTool, Workspace: "/w", Dir: "/w/sub", SessionID: "s", Prompt: `say "<hi>" & é`, Tool: "Bash",
		Args: ` { "command" : "a\u0062 <&> \u00e9" , "n": 1e400 } `, Result: "line\n\x00\xff", ToolUseID: "t1", TranscriptPath: "/t",
	}
	const head = `{"session_id":"s","transcript_path":"/t","cwd":"/w/sub","permission_mode":"default",`
	const tool = `"tool_name":"Bash","tool_input":{"command":"ab <&> é","n":1e400},`
	require.Equal(t, head+`"hook_event_name":"PreToolUse",`+tool+`"tool_use_id":"t1"}`+"\n", encoded(t, &c))
	c.AgentID = "a1"
	require.Equal(t, head+`"agent_id":"a1","hook_event_name":"PreToolUse",`+tool+`"tool_use_id":"t1"}`+"\n", encoded(t, &c))
	c.AgentID, c.Event = "", protocol.PostTool
	require.Equal(t, head+`"hook_event_name":"PostToolUse",`+tool+`"tool_response":"line\n\u0000�","tool_use_id":"t1"}`+"\n", encoded(t, &c))
	c.Failed = true
	require.Equal(t, head+`"hook_event_name":"PostToolUseFailure",`+tool+`"tool_use_id":"t1","error":"line\n\u0000�","is_interrupt":false}`+"\n", encoded(t, &c))
	c.Event, c.Failed, c.Dir = protocol.PreExecute, false, ""
	require.Equal(t, `{"session_id":"s","transcript_path":"/t","cwd":"/w","permission_mode":"default","hook_event_name":"UserPromptSubmit","prompt":"say \"<hi>\" & é"}`+"\n", encoded(t, &c))

	c.Event = "PostToolUse"
	for result, want := range map[string]string{
		"":                      `""`,
		"text":                  `"text"`,
		"12":                    `"12"`,
		`"quoted"`:              `"\"quoted\""`,
		` {"stdout": "x"} `:     `{"stdout":"x"}`,
		`[ {"type":"text"} ]`:   `[{"type":"text"}]`,
		`{"a":`:                 `"{\"a\":"`,
		`{"a":1,"a":2}`:         `"{\"a\":1,\"a\":2}"`, // which of them the tool meant nobody knows
		"{\"a\":\"\xff\"}":      `{"a":"�"}`,
		"[link](http://x) and…": `"[link](http://x) and…"`,
	} {
		c.Result = result
		require.Equal(t, want, string(member(json.RawMessage(encoded(t, &c)), "tool_response")), result)
	}
	c.Args = `{"a":1,"a":2}`
	p, warnings, err := claude.Dialect.EncodeInput(&c)
	require.NoError(t, err)
	require.Equal(t, []string{`arguments of tool "Bash": the key "a" is there twice in one object; hooks were given the last`}, warnings)
	require.Contains(t, string(p.Bytes()), `"tool_input":{"a":2},`)
	c.Args = strings.Repeat("[", 10_000)
	_, _, err = claude.Dialect.EncodeInput(&c)
	require.ErrorContains(t, err, "nested more than 9999 deep")
}

// TestClaudePassesOnRecordedInput: whatever the client was seen to put on stdin comes out again, byte for byte.
func TestClaudePassesOnRecordedInput(t *testing.T) {
	files, err := filepath.Glob("../e2e/testdata/claude/*.jsonl")
	require.NoError(t, err)
	events := map[protocol.Event]int{}
	for _, file := range files {
		f, err := os.Open(file)
		require.NoError(t, err)
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			stdin := member(lines.Bytes(), "stdin")
			if stdin == nil {
				continue
			}
			c, warnings, err := all.ParseInput(string(stdin) + "\n")
			require.NoError(t, err, "%s: %s", file, stdin)
			require.Empty(t, warnings)
			require.Equal(t, string(stdin)+"\n", encoded(t, &c))
			got := decode(t, stdin)
			require.Equal(t, got["hook_event_name"], string(c.Event))
			require.Equal(t, got["cwd"], c.Dir)
			require.Equal(t, got["session_id"], c.SessionID)
			if c.Event.HasTool() {
				require.Equal(t, got["tool_name"], c.Tool)
				require.Equal(t, string(member(stdin, "tool_input")), c.Args)
				require.Equal(t, c.Event == "PostToolUseFailure", c.Failed)
			}
			require.Equal(t, c.Event, claude.Dialect.EventOf(&c))
			events[c.Event]++
		}
		require.NoError(t, lines.Err())
		require.NoError(t, f.Close())
	}
	require.Greater(t, len(events), 10, "%v", events)
	require.Greater(t, events["PreToolUse"], 50)
}

func TestParseInput(t *testing.T) {
	c, warnings, err := all.ParseInput("\ufeff" + ` {"session_id" : "s\ud83d\ude00", "transcript_path":"/t","cwd":"/w/sub","prompt_id":null,"agent_id":"a","extra":[1, 2],
		"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input": {"command": "g\u0069t push", "n": 1.50},"tool_use_id":"u","prompt":"p"}` + "\n")
	require.NoError(t, err)
	require.Empty(t, warnings)
	const compact = `{"session_id":"s😀","transcript_path":"/t","cwd":"/w/sub","prompt_id":null,"agent_id":"a","extra":[1,2],` +
		`"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push","n":1.50},"tool_use_id":"u","prompt":"p"}`
	require.Equal(t, protocol.Call{Event: "PreToolUse", SessionID: "s😀", TranscriptPath: "/t", Dir: "/w/sub", AgentID: "a", Tool: "Bash",
		Args: `{"command":"git push","n":1.50}`, ToolUseID: "u", Prompt: "p", ClientInput: compact}, c)
	require.Equal(t, compact+"\n", encoded(t, &c))
	require.Equal(t, `[1,2]`, c.Field("extra"))
	require.Equal(t, "s😀", c.Field("session_id"))
	require.Empty(t, c.Field("absent"))

	for doc, want := range map[string]protocol.Call{
		`{"hook_event_name":"Stop"}`:                                                                      {Event: "Stop"},
		`{"hook_event_name":"pre-tool","tool_name":"t"}`:                                                  {Event: "pre-tool", Tool: "t"},
		`{"\u0068ook_event_name":"St\u006fp"}`:                                                            {Event: "Stop"},
		`{"hook_event_name":"Stop","session_id":null,"cwd":null,"agent_id":null}`:                         {Event: "Stop"},
		`{"hook_event_name":"UserPromptSubmit","prompt":"\ud800x"}`:                                       {Event: "UserPromptSubmit", Prompt: "\ufffdx"},
		"{\"hook_event_name\":\"Stop\",\"cwd\":\"\xff\"}":                                                 {Event: "Stop", Dir: "\ufffd"},
		`{"tool_name":"T","hook_event_name":"PreToolUse","tool_input":"ls"}`:                              {Event: "PreToolUse", Tool: "T", Args: `"ls"`},
		`{"tool_name":"T","hook_event_name":"PreToolUse","tool_input":[1]}`:                               {Event: "PreToolUse", Tool: "T", Args: `[1]`},
		`{"tool_name":"T","hook_event_name":"PostToolUse","tool_response":{"stdout": "x"}}`:               {Event: "PostToolUse", Tool: "T", Result: `{"stdout":"x"}`},
		`{"tool_name":"T","hook_event_name":"PostToolUse","tool_response":"a\nb"}`:                        {Event: "PostToolUse", Tool: "T", Result: "a\nb"},
		`{"tool_name":"T","hook_event_name":"PostToolUse","tool_response":[{"type":"text"}]}`:             {Event: "PostToolUse", Tool: "T", Result: `[{"type":"text"}]`},
		`{"tool_name":"T","hook_event_name":"PostToolUse","tool_output":"M66"}`:                           {Event: "PostToolUse", Tool: "T", Result: "M66"},
		`{"tool_name":"T","hook_event_name":"PostToolUse","tool_output":{"a": 1},"tool_response":null}`:   {Event: "PostToolUse", Tool: "T", Result: `{"a":1}`},
		`{"tool_name":"T","hook_event_name":"PostToolUse","tool_output":"x","tool_response":"counts"}`:    {Event: "PostToolUse", Tool: "T", Result: "counts"},
		`{"tool_name":"T","hook_event_name":"PostToolUse","tool_result":{"is_error": true}}`:              {Event: "PostToolUse", Tool: "T", Result: `{"is_error":true}`},
		`{"tool_name":"T","hook_event_name":"PostToolUseFailure","error":"Exit code 3"}`:                  {Event: "PostToolUseFailure", Tool: "T", Result: "Exit code 3", Failed: true},
		`{"hook_event_name":"StopFailure","error":"rate_limit"}`:                                          {Event: "StopFailure"},
		`{"tool_name":"T","tool_input":{"hook_event_name":"Stop"},"hook_event_name":"PermissionRequest"}`: {Event: "PermissionRequest", Tool: "T", Args: `{"hook_event_name":"Stop"}`},
	} {
		got, warnings, err := all.ParseInput(doc)
		require.NoError(t, err, doc)
		require.Empty(t, warnings, doc)
		require.True(t, json.Valid([]byte(got.ClientInput)))
		got.ClientInput = ""
		require.Equal(t, want, got, doc)
	}

	// Of equal keys everybody is given the last, and is told so.
	c, warnings, err = all.ParseInput(`{"tool_name":"evil","tool_n\u0061me":"evil","hook_event_name":"PreToolUse","x":"safe","x":1,"tool_input":{"a":1,"a":2}}`)
	require.NoError(t, err)
	require.Equal(t, []string{`the hook input: the key "tool_name" is there twice in one object; hooks were given the last (and 2 more such keys)`}, warnings)
	require.Equal(t, protocol.Event("PreToolUse"), c.Event)
	require.Equal(t, "evil", c.Tool)
	require.Equal(t, `{"a":2}`, c.Args)
	require.JSONEq(t, `{"hook_event_name":"PreToolUse","tool_name":"evil","x":1,"tool_input":{"a":2}}`, c.ClientInput)
	require.NotContains(t, c.ClientInput, "safe")

	for doc, want := range map[string]string{
		"":                                       "the hook input: line 1, column 1",
		" \n":                                    "the hook input: line 2, column 1",
		"PreToolUse":                             "the hook input: line 1, column 1",
		`{"hook_event_name":"Stop"`:              "the document ends too early",
		`{"hook_event_name":"Stop"} {}`:          "after the end of the document",
		`{"hook_event_name":"Stop",}`:            "line 1, column 26",
		`[]`:                                     "the hook input must be a JSON object",
		`[{"hook_event_name":"Stop"}]`:           "the hook input must be a JSON object",
		`null`:                                   "the hook input must be a JSON object",
		`"Stop"`:                                 "the hook input must be a JSON object",
		`{}`:                                     "the hook input has no hook_event_name",
		`{"event":"Stop"}`:                       "the hook input has no hook_event_name",
		`{"Hook_event_name":"Stop"}`:             "the hook input has no hook_event_name",
		`{"hook_event_name":null}`:               "hook_event_name null is no event that is known",
		`{"hook_event_name":1}`:                  "hook_event_name 1 is no event that is known",
		`{"hook_event_name":["Stop"]}`:           `hook_event_name ["Stop"] is no event that is known`,
		`{"hook_event_name":"stop"}`:             `hook_event_name "stop" is no event that is known`,
		`{"hook_event_name":""}`:                 `hook_event_name "" is no event that is known`,
		`{"hook_event_name":"Stop","cwd":1}`:     "the hook input's cwd must be a string, not 1",
		`{"hook_event_name":"Stop","prompt":{}}`: "the hook input's prompt must be a string, not {}",
		`{"hook_event_name":"PreToolUse","tool_name":["Bash"]}`:              `the hook input's tool_name must be a string, not ["Bash"]`,
		`{"hook_event_name":"PreToolUse","tool_use_id":true}`:                "the hook input's tool_use_id must be a string, not true",
		`{"hook_event_name":"Stop","session_id":0}`:                          "the hook input's session_id must be a string, not 0",
		`{"hook_event_name":"Stop","transcript_path":false}`:                 "the hook input's transcript_path must be a string, not false",
		`{"hook_event_name":"Stop","agent_id":[]}`:                           "the hook input's agent_id must be a string, not []",
		`{"hook_event_name":"PreToolUse","x":` + strings.Repeat("[", 10_000): "nested more than 9999 deep",
	} {
		_, warnings, err := all.ParseInput(doc)
		require.ErrorContains(t, err, want, "%.60s", doc)
		require.Empty(t, warnings)
	}
}

func TestRewriteReachesTheClientsInput(t *testing.T) {
	const doc = `{"tool_input_before":{"tool_input":1},"hook_event_name":"PostToolUse","tool_name":"T","tool_input":{"tool_response":0,"a":"é"},"tool_response":{"tool_input":2},"z":"tool_input"}`
	parse := func(doc string) protocol.Call {
		c, _, err := all.ParseInput(doc)
		require.NoError(t, err)
		return c
	}
	c := parse(doc)
	_, _, err := c.Input()
	require.NoError(t, err)
	v := dialect.Verdict{Decision: protocol.Continue, UpdatedInput: []byte(`{"b":[1]}`)}
	require.True(t, v.Rewrite(&c))
	want := strings.Replace(doc, `{"tool_response":0,"a":"é"}`, `{"b":[1]}`, 1)
	require.Equal(t, want+"\n", encoded(t, &c))
	require.Equal(t, `{"b":[1]}`, c.Args)
	input, _, err := c.Input()
	require.NoError(t, err)
	require.Equal(t, `{"b":[1]}`, string(input), "not what was worked out before")

	v = dialect.Verdict{Decision: protocol.Ask, UpdatedOutput: []byte(`"new"`)}
	require.True(t, v.Rewrite(&c))
	want = strings.Replace(want, `{"tool_input":2}`, `"new"`, 1)
	require.Equal(t, want+"\n", encoded(t, &c))
	require.Equal(t, "new", c.Result)

	v = dialect.Verdict{Decision: protocol.Block, UpdatedInput: []byte(`{}`), UpdatedOutput: []byte(`1`)}
	require.False(t, v.Rewrite(&c), "a block rewrites nothing")
	v = dialect.Verdict{Decision: protocol.Continue}
	require.False(t, v.Rewrite(&c))
	require.Equal(t, want+"\n", encoded(t, &c))

	for output, want := range map[string]string{"": "old", `"n\u0065w"`: "new", `{"a":1}`: `{"a":1}`, "null": "null"} {
		o := protocol.Outcome{}
		if output != "" {
			o.UpdatedOutput = []byte(output)
		}
		require.Equal(t, want, o.ResultText("old"))
	}

	c = parse(`{"hook_event_name":"Stop"}`)
	v = dialect.Verdict{Decision: protocol.Continue, UpdatedInput: []byte(`{}`), UpdatedOutput: []byte(`1`)}
	v.Rewrite(&c)
	require.Equal(t, `{"hook_event_name":"Stop"}`, c.ClientInput, "what the client did not give is not made up")
}

func TestClaudeOutput(t *testing.T) {
	other := protocol.Fields{{Key: "terminalSequence", Value: json.RawMessage(`"\u0007"`)}, {Key: "updatedPermissions", Value: json.RawMessage(`[1]`)}, {Key: "sessionTitle", Value: json.RawMessage(`"t"`)}}
	outcome := func(e protocol.Event, d protocol.Decision, change func(*protocol.Outcome)) protocol.Outcome {
		o := protocol.Outcome{Version: 1, Event: e, Decision: d}
		if d != protocol.Continue {
			o.Reason = "r"
		}
		if change != nil {
			change(&o)
		}
		return o
	}
	approve := func(o *protocol.Outcome) { o.Approved, o.Reason = true, "fine" }
	update := func(o *protocol.Outcome) { o.UpdatedInput = json.RawMessage(`{"a":1}`) }
	texts := func(o *protocol.Outcome) { o.Inject = []protocol.Inject{{Content: "<one>"}, {Content: "two"}} }
	stops := func(o *protocol.Outcome) { o.Stop, o.StopReason = true, "s" }
	others := func(o *protocol.Outcome) { o.Other = other }
	messages := func(o *protocol.Outcome) { o.SystemMessages = []string{"m1", "m2"} }
	const b, d, a, c = protocol.Block, protocol.Defer, protocol.Ask, protocol.Continue
	for want, o := range map[string]protocol.Outcome{
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"r"}}`:                       outcome("PreToolUse", b, nil),
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer","permissionDecisionReason":"r"}}`:                      outcome("PreToolUse", d, nil),
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"r","updatedInput":{"a":1}}}`: outcome("PreToolUse", a, update),
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"fine"}}`:                   outcome("pre-tool", c, approve),
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"a":1}}}`:                                                           outcome("PreToolUse", c, update),
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"<one>\n\ntwo"}}`:                                               outcome("PreToolUse", c, texts),
		`{"continue":false,"stopReason":"s"}`: outcome("PreToolUse", c, stops),
		`{"continue":false,"stopReason":"s","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"r"}}`: outcome("PreToolUse", b, stops),
		`{"systemMessage":"m1\nm2"}`: outcome("PreToolUse", c, messages),
		`{"terminalSequence":"\u0007","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","sessionTitle":"t"}}`: outcome("pre-execute", c, others),
		`{"decision":"block","reason":"r"}`: outcome("UserPromptSubmit", b, nil),
		`{"decision":"block","reason":"r","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"<one>\n\ntwo"}}`:                                            outcome("PostToolUse", b, texts),
		`{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":"x"}}`:                                                                                       outcome("PostToolUse", c, func(o *protocol.Outcome) { o.UpdatedOutput = json.RawMessage(`"x"`) }),
		`{"continue":false,"stopReason":"s","decision":"block","reason":"r"}`:                                                                                                  outcome("Stop", b, stops),
		`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"r"}}}`:                                                            outcome("PermissionRequest", b, update),
		`{"continue":false,"stopReason":"s","hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"r","interrupt":true}}}`:         outcome("PermissionRequest", b, stops),
		`{"terminalSequence":"\u0007","hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedPermissions":[1]},"sessionTitle":"t"}}`: outcome("PermissionRequest", c, func(o *protocol.Outcome) { approve(o); others(o) }),
		`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"a":1}}}}`:                                                  outcome("PermissionRequest", c, func(o *protocol.Outcome) { approve(o); update(o) }),
		`{"hookSpecificOutput":{"hookEventName":"PreModelSwitch","permissionDecision":"deny","permissionDecisionReason":"r"}}`:                                                 outcome("PreModelSwitch", b, nil),
		`{"hookSpecificOutput":{"hookEventName":"PreModelSwitch","permissionDecision":"ask","permissionDecisionReason":"r"}}`:                                                  outcome("PreModelSwitch", a, nil),
		`{"hookSpecificOutput":{"hookEventName":"PreModelSwitch","permissionDecision":"allow","permissionDecisionReason":"fine"}}`:                                             outcome("PreModelSwitch", c, approve),
		"<one>\n\ntwo": outcome("PreCompact", c, texts), // instructions, which the client takes as plain text
		"/tmp/tree":    outcome("WorktreeCreate", c, func(o *protocol.Outcome) { o.Other.Set("worktreePath", []byte(`"/tmp/tree"`)) }),
	} {
		got, _, err := claude.Dialect.EncodeOutput(o)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}

	// Ask and defer have no word at most events: the stricter one is used, never the other.
	for _, e := range claude.Dialect.Events() {
		for _, decision := range []protocol.Decision{b, d, a} {
			got, _, err := claude.Dialect.EncodeOutput(outcome(e, decision, func(o *protocol.Outcome) { o.Approved = true; texts(o) }))
			require.NoError(t, err)
			var form struct {
				Decision, Reason   string
				HookSpecificOutput struct {
					PermissionDecision string
					Decision           struct{ Behavior string }
				}
			}
			require.NoError(t, json.Unmarshal(got, &form))
			switch e {
			case "PreToolUse", "PreModelSwitch":
				require.Equal(t, map[protocol.Decision]string{b: "deny", d: "defer", a: "ask"}[decision], form.HookSpecificOutput.PermissionDecision)
			case "PermissionRequest":
				require.Equal(t, "deny", form.HookSpecificOutput.Decision.Behavior)
			default:
				require.Equal(t, "block", form.Decision, e)
				require.Equal(t, "r", form.Reason)
			}
			_, exit, err := claude.Dialect.EncodeOutput(outcome(e, decision, nil))
			require.NoError(t, err)
			looksAtExit := slices.Contains([]protocol.Event{"TeammateIdle", "TaskCreated", "TaskCompleted", "WorktreeCreate", "WorktreeRemove", "Elicitation", "ElicitationResult"}, e)
			require.Equal(t, map[bool]int{true: 2}[looksAtExit], exit, e)
		}
		got, _, err := claude.Dialect.EncodeOutput(outcome(e, c, nil))
		require.NoError(t, err)
		require.Equal(t, "{}", string(got), "nothing to say")
		_, exit, err := claude.Dialect.EncodeOutput(outcome(e, c, stops))
		require.NoError(t, err)
		require.Zero(t, exit)
	}
}

// merged is the outcome of one hook that printed stdout, and its verdict.
func merged(c *protocol.Call, stdout string) (dialect.Verdict, protocol.Outcome) {
	r := printed(stdout)
	v := claude.Dialect.ApplyFailurePolicy(c, claude.Dialect.Decode(c, "h", &r))
	return v, dialect.Merge(c, []dialect.HookVerdict{{Report: dialect.Report("h", "f:1", &r, &v), Verdict: v, Dialect: claude.Dialect}})
}

// TestClaudeOutputReadsBack: what hookrun prints as a hook command of the client means to it what its own hooks said.
// The one exception is a stop without a reason, which an outcome words itself.
func TestClaudeOutputReadsBack(t *testing.T) {
	texts := []string{"", "r", " \n<&> \"é\" 😀 \\ \u2028", "\x1b[31m", "{\"decision\":\"approve\"}"}
	rng := rand.New(rand.NewPCG(7, 7))
	text := func() string { return texts[rng.IntN(len(texts))] }
	quote := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	some := func(fields ...string) string { // each of them or not
		return strings.Join(slices.DeleteFunc(fields, func(string) bool { return rng.IntN(2) == 0 }), ",")
	}
	pick := func(words ...string) string { return words[rng.IntN(len(words))] }
	fields := map[protocol.Event]func() string{
		"PreToolUse": func() string {
			return some(`"permissionDecision":"`+pick("allow", "deny", "ask", "defer")+`"`, `"permissionDecisionReason":`+quote(text()), `"updatedInput":{"command":`+quote(text())+`,"n":1.0}`, `"additionalContext":`+quote(text()))
		},
		"PostToolUse": func() string {
			return some(`"additionalContext":`+quote(text()), `"classifierContext":`+quote(text()), `"updatedToolOutput":`+pick(`"x"`, `{"a": [1]}`, `[]`, `0`), `"updatedMCPToolOutput":[{"text":`+quote(text())+`}]`)
		},
		"PostToolUseFailure": func() string { return some(`"additionalContext":` + quote(text())) },
		"UserPromptSubmit": func() string {
			return some(`"additionalContext":`+quote(text()), `"sessionTitle":`+quote(text()), `"suppressOriginalPrompt":`+pick("true", "false"))
		},
		"PermissionRequest": func() string {
			return some(`"decision":{` + strings.TrimSuffix(`"behavior":"`+pick("allow", "deny")+`",`+some(`"message":`+quote(text()), `"interrupt":`+pick("true", "false"), `"updatedInput":{"a":1}`, `"updatedPermissions":[{"x":1}]`), ",") + `}`)
		},
		"Stop": func() string { return some(`"additionalContext":` + quote(text())) },
	}
	seen := map[string]int{}
	for i := range 6_000 {
		events := []protocol.Event{"PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "PermissionRequest", "Stop"}
		e := events[i%len(events)]
		c := protocol.Call{Event: e, Tool: "mcp__x__y"}
		inner := answers(e, fields[e]())
		stdout := "{" + strings.TrimSuffix(some(`"continue":`+pick("true", "false", "false"), `"stopReason":`+quote(text()), `"decision":"`+pick("approve", "block")+`"`, `"reason":`+quote(text()),
			`"systemMessage":`+quote(text()), `"suppressOutput":true`, `"terminalSequence":"\u0007"`, inner[1:len(inner)-1]), ",") + "}"
		first, o := merged(&c, stdout)
		require.NotEqual(t, protocol.StatusFailed, first.Status, "%s %v", stdout, first.Warnings)
		first.Warnings, o.Warnings = nil, nil // hookrun's own words to the user, which no hook said
		out, _, err := claude.Dialect.EncodeOutput(o)
		require.NoError(t, err)
		second, _ := merged(&c, string(out))
		if first.Stop && first.StopReason == "" {
			first.StopReason = "Stopped by project hook 'h'"
		}
		require.Equal(t, first, second, "%s\n%s", stdout, out)
		seen[fmt.Sprint(e, " ", first.Decision, " ", first.Approved)]++
	}
	require.Len(t, seen, 5+2+2+2+3+2, "%v", seen)
}

// A tool that failed has an event of its own, and so has what is said about it.
func TestClaudeOutputOfAFailedTool(t *testing.T) {
	c := protocol.Call{Event: protocol.PostTool, Failed: true, Tool: "Bash"}
	first, o := merged(&c, answers("PostToolUseFailure", `"additionalContext":"c"`))
	require.Equal(t, "c", first.Context)
	out, _, err := claude.Dialect.EncodeOutput(o)
	require.NoError(t, err)
	second, _ := merged(&c, string(out))
	require.Equal(t, "c", second.Context, "%s", out)
}

// node is a value of an answer that is about to be spoilt.
type node struct {
	key  string
	text string // of a value that is not taken apart
	kids []*node
}

// takenApart are the objects of an answer that have keys which mean something.
func takenApart(key string) bool {
	return key == "hookSpecificOutput" || key == "decision" || key == ""
}

func parseNode(key string, text []byte) *node {
	n := &node{key: key, text: string(text)}
	if !takenApart(key) || text[0] != '{' {
		return n
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		panic(err)
	}
	for d.More() {
		key, err := d.Token()
		var value json.RawMessage
		if err := errors.Join(err, d.Decode(&value)); err != nil {
			panic(err)
		}
		n.kids = append(n.kids, parseNode(key.(string), value))
	}
	return n
}

// all returns the nodes below n, in order.
func (n *node) all() (nodes []*node) {
	for _, k := range n.kids {
		nodes = append(append(nodes, k), k.all()...)
	}
	return nodes
}

func (n *node) named(key string) *node {
	for _, k := range n.all() {
		if k.key == key && k.kids == nil {
			return k
		}
	}
	return nil
}

// write writes an answer as some other program would: with escapes that are not needed and white space between its tokens.
func (n *node) write(b *strings.Builder, rng *rand.Rand, escapes, spaces bool) {
	space := func() {
		if spaces {
			b.WriteString(strings.Repeat([]string{" ", "\n", "\t", "\r\n"}[rng.IntN(4)], rng.IntN(3)))
		}
	}
	str := func(raw string) {
		for i := 0; i < len(raw); i++ {
			switch c := raw[i]; {
			case c == '\\': // an escape that is there stays
				b.WriteString(raw[i : i+2])
				i++
			case escapes && (c|' ' >= 'a' && c|' ' <= 'z') && rng.IntN(3) == 0 && !isHex(raw, i):
				fmt.Fprintf(b, `\u00%02x`, c)
			default:
				b.WriteByte(c)
			}
		}
	}
	if n.kids == nil {
		if strings.HasPrefix(n.text, `"`) {
			str(n.text)
		} else {
			b.WriteString(n.text)
		}
		return
	}
	b.WriteByte('{')
	for i, k := range n.kids {
		if i > 0 {
			b.WriteByte(',')
		}
		space()
		key, _ := json.Marshal(k.key)
		str(string(key))
		space()
		b.WriteByte(':')
		space()
		k.write(b, rng, escapes, spaces)
		space()
	}
	b.WriteByte('}')
}

// isHex reports whether a letter belongs to a \uXXXX.
func isHex(raw string, i int) bool {
	at := strings.LastIndex(raw[:i], `\u`)
	return at >= 0 && i-at < 6
}

// slip misspells a word by one or two letters, as fingers do. Two slips do not touch: more than two letters would be wrong.
func slip(word string, rng *rand.Rand) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_- "
	for {
		wrong := word
		from := len(word)
		for range 1 + rng.IntN(2) {
			if from < 2 {
				break
			}
			i := rng.IntN(from - 1) // from the end to the start, so that the places before stay what they were
			letter := string(letters[rng.IntN(len(letters))])
			switch rng.IntN(5) {
			case 0:
				wrong = wrong[:i] + wrong[i+1:i+2] + wrong[i:i+1] + wrong[i+2:]
			case 1:
				wrong = wrong[:i] + wrong[i+1:]
			case 2:
				wrong = wrong[:i+1] + wrong[i:]
			case 3:
				wrong = wrong[:i] + letter + wrong[i+1:]
			case 4:
				wrong = wrong[:i] + letter + wrong[i:]
			}
			from = i - 1
		}
		if wrong != word {
			return wrong
		}
	}
}

// jsSpace is what JavaScript's trim removes.
const jsSpace = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

// TestClaudeDenySpoilt: a hook that means to deny and has a bug either denies or fails for all to see; it never looks like one
// that has nothing against the call. What the client takes for plain text it does not look into, so there is a warning.
func TestClaudeDenySpoilt(t *testing.T) {
	good := []struct {
		event  protocol.Event
		stdout string
	}{
		{"PreToolUse", pre(`"permissionDecision":"deny"`)},
		{"PreToolUse", pre(`"permissionDecision":"deny","permissionDecisionReason":"no {pushing}, \"please\": \\ [1]"`)},
		{"PreToolUse", `{"continue":true,"suppressOutput":false,"systemMessage":"café ☃ 😀",` + pre(`"permissionDecisionReason":"naïve\n\u2028","permissionDecision":"deny","additionalContext":"ctx"`)[1:]},
		{"PreToolUse", pre(`"updatedInput":{"command":"ls","deep":{"a":[1,{"b":null}]}},"permissionDecision":"deny"`)},
		{"PreToolUse", `{"decision":"block"}`},
		{"PreToolUse", `{"reason":"old, \"{but}\" gold","decision":"block","stopReason":""}`},
		{"PreToolUse", `{"decision":"block","reason":"both",` + pre(`"permissionDecision":"deny","permissionDecisionReason":"both"`)[1:]},
		{"PermissionRequest", answers("PermissionRequest", `"decision":{"behavior":"deny"}`)},
		{"PermissionRequest", answers("PermissionRequest", `"decision":{"message":"nein, \u00fcberhaupt nicht","interrupt":true,"behavior":"deny"}`)},
		{"PostToolUse", `{"decision":"block","reason":"look again",` + answers("PostToolUse", `"additionalContext":"ctx"`)[1:]},
		{"UserPromptSubmit", `{"decision":"block","reason":"no","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","suppressOriginalPrompt":true}}`},
		{"PreModelSwitch", answers("PreModelSwitch", `"permissionDecision":"deny","permissionDecisionReason":"stay"`)},
	}
	deciding := []string{"hookSpecificOutput", "hookEventName", "permissionDecision", "decision", "behavior"}
	words := map[string][]string{"permissionDecision": {"allow", "deny", "ask", "defer"}, "decision": {"approve", "block"}, "behavior": {"allow", "deny"}}
	wrongWords := []string{"", "Deny", "DENY", "denied", " deny", "deny ", "deny\\n", "no", "false", "reject", "Block", "blocked", "block.", "stop", "forbid", "null", "den", "dény", "permit", "yes"}
	values := []string{`null`, `true`, `false`, `0`, `-1.5e3`, `"x"`, `[]`, `["deny"]`, `{}`, `{"a":1}`, `[{"decision":"block"}]`}

	// What is done to the tree. Each says whether it could be done.
	inTree := map[string]func(*node, *rand.Rand) bool{
		"another type": func(n *node, rng *rand.Rand) bool {
			k := n.all()[rng.IntN(len(n.all()))]
			value := values[rng.IntN(len(values))]
			kind := func(s string) string { return map[byte]string{'t': "bool", 'f': "bool"}[s[0]] + s[:1] }
			if k.kids != nil && value[0] == '{' || k.kids == nil && (kind(k.text) == kind(value) || strings.HasPrefix(kind(k.text), "bool") && strings.HasPrefix(kind(value), "bool")) {
				return false
			}
			k.kids, k.text = nil, value
			return true
		},
		"a wrong word": func(n *node, rng *rand.Rand) bool {
			key := deciding[1+rng.IntN(4)]
			k, word := n.named(key), wrongWords[rng.IntN(len(wrongWords))]
			if k == nil || slices.Contains(words[key], word) {
				return false
			}
			if key == "hookEventName" {
				word = slip(strings.Trim(k.text, `"`), rng)
			}
			k.text = `"` + word + `"`
			return true
		},
		"another case": func(n *node, rng *rand.Rand) bool {
			k := n.all()[rng.IntN(len(n.all()))]
			if !slices.Contains(deciding, k.key) {
				return false
			}
			change := []func(string) string{strings.ToUpper, strings.ToLower, func(s string) string { return strings.ToUpper(s[:1]) + s[1:] },
				func(s string) string {
					return strings.NewReplacer("D", "_d", "S", "_s", "O", "_o", "E", "_e", "N", "_n").Replace(s)
				}}[rng.IntN(4)]
			was := k.key
			k.key = change(was)
			return k.key != was
		},
		"a slip": func(n *node, rng *rand.Rand) bool {
			k := n.all()[rng.IntN(len(n.all()))]
			if !slices.Contains(deciding, k.key) {
				return false
			}
			k.key = slip(k.key, rng)
			return true
		},
		"a key twice": func(n *node, rng *rand.Rand) bool {
			objects := slices.DeleteFunc(append(n.all(), n), func(n *node) bool { return n.kids == nil })
			o := objects[rng.IntN(len(objects))]
			o.kids = slices.Insert(o.kids, rng.IntN(len(o.kids)+1), o.kids[rng.IntN(len(o.kids))])
			return true
		},
		"another order": func(n *node, rng *rand.Rand) bool {
			for _, o := range append(n.all(), n) {
				rng.Shuffle(len(o.kids), func(i, j int) { o.kids[i], o.kids[j] = o.kids[j], o.kids[i] })
			}
			return true
		},
		"unknown keys": func(n *node, rng *rand.Rand) bool {
			objects := slices.DeleteFunc(append(n.all(), n), func(n *node) bool { return n.kids == nil })
			for range 1 + rng.IntN(3) {
				o := objects[rng.IntN(len(objects))]
				key := []string{"", "version", "x-note", "async", "tool", "updatedOutput", "é", "permission", "deny", "$schema"}[rng.IntN(10)]
				value := append(values, `{"hookEventName":"Stop","permissionDecision":"allow"}`)[rng.IntN(len(values)+1)]
				o.kids = slices.Insert(o.kids, rng.IntN(len(o.kids)+1), &node{key: key, text: value})
			}
			return true
		},
		"nothing": func(*node, *rand.Rand) bool { return true },
	}
	// What is done to the text.
	inText := map[string]func(string, *rand.Rand) string{
		"a mark dropped": func(s string, rng *rand.Rand) string {
			for {
				if i := rng.IntN(len(s)); strings.IndexByte(`"{},:`, s[i]) >= 0 {
					return s[:i] + s[i+1:]
				}
			}
		},
		"cut off": func(s string, rng *rand.Rand) string { return s[:1+rng.IntN(len(s)-1)] },
		"control characters": func(s string, rng *rand.Rand) string {
			i := rng.IntN(len(s) + 1)
			return s[:i] + strings.Repeat(string([]byte{"\x00\x01\x07\x08\t\n\v\f\r\x1b\x1f\x7f"[rng.IntN(12)]}), 1+rng.IntN(2)) + s[i:]
		},
		"white space around": func(s string, rng *rand.Rand) string {
			space := []rune(jsSpace)
			return string(space[rng.IntN(len(space))]) + "\n" + s + string(space[rng.IntN(len(space))])
		},
		"a BOM": func(s string, rng *rand.Rand) string { return "\ufeff" + s },
		"text around": func(s string, rng *rand.Rand) string {
			return []string{"log\n" + s, s + "\nlog", "```json\n" + s + "\n```"}[rng.IntN(3)]
		},
		"another of it": func(s string, rng *rand.Rand) string { return s + "\n" + s },
		"single quotes": func(s string, rng *rand.Rand) string { return strings.ReplaceAll(s, `"`, `'`) },
		"nothing":       func(s string, rng *rand.Rand) string { return s },
	}
	harmless := []string{"nothing", "a key twice", "another order", "unknown keys", "white space around", "a BOM"}
	trees, texts := sortedKeys(inTree), sortedKeys(inText)
	counts := map[string]int{}
	for i, g := range good {
		require.Equal(t, protocol.Block, decideClaude(g.event, printed(g.stdout)).Decision, g.stdout)
		rng := rand.New(rand.NewPCG(uint64(i), 20))
		for done := 0; done < 1_500; {
			n := parseNode("", []byte(g.stdout))
			tree, text := trees[rng.IntN(len(trees))], "nothing"
			if tree == "nothing" || rng.IntN(4) == 0 {
				text = texts[rng.IntN(len(texts))]
			}
			if tree == "a slip" && text == "control characters" || !inTree[tree](n, rng) { // together they are more than two letters
				continue
			}
			var b strings.Builder
			n.write(&b, rng, rng.IntN(3) == 0, rng.IntN(3) == 0)
			stdout := inText[text](b.String(), rng)
			done++
			what := fmt.Sprintf("%s, %s: %q\nmade of %s", tree, text, stdout, g.stdout)

			c := atEvent(g.event)
			r := printed(stdout)
			v := claude.Dialect.ApplyFailurePolicy(&c, claude.Dialect.Decode(&c, "h", &r))
			require.False(t, v.Approved, what)
			strict := decideClaude(g.event, r, onFailure(protocol.Block))
			if text := strings.Trim(stdout, jsSpace); !strings.HasPrefix(text, "{") || !strings.HasSuffix(text, "}") {
				counts["plain text"]++
				require.Equal(t, protocol.StatusOK, v.Status, what)
				require.Equal(t, len(v.Warnings) > 0, strict.Decision == protocol.Block, what)
				if says := strings.Contains(stdout, `"permissionDecision"`) || strings.Contains(stdout, `"decision"`); says && !strings.Contains(stdout, "null") {
					counts["with a warning"]++
					require.Len(t, v.Warnings, 1, what)
				}
				continue
			}
			require.Equal(t, protocol.Block, strict.Decision, what)
			if v.Decision == protocol.Block {
				counts["block"]++
				continue
			}
			counts["failed"]++
			require.Equal(t, protocol.StatusFailed, v.Status, what)
			require.Len(t, v.Warnings, 1, what)
			require.False(t, slices.Contains(harmless, tree) && slices.Contains(harmless, text), "the client blocks here: %s", what)
		}
	}
	for _, outcome := range []string{"plain text", "with a warning", "block", "failed"} {
		require.Greater(t, counts[outcome], 500, "each of the ways is taken: %v", counts)
	}
}

func sortedKeys[V any](m map[string]V) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// What a hook of Claude Code printed is judged as that client judges it, and the outcome goes back to it in its own form.
func Example_claude() {
	call, _, err := all.ParseInput(`{"session_id":"s1","cwd":"/project","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push --force"}}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	answer := `{"decision": "block", "reason": "do not force-push"}`
	result := dialect.HookResult{Stdout: dialect.Capture{Head: []byte(answer), Total: int64(len(answer))}}
	verdict := claude.Dialect.ApplyFailurePolicy(&call, claude.Dialect.Decode(&call, "guard", &result))
	outcome := dialect.Merge(&call, []dialect.HookVerdict{{
		Report:  dialect.Report("guard", "settings.json:5", &result, &verdict),
		Verdict: verdict, Dialect: claude.Dialect,
	}})
	text, exit, _ := claude.Dialect.EncodeOutput(outcome)
	fmt.Println(string(text), exit)
	// Output:
	// {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"do not force-push"}} 0
}
