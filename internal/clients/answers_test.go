package clients_test

import (
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/protocol"
)

// answerKeys and answerWords are what answers of hooks have in them, of any client.
var (
	answerKeys = strings.Fields("hookSpecificOutput hookEventName permissionDecision permissionDecisionReason " +
		"decision reason  updatedInput updatedOutput updatedToolOutput updatedMCPToolOutput " +
		"additionalContext systemMessage  continue stopReason suppressOutput modifiedArgs " +
		"modifiedResult textResultForLlm behavior message  interrupt permission user_message " +
		"agent_message userMessage agentMessage cancel contextModification  errorMessage " +
		"tool_input tool_response llmContent returnDisplay error output input inject content " +
		"strategy allow deny modified_result updated_input followup_message attachments async " +
		"exit_code  stdout stderr text type command x")
	answerWords = strings.Fields("deny allow ask block approve continue true 1 text PreToolUse PostToolUse " +
		"BeforeTool tool_result user_message")
)

// randomAnswer makes JSON of the shapes that answers have, with values of every type in every place.
func randomAnswer(r *rand.Rand, depth int) string {
	list := func(element func() string) string {
		elements := make([]string, r.IntN(4))
		for i := range elements {
			elements[i] = element()
		}
		return strings.Join(elements, ",")
	}
	one := func(of []string) string { return of[r.IntN(len(of))] }
	kind := r.IntN(10)
	if depth == 0 {
		kind = r.IntN(5) // a large share are objects
	} else if depth > 3 {
		kind = 5 + r.IntN(5)
	}
	switch kind {
	case 0, 1, 2, 3:
		return "{" + list(func() string {
			return string(strictjson.Quote(one(answerKeys))) + ":" + randomAnswer(r, depth+1)
		}) + "}"
	case 4:
		return "[" + list(func() string { return randomAnswer(r, depth+1) }) + "]"
	case 5:
		return one([]string{"null", "true", "false", "0", "-1.5e300", "2", "1e400"})
	case 6:
		return one([]string{`""`, `" "`, `"\ud800"`, `"\u0000\n"`, `"[]"`, `"{"`, `"\""`})
	case 7: // JSON in a string
		return string(strictjson.Quote(randomAnswer(r, max(depth+1, 3))))
	}
	return string(strictjson.Quote(one(answerWords)))
}

// spoilt returns a text with a byte more, less or other than before.
func spoilt(r *rand.Rand, text string) string {
	at := r.IntN(len(text) + 1)
	piece := []string{"", "\"", "[", "]", "{", "}", ",", "\\", "\xff", "\ufeff", "\n", "x"}[r.IntN(12)]
	return text[:at] + piece + text[min(len(text), at+r.IntN(2)):]
}

// forms are the dialects, with their variants and what they are in a project's file.
func forms() (forms []*dialect.Dialect) {
	for _, d := range clients.All().Dialects() {
		forms = append(forms, d.Variants()...)
		if slices.Contains(clients.All().EntryDialects(), d) {
			forms = append(forms, clients.All().EntryDialect(d))
		}
	}
	return forms
}

// requireRead reads what a hook of a dialect printed at an event, merges it, and tells the outcome to a client that has
// the event. None of that may panic. how says whether a policy blocks for what cannot be read, whether another hook
// blocks, and which client it is.
func requireRead(t testing.TB, d *dialect.Dialect, e protocol.Event, how uint8, result dialect.HookResult) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("%s at %s, exit code %d, %q: %v\n%s",
				d.Name, e, result.ExitCode, result.Stdout.Head, p, debug.Stack())
		}
	}()
	c := dialect.Call{Event: e, Tool: "Bash", Args: `{"command":"ls"}`, Result: "ok",
		ClientInput: `{"hook_event_name":"` + string(e) + `","tool_name":"Bash","tool_input":{"command":"ls"}}`}
	var policies []dialect.FailurePolicy
	if how&1 != 0 {
		policies = append(policies, dialect.FailurePolicy{protocol.CauseOutput: protocol.Block})
	}
	v := d.ApplyFailurePolicy(&c, d.Hooks.Decode(&c, "h", &result), policies...)
	c.Fit("h", &v)
	verdicts := []dialect.HookVerdict{{Report: dialect.Report("h", "f:1", &result, &v), Verdict: v, Dialect: d}}
	if how&2 != 0 {
		verdicts = append(verdicts, verdicts[0])
		verdicts[1].Verdict = dialect.Verdict{Decision: protocol.Block, Cause: protocol.CausePolicy, Reason: "no"}
	}
	o := dialect.Merge(&c, verdicts)
	every := clients.All().Clients()
	client := every[int(how>>2)%len(every)]
	if own, is := clients.All().ClientNamed(d.Name); is && how&4 == 0 {
		client = own
	}
	if slices.Contains(client.Events.Names(), e) {
		_, _, _ = dialecttest.Reply(client, o)
	}
}

// TestRandomAnswers: no answer of a hook, whatever its form, makes hookrun panic.
func TestRandomAnswers(t *testing.T) {
	testall.Alone(t)
	for _, d := range forms() {
		answers := testall.Of(3_000, 10_000)
		if named, _ := clients.All().Named(d.Name); named != d { // another form of a dialect
			answers = testall.Of(500, answers)
		}
		r := rand.New(rand.NewPCG(1, 2))
		events := d.Events.Names()
		for range answers {
			text := randomAnswer(r, 0)
			if r.IntN(8) == 0 {
				text = spoilt(r, text)
			}
			result := dialecttest.Exited([]int{0, 0, 0, 1, 2}[r.IntN(5)], text, "")
			if r.IntN(4) == 0 {
				nearmiss.ReadLine(&result)
			}
			requireRead(t, d, events[r.IntN(len(events))], uint8(r.Uint32()), result)
		}
	}
}

// FuzzAnswer is TestRandomAnswers for whatever the fuzzer comes upon.
func FuzzAnswer(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 64 {
		f.Add(uint8(i), uint8(r.Uint32()), uint8(r.Uint32()), uint8(r.IntN(3)), randomAnswer(r, 0), false)
	}
	f.Add(uint8(4), uint8(1), uint8(0), uint8(0), `{"hookSpecificOutput":["x"]}`, false)
	forms := forms()
	f.Fuzz(func(t *testing.T, which, at, how, code uint8, stdout string, line bool) {
		d := forms[int(which)%len(forms)]
		result := dialecttest.Exited(int(code), stdout, "")
		if line {
			nearmiss.ReadLine(&result)
		}
		events := d.Events.Names()
		requireRead(t, d, events[int(at)%len(events)], how, result)
	})
}
