package kimi

import (
	"cmp"
	"strings"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// hookOutput returns the outcome as Kimi Code's hook output, so hookrun acts as a hook command. The client can block,
// and take a text at the prompt. Before a tool every other effect becomes a block with a reason. Without anything to
// say the output is empty, because {} would be a text for the model at the prompt.
func hookOutput(o protocol.Outcome) ([]byte, error) {
	m := events.Of(eventOf(&dialect.Call{Event: o.Event, Failed: o.Failed}))
	var out struct {
		Message  string            `json:"message,omitempty"`
		Specific strictjson.Fields `json:"hookSpecificOutput,omitempty"`
	}
	context, messages, loss := strings.Join(dialect.TextsOf(o), "\n\n"), client.Messages(o), ""
	if m.Name == "PreToolUse" && o.Decision == protocol.Continue && !o.Stop {
		loss = client.UnsupportedOutcome(o, clientName)
	}
	switch {
	case m.Can&dialect.Block == 0: // the client reads no answer here
	case o.Stop && m.Name == "Stop": // the turn ends by itself
	case o.Decision != protocol.Continue || o.Stop || loss != "":
		texts := []string{o.StopReason, client.BlockReason(o, clientName), loss, context}
		if m.Can&dialect.Inject != 0 || loss != "" { // the user or the model sees the messages
			texts = append(texts, messages...)
		}
		reason := cmp.Or(strings.TrimSpace(client.Joined(texts...)), "Blocked by a hook")
		out.Specific = dialect.FieldsOf("permissionDecision", strictjson.Quote("deny"),
			"permissionDecisionReason", strictjson.Quote(reason))
	case m.Can&dialect.Inject != 0:
		out.Message = client.Joined(append([]string{context}, messages...)...)
	case m.Name == "PreToolUse": // no version so far shows this message
		out.Message = client.Joined(messages...)
	}
	if out.Message == "" && out.Specific == nil {
		return nil, nil
	}
	return strictjson.Marshal(out)
}
