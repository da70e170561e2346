package junie

import (
	"cmp"
	"strings"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// output returns the outcome in Claude Code's words, as far as both clients have them. A question, a rewrite and a text
// for the model become a block before a tool, because the documents do not say that the client takes them.
func output(o protocol.Outcome) ([]byte, error) {
	m, loss := events.Of(dialect.ClaudeEventNamed(o.Event)), ""
	if m.Name == before && o.Decision != protocol.Block && !o.Stop {
		loss = client.UnsupportedOutcome(o, clientName)
	}
	out := client.NewHookOutput(o, clientName, m.Name)
	texts := strings.Join(dialect.TextsOf(o), "\n\n")
	held := o.Decision != protocol.Continue || o.Stop || loss != ""
	reason := cmp.Or(client.Joined(o.StopReason, client.BlockReason(o, clientName), loss, texts), "Blocked by a hook")
	switch {
	case held && m.Can&dialect.Block == 0:
		out.Cannot("be blocked", reason)
	case held && m.Name == before:
		out.SetPermission("deny", reason)
	case held:
		out.Block(reason)
	case m.Can&dialect.Inject != 0:
		out.Set("additionalContext", texts)
	case texts != "":
		out.CannotTell(texts)
	case m.Name == before && o.Approved:
		out.SetPermission("allow", o.Reason)
	}
	return out.Encode()
}
