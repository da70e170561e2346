// Package testforms prints an outcome in every form of output, and holds the forms to each other.
package testforms

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/form"
	"github.com/hookrun/hookrun/protocol"
)

// printed is an outcome in one form.
type printed struct {
	Stdout, Stderr string
	Exit           int
}

// Require requires of the outcome of a call that its JSON is the whole of it, and that it means the same in all forms:
// printed from its own JSON it has the same bytes, what it blocks is blocked in each form and nothing else is, and the
// tool's result is shown in none if it is withheld.
func Require(t testing.TB, c *dialect.Call, o protocol.Outcome) {
	t.Helper()
	require.False(t, o.UpdatedInput != nil && o.UpdatedOutput != nil, "UpdatedBy names the hook of one rewrite")
	text, err := form.JSON(o)
	require.NoError(t, err)
	var read protocol.Outcome
	require.NoError(t, json.Unmarshal(text, &read))
	forms := all(t, c, o)
	require.Equal(t, forms, all(t, c, read), "%s", text)

	holds, carries := o.Decision != protocol.Continue || o.Stop, o.UpdatedInput != nil || o.UpdatedOutput != nil
	require.Equal(t, holds || carries, forms["text"].Exit != 0, "text: %s", text)
	for _, d := range clients.All().Clients() {
		plain := protocol.Outcome{Event: o.Event, Tool: o.Tool, Decision: o.Decision, Stop: o.Stop, Failed: o.Failed,
			Cause: protocol.CausePolicy, Reason: "r", StopReason: "s"}
		told, ofPlain := readBack(d, c, forms[d.Name]), readBack(d, c, reply(t, d, plain))
		switch {
		case holds && isHeld(ofPlain):
			require.True(t, isHeld(told), "%s: %s\n%s", d.Name, text, forms[d.Name].Stdout)
		case !holds && !carries && len(o.Texts) == 0: // there is nothing that a client could have no word for
			require.Equal(t, blocks(ofPlain), blocks(told), "%s: %s\n%s", d.Name, text, forms[d.Name].Stdout)
		}
	}
	failed := dialect.IsFailureBlock(o.Decision, o.Cause)
	if clients.All().Common(o.Event) == protocol.PostTool && failed && c.Result != "" {
		require.NotContains(t, form.ResultText(o, c.Result), c.Result)
		for name, p := range forms {
			require.NotContains(t, p.Stdout+p.Stderr, c.Result, name)
		}
	}
}

// all returns an outcome in every form, by name.
func all(t testing.TB, c *dialect.Call, o protocol.Outcome) map[string]printed {
	t.Helper()
	asText := form.WithoutRewrites(o)
	line, err := form.JSON(o)
	require.NoError(t, err)
	forms := map[string]printed{
		"text":    {form.Text(asText), form.Stderr(asText), form.ExitCode(asText)},
		"wrapped": {form.TaggedText(asText), form.Stderr(asText), form.ExitCode(asText)},
		"json":    {string(line), form.Stderr(o), form.ExitCode(o)},
	}
	message := form.ToolMessage{ID: c.ToolUseID, Result: c.Result, Failed: c.Failed, Outcome: o}
	for _, api := range form.APIs() {
		for _, notes := range form.AllNotes() {
			if messages, err := form.Messages(api, notes, &message); err == nil { // not every API has each form
				forms[fmt.Sprint(api, " ", notes)] = printed{string(messages), form.Stderr(o), form.ExitCode(o)}
			}
		}
	}
	for _, d := range clients.All().Clients() {
		forms[d.Name] = reply(t, d, o)
	}
	return forms
}

// reply is what a client is told at the event, or at its own event of that time.
func reply(t testing.TB, d *client.Client, o protocol.Outcome) printed {
	t.Helper()
	if !slices.Contains(d.Events.Names(), o.Event) {
		o.Event = clients.All().Common(o.Event)
	}
	r, err := d.Reply(o)
	require.NoError(t, err, d.Name)
	return printed{string(r.Stdout), r.Stderr, r.Exit}
}

// readBack is what a client makes of its answer, which it reads as that of any hook.
func readBack(d *client.Client, c *dialect.Call, p printed) dialect.Verdict {
	at := *c
	if !slices.Contains(d.Events.Names(), at.Event) {
		at.Event = d.EventOf(&dialect.Call{Event: c.Common(), Failed: c.Failed, Tool: c.Tool})
	}
	v := d.Hooks.Decode(&at, "hookrun", &dialect.HookResult{ExitCode: p.Exit,
		Stdout: dialect.Capture{Head: []byte(p.Stdout), Total: int64(len(p.Stdout))},
		Stderr: dialect.Capture{Head: []byte(p.Stderr), Total: int64(len(p.Stderr))}})
	return d.ApplyFailurePolicy(&at, v)
}

func isHeld(v dialect.Verdict) bool { return v.Decision != protocol.Continue || v.Stop }

func blocks(v dialect.Verdict) bool { return v.Decision == protocol.Block || v.Stop }
