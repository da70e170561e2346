package registry_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/claude"
	"github.com/hookrun/hookrun/internal/dialect/dialecttest"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/dialect/tenex"
	"github.com/hookrun/hookrun/protocol"
)

const secret = "AKIA-SECRET"

// postTool is a call after a tool, from no client, or from Claude Code.
func postTool(fromClient bool) protocol.Call {
	c := protocol.Call{Event: "PostToolUse", Tool: "Bash", Args: `{"command":"cat key"}`, Result: secret,
		ToolUseID: "t"}
	if fromClient {
		c.ClientInput = `{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"cat key"},` +
			`"tool_response":{"stdout":"` + secret + `","stderr":"","interrupted":false},"tool_use_id":"t"}`
	}
	return c
}

// hookOf is a hook of a dialect that ended in some way, and fails closed.
func hookOf(d *dialect.Dialect, c *protocol.Call, name string, r dialect.HookResult) dialect.HookVerdict {
	v := d.ApplyFailurePolicy(c, d.Hooks.Decode(c, name, &r), dialecttest.OnFailure(protocol.Block))
	registry.FitResult(c, name, &v)
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
func requireWithheld(t *testing.T, c *protocol.Call, o protocol.Outcome) {
	t.Helper()
	require.Equal(t, protocol.Block, o.Decision)
	require.NotContains(t, o.ResultText(c.Result), secret)
	text := o.WithoutRewrites()
	require.Equal(t, 2, text.ExitCode())
	require.NotEmpty(t, text.Why())
	for _, api := range protocol.APIs() {
		messages, err := o.Messages(api, "", c)
		require.NoError(t, err)
		require.NotContains(t, string(messages), secret, api)
	}
	for _, d := range registry.Clients() {
		o := o
		if o.Event = "PostToolUse"; !slices.Contains(d.Events.Names(), o.Event) {
			o.Event = protocol.PostTool
		}
		out, exit, err := dialecttest.Reply(d, o)
		require.NoError(t, err)
		require.NotContains(t, string(out), secret, d.Name)
		if d.Events.Of(d.EventOf(&protocol.Call{Event: o.Event})).Can == 0 { // it reads nothing after a tool
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
	text, err := o.JSON()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &read))
	return read
}

// TestOutcomeFromJSON: the JSON form of an outcome is the whole of it. Its other forms are made of what was read from
// that, and decide the same; texts may lack a name.
func TestOutcomeFromJSON(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 30))
	answers := []string{"", "{}", "note", unfit, `{"decision":"block","reason":"r"}`, `{"decision":"approve"}`,
		`{"continue":false,"stopReason":"s"}`, `{"systemMessage":"m"}`,
		dialecttest.Pre(`"permissionDecision":"deny"`), dialecttest.Pre(`"permissionDecision":"ask"`),
		dialecttest.Pre(`"permissionDecision":"allow","updatedInput":{"command":"x"}`),
		dialecttest.Pre(`"additionalContext":"c"`),
		`{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":` +
			`{"stdout":"x","stderr":"","interrupted":false}}}`,
	}
	dialects := []*dialect.Dialect{tenex.Dialect, claude.Dialect}
	events := []protocol.Event{protocol.PreExecute, protocol.PreTool, protocol.PostTool, "PreToolUse", "PostToolUse",
		"PostToolUseFailure", "UserPromptSubmit", "Stop"}
	seen := map[protocol.Cause]int{}
	for range 4_000 {
		c := postTool(rng.IntN(2) == 0)
		if c.Event = events[rng.IntN(len(events))]; c.Event.Canonical() != protocol.PostTool {
			c.Result = ""
		}
		c.Failed = c.Event == "PostToolUseFailure" || c.Event == protocol.PostTool && rng.IntN(2) == 0
		var hooks []dialect.HookVerdict
		for i := range 1 + rng.IntN(3) {
			r := dialecttest.Printed(answers[rng.IntN(len(answers))])
			switch rng.IntN(6) {
			case 0:
				r = dialecttest.Exited(1+rng.IntN(2), "", "no luck")
			case 1:
				r = dialect.HookResult{TimedOut: true}
			}
			hooks = append(hooks, hookOf(dialects[rng.IntN(2)], &c, string(rune('a'+i)), r))
		}
		o := dialect.Merge(&c, hooks)
		seen[o.Cause]++
		read := readJSON(t, o)
		require.Equal(t, decided(o.WithoutRewrites()), decided(read.WithoutRewrites()))
		for _, api := range protocol.APIs() {
			one, err := o.Messages(api, "", &c)
			require.NoError(t, err)
			other, err := read.Messages(api, "", &c)
			require.NoError(t, err)
			require.Equal(t, string(one), string(other))
		}
		for _, d := range registry.Clients() {
			one, exit, err := dialecttest.Reply(d, o)
			require.NoError(t, err)
			other, exitOfRead, err := dialecttest.Reply(d, read)
			require.NoError(t, err)
			if d.Name != "copilot" { // there exit 2 is a message to the user as well
				require.Equal(t, exit, exitOfRead, "%s %s\n%s", d.Name, one, other)
			}
			require.Equal(t, words(string(one)), words(string(other)), "%s %+v", d.Name, o)
		}
	}
	for _, cause := range []protocol.Cause{"", protocol.CausePolicy, protocol.CauseExit, protocol.CauseTimeout,
		protocol.CauseRewrite} {
		require.Positive(t, seen[cause], cause)
	}
}

// decided is what an outcome decides, without its texts.
func decided(o protocol.Outcome) []any {
	return []any{o.Decision, o.Cause, o.Approved, o.Stop, o.ExitCode(), string(o.UpdatedInput), string(o.UpdatedOutput),
		o.Texts()}
}

// words are the keys and values of an answer, but for messages to the user and texts of several words: those are for
// people and models.
func words(answer string) (all []string) {
	var walk func(path string, v gjson.Result)
	walk = func(path string, v gjson.Result) {
		switch {
		case v.IsObject() || v.IsArray():
			v.ForEach(func(key, value gjson.Result) bool {
				if key.String() != "systemMessage" && key.String() != "user_message" {
					walk(path+"."+key.String(), value)
				}
				return true
			})
		case v.Type == gjson.String && strings.Contains(v.String(), " "):
			all = append(all, path+" text")
		default:
			all = append(all, path+" "+v.Raw)
		}
	}
	walk("", gjson.Parse(answer))
	return all
}
