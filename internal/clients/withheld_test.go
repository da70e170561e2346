package clients_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/claude"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/form"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/hookrun/hookrun/internal/testsupport/testforms"
	"github.com/hookrun/hookrun/protocol"
)

const secret = "AKIA-SECRET"

// postTool is a call after a tool, from no client, or from Claude Code.
func postTool(fromClient bool) dialect.Call {
	c := dialect.Call{Event: "PostToolUse", Tool: "Bash", Args: `{"command":"cat key"}`, Result: secret,
		ToolUseID: "t"}
	if fromClient {
		c.ClientInput = `{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"cat key"},` +
			`"tool_response":{"stdout":"` + secret + `","stderr":"","interrupted":false},"tool_use_id":"t"}`
	}
	return c
}

// hookOf is a hook of a dialect that ended in some way, and fails closed.
func hookOf(d *dialect.Dialect, c *dialect.Call, name string, r dialect.HookResult) dialect.HookVerdict {
	v := d.ApplyFailurePolicy(c, d.Hooks.Decode(c, name, &r), dialecttest.OnFailure(protocol.Block))
	c.Fit(name, &v)
	return dialect.HookVerdict{Report: dialect.Report(name, "f:1", &r, &v), Verdict: v, Dialect: d}
}

const unfit = `{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":"clean"}}`

const unfitDeny = `{"decision":"block","reason":"r","hookSpecificOutput":{"hookEventName":"PostToolUse",` +
	`"updatedToolOutput":"clean"}}`

// TestWithheldInEveryForm: a result that one form of an outcome withholds is shown by none.
func TestWithheldInEveryForm(t *testing.T) {
	deny := dialecttest.Printed(`{"decision":"block","reason":"look again"}`)
	rewrite := dialecttest.Printed(`{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":` +
		`{"stdout":"` + secret + `","stderr":"","interrupted":false}}}`)
	for name, results := range map[string][]dialect.HookResult{
		"a new result that does not fit":                 {dialecttest.Printed(unfit)},
		"beside its own deny":                            {dialecttest.Printed(unfitDeny)},
		"behind another hook's deny":                     {deny, dialecttest.Printed(unfit)},
		"in front of a hook that puts another one there": {dialecttest.Printed(unfit), rewrite},
		"a failure":                               {dialecttest.Exited(1, "", "no luck")},
		"a failure behind another hook's deny":    {deny, dialecttest.Exited(1, "", "no luck")},
		"a failure in front of a rewrite":         {dialecttest.Exited(1, "", "no luck"), rewrite},
		"a failure behind a deny, then a rewrite": {deny, dialecttest.Exited(1, "", "no luck"), rewrite},
	} {
		for _, fromClient := range []bool{false, true} {
			c := postTool(fromClient)
			var hooks []dialect.HookVerdict
			for i, r := range results {
				hooks = append(hooks, hookOf(claude.Dialect, &c, string(rune('a'+i)), r))
			}
			o := dialect.Merge(&c, hooks)
			for from, o := range map[string]protocol.Outcome{"": o, "from JSON": readJSON(t, o)} {
				t.Run(name+" "+from, func(t *testing.T) { requireWithheld(t, &c, o) })
			}
		}
	}
}

// requireWithheld requires that no form of an outcome leads its reader to show the model the result.
func requireWithheld(t *testing.T, c *dialect.Call, o protocol.Outcome) {
	t.Helper()
	require.Equal(t, protocol.Block, o.Decision)
	require.NotContains(t, form.ResultText(o, c.Result), secret)
	text := form.WithoutRewrites(o)
	require.Equal(t, 2, form.ExitCode(text))
	require.NotEmpty(t, form.Stderr(text))
	for _, api := range form.APIs() {
		messages, err := form.Messages(api, "", &form.ToolMessage{ID: c.ToolUseID, Result: c.Result,
			Failed: c.Failed, Outcome: o})
		require.NoError(t, err)
		require.NotContains(t, string(messages), secret, api)
	}
	for _, d := range clients.All().Clients() {
		o := o
		if o.Event = "PostToolUse"; !slices.Contains(d.Events.Names(), o.Event) {
			o.Event = protocol.PostTool
		}
		out, exit, err := dialecttest.Reply(d, o)
		require.NoError(t, err)
		require.NotContains(t, string(out), secret, d.Name)
		if d.Events.Of(d.EventOf(&dialect.Call{Event: o.Event})).Can == 0 { // it reads nothing after a tool
			continue
		}
		require.True(t, exit != 0 || len(out) > len("{}"), "%s: %s", d.Name, out)
		if d.Name == "claude" { // beside a block it shows the result
			require.Contains(t, string(out), `"updatedToolOutput"`)
		}
		if d.Name == "cline" || d.Name == "droid" { // they have no other way
			require.Regexp(t, `"cancel":true|"continue":false`, string(out))
		}
	}
}

func readJSON(t testing.TB, o protocol.Outcome) (read protocol.Outcome) {
	t.Helper()
	text, err := form.JSON(o)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &read))
	return read
}

// TestForms: whatever hooks answer, the outcome is the same in every form, and also when it was read from its JSON.
func TestForms(t *testing.T) {
	testall.Alone(t)
	rng := rand.New(rand.NewPCG(3, 30))
	answers := []string{"", "{}", "note", "n\xffte \u2028", unfit, `{"decision":"block","reason":"r"}`,
		`{"decision":"approve"}`,
		`{"continue":false,"stopReason":"s"}`, `{"systemMessage":"m"}`,
		dialecttest.Pre(`"permissionDecision":"deny"`), dialecttest.Pre(`"permissionDecision":"ask"`),
		dialecttest.Pre(`"permissionDecision":"allow","updatedInput":{"command":"x \u2028<"}`),
		dialecttest.Pre(`"additionalContext":"c"`),
		`{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":` +
			`{"stdout":"x","stderr":"","interrupted":false}}}`,
		`{"decision":"continue","args":{"a":1},"output":"x"}`, // OpenCode's
	}
	dialects := clients.All().Dialects()
	events := []protocol.Event{protocol.PreExecute, protocol.PreTool, protocol.PostTool, "PreToolUse", "PostToolUse",
		"PostToolUseFailure", "UserPromptSubmit", "PermissionRequest", "Stop"}
	for _, d := range dialects {
		events = append(events, d.Events.Names()...)
	}
	seen := map[protocol.Cause]int{}
	for range testall.Of(4_000, 40_000) {
		c := postTool(rng.IntN(2) == 0)
		if c.Event = events[rng.IntN(len(events))]; clients.All().Common(c.Event) != protocol.PostTool {
			c.Result = ""
		}
		require.NoError(t, c.Resolve(clients.All()))
		c.Failed = c.Event == "PostToolUseFailure" || c.Event == protocol.PostTool && rng.IntN(2) == 0
		var hooks []dialect.HookVerdict
		for i := range 1 + rng.IntN(3) {
			r := dialecttest.Printed(answers[rng.IntN(len(answers))])
			switch rng.IntN(8) {
			case 0:
				r = dialecttest.Exited(1+rng.IntN(2), "", "no luck")
			case 1:
				r = dialect.HookResult{TimedOut: true}
			case 2:
				r = dialecttest.Printed(randomAnswer(rng, 0))
			}
			r.Duration, r.Limit = time.Duration(rng.IntN(5e9)), time.Duration(rng.IntN(5e9))
			d := []*dialect.Dialect{tenex.Dialect, claude.Dialect, dialects[rng.IntN(len(dialects))]}[rng.IntN(3)]
			hooks = append(hooks, hookOf(d, &c, string(rune('a'+i)), r))
			hooks[i].Report.Start = protocol.Milliseconds(rng.IntN(50_000))
		}
		o := dialect.Merge(&c, hooks)
		o.Duration = protocol.Milliseconds(rng.IntN(5e9))
		seen[o.Cause]++
		testforms.Require(t, &c, o)
	}
	for _, cause := range []protocol.Cause{"", protocol.CausePolicy, protocol.CauseExit, protocol.CauseTimeout,
		protocol.CauseRewrite} {
		require.Positive(t, seen[cause], cause)
	}
}

// TestLongTextsHold: however long its texts are, a client is held up by an answer as by one with short texts. Qwen Code
// reads the first MiB.
func TestLongTextsHold(t *testing.T) {
	testall.Alone(t)
	outcomes := func(text string) []protocol.Outcome {
		texts := []protocol.Text{{Content: text}, {Content: text}}
		quoted, err := json.Marshal(text)
		require.NoError(t, err)
		return []protocol.Outcome{
			{Event: protocol.PreTool, Reason: text},
			{Event: protocol.PreTool, Decision: protocol.Ask, Reason: text, Texts: texts,
				SystemMessages: []string{text}},
			{Event: protocol.PreTool, Reason: "r", Warnings: []string{text, text}},
			{Event: protocol.PostTool, Decision: protocol.Continue, UpdatedOutput: quoted},
			{Event: protocol.PostTool, Decision: protocol.Continue, Stop: true, StopReason: text, Texts: texts},
			{Event: protocol.PreExecute, Reason: text, Texts: texts},
		}
	}
	for _, d := range clients.All().Clients() {
		long := outcomes(strings.Repeat("x", 1<<20))
		for i, o := range outcomes("short") {
			held := func(o protocol.Outcome) []any {
				c := dialect.Call{Event: o.Event, Tool: "Bash"}
				o.Tool, c.Event = c.Tool, d.EventOf(&c)
				o.Event = c.Event
				r, err := d.Reply(o)
				require.NoError(t, err)
				result := dialecttest.Exited(r.Exit, string(r.Stdout), r.Stderr)
				v := d.ApplyFailurePolicy(&c, d.Hooks.Decode(&c, "h", &result))
				return []any{v.Decision, v.Stop, v.UpdatedOutput != nil}
			}
			require.Equal(t, held(o), held(long[i]), "%s at %s", d.Name, o.Event)
		}
	}
}
