package clients_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/claude"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/clients/gemini"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/testsupport/dialecttest"
	"github.com/hookrun/hookrun/protocol"
)

// FuzzParseInput: what a client puts on stdin is either refused or reaches its hooks with nothing changed but its form.
func FuzzParseInput(f *testing.F) {
	for _, s := range []string{
		"", "{}", "[]", `{"hook_event_name":"Stop"}`,
		`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`,
		"\ufeff{\"hook_event_name\":\"Stop\"}",
		`{"hook_event_name":"PostToolUse","tool_response":{"a": "\ud800"},"error":null}`,
		`{"hook_event_name":"Stop","hook_event_name":"pre-tool"}`, "{\"hook_event_name\":\"Stop\",\"\xff\":1}",
		`{"hook_event_name":"BeforeTool","tool_name":"x"}`, `{"hook_event_name":"Stop","x":1e400,"y":-0.10}`,
		`{"clineVersion":"","hookName":"tool_call","tool_call":{"name":"run_commands","input":["ls",{"command":"a"}]}}`,
		`{"hook_event_name":"Stop","cwd":1}`, `{"hook_event_name":"Stop","a\u0022b":"\u2028<&>"}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		c, _, err := clients.All().ParseInput(doc)
		if err != nil {
			return
		}
		var want map[string]json.RawMessage
		text := strings.TrimPrefix(string([]rune(doc)), "\ufeff")
		require.NoError(t, json.Unmarshal([]byte(text), &want), "no JSON object gets through")
		require.Equal(t, dialecttest.Decode(t, []byte(text)), dialecttest.Decode(t, []byte(c.ClientInput)))
		if want["hook_event_name"] == nil {
			return // a client's that names event and tool in its own way
		}
		require.Equal(t, dialecttest.StringOf(want["hook_event_name"]), string(c.Event))
		require.Equal(t, dialecttest.StringOf(want["tool_name"]), c.Tool)
		require.NotContains(t, c.ClientInput, "\n")
		d := claude.Dialect
		if c.Event == gemini.Dialect.EventOf(&c) && c.Event != dialect.ClaudeEvent(&c) { // an event of both
			d = gemini.Dialect
		}
		p, _, err := d.Hooks.Encode(dialect.NewCall(c))
		require.NoError(t, err)
		require.Equal(t, c.ClientInput+"\n", string(p.Bytes()))
		again, warnings, err := clients.All().ParseInput(c.ClientInput)
		require.NoError(t, err)
		require.Empty(t, warnings, "of equal keys only one is left")
		require.Equal(t, c, again)
	})
}

// requireNothingLost checks that a client which is told an outcome lets nothing pass that it does not, and that every
// text reaches somebody: the model where that can be, else the user.
func requireNothingLost(t testing.TB, d *client.Client, o protocol.Outcome) {
	t.Helper()
	v := readBack(t, d, o)
	reply, err := d.Reply(o)
	require.NoError(t, err)
	stdout := reply.Stdout
	about := d.Name + " at " + string(o.Event) + ": " + string(stdout)
	gate := slices.Contains(gates[d.Name], o.Event)
	holds := v.Decision != protocol.Continue || v.Stop
	denies := false // whatever the outcome is
	switch {
	case d.Name != "copilot":
	case o.Event == "Stop", o.Event == "SubagentStop":
		o.Stop = false // the client stops by itself
	case o.Event == "PermissionRequest":
		denies = reply.Stderr != "" // a message goes with exit 2
		require.True(t, holds || !denies, about)
	}
	said := strings.Join([]string{v.Reason, v.StopReason, v.Context, v.SystemMessage}, "\n")
	has := func(text string) {
		t.Helper()
		require.Contains(t, said, strings.TrimSpace(text), about)
	}
	if gate && o.Decision != protocol.Continue {
		require.True(t, holds, about)
		if !o.Stop {
			has(o.Reason)
		}
	}
	if gate && o.Stop {
		require.True(t, holds, about)
	}
	if !gate && o.Decision == protocol.Continue && !o.Stop && o.UpdatedInput == nil && o.UpdatedOutput == nil {
		require.False(t, holds, about)
	}
	switch clients.All().Common(o.Event) {
	case protocol.PreTool:
		if o.UpdatedInput != nil && !holds {
			require.JSONEq(t, string(o.UpdatedInput), string(v.UpdatedInput), about)
		}
	case protocol.PostTool:
		if o.UpdatedOutput != nil && !holds {
			require.NotNil(t, v.UpdatedOutput, about)
		}
	}
	if o.Decision == protocol.Continue && !o.Stop && !denies {
		require.Equal(t, o.UpdatedInput == nil || v.UpdatedInput != nil, !holds || o.UpdatedOutput != nil, about)
	}
	if v.Approved {
		require.True(t, o.Approved, about)
		require.Equal(t, protocol.Continue, o.Decision, about)
	}
}

// FuzzClientAnswer: whatever stands in an outcome, the client reads it as no more than it allows.
func FuzzClientAnswer(f *testing.F) {
	for _, text := range []string{"", "r", " \n<&> \"é\" 😀 \\ \u2028", "\x00\x1b[31m\xff", `{"decision":"approve"}`,
		"\ufeff{}", "\u0085", `{"async":true}`} {
		for shape := range uint(16) {
			f.Add(uint8(shape), uint8(shape*7), shape*67, text, "why", "")
			f.Add(uint8(shape), uint8(shape*5), shape*53, "why", text, text)
		}
	}
	for i := range uint8(8 * 9) { // each client at each event: a context, a message and no decision; a stop
		f.Add(i%8, i/8, uint(protocol.Continue)|64|128, "r", "why", "text")
		f.Add(i%8, i/8, uint(protocol.Continue)|32, "r", "why", "text")
		f.Add(i%8, i/8, uint(protocol.Continue)|16|128, "r", "why", "text")
	}
	f.Fuzz(func(t *testing.T, which, at uint8, shape uint, reason, context, message string) {
		d := recordedClients()[int(which)%len(recordedClients())]
		events := gates[d.Name]
		if d.Name == "claude" {
			events = events[:5] // at the others it has no stop, or nothing for the model
		}
		o := protocol.Outcome{Event: events[int(at)%len(events)], Decision: protocol.Decision(shape & 3),
			Tool: []string{"Bash", "apply_patch", "mcp__x__y", "run_shell_command"}[shape>>2&3]}
		// as JSON has them
		reason, context, message = string([]rune(reason)), string([]rune(context)), string([]rune(message))
		if o.Decision != protocol.Continue {
			o.Reason = reason
		}
		if o.Approved = shape&16 != 0 && o.Decision == protocol.Continue; o.Approved {
			o.Reason = reason
		}
		if shape&32 != 0 {
			o.Stop, o.StopReason = true, reason
		}
		if shape&64 != 0 {
			o.Texts = []protocol.Text{{Content: context}}
		}
		if shape&128 != 0 {
			o.SystemMessages = []string{message}
		}
		if shape&256 != 0 && clients.All().Common(o.Event) == protocol.PreTool && o.Decision != protocol.Block {
			input, err := json.Marshal(map[string]string{"command": context})
			require.NoError(t, err)
			o.UpdatedInput = input
		}
		if shape&512 != 0 && clients.All().Common(o.Event) == protocol.PostTool {
			output, err := json.Marshal(message)
			require.NoError(t, err)
			o.UpdatedOutput = output
		}
		requireNothingLost(t, d, o)
		v := readBack(t, d, o)
		everything := v.Reason + v.StopReason + v.Context + v.SystemMessage
		if v.UpdatedOutput != nil {
			everything += string(v.UpdatedOutput)
		}
		if len(o.Texts) > 0 {
			require.Contains(t, everything, strings.TrimSpace(context))
		}
		// Copilot reads a message at a permission request as a denial.
		dropped := d.Name == "copilot" && o.Event == "PermissionRequest" && v.Decision == protocol.Continue
		if len(o.SystemMessages) > 0 && !dropped {
			require.Contains(t, v.SystemMessage, message)
		}
	})
}
