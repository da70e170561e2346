package kimi

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// hookOutput returns the outcome as Kimi Code's hook output, which makes hookrun a hook command of its own there. The
// client can block, and at the prompt take a text; before a tool everything else is a block that says why. Nothing to
// say is no output, since at the prompt {} would be a text for the model.
func hookOutput(o protocol.Outcome) ([]byte, error) {
	m := events.Of(eventOf(&protocol.Call{Event: o.Event, Failed: o.Failed}))
	var out struct {
		Message  string          `json:"message,omitempty"`
		Specific protocol.Fields `json:"hookSpecificOutput,omitempty"`
	}
	context, messages, loss := strings.Join(o.Texts(), "\n\n"), dialect.Messages(o), ""
	if m.Name == "PreToolUse" && o.Decision == protocol.Continue && !o.Stop {
		loss = lost(o)
	}
	switch {
	case m.Can&dialect.Block == 0: // nobody reads it
	case o.Stop && m.Name == "Stop": // the turn ends by itself
	case o.Decision != protocol.Continue || o.Stop || loss != "":
		texts := []string{o.StopReason, dialect.BlockReason(o, client), loss, context}
		if m.Can&dialect.Inject != 0 || loss != "" { // somebody reads them
			texts = append(texts, messages...)
		}
		reason := cmp.Or(strings.TrimSpace(dialect.Joined(texts...)), "Blocked by a hook")
		out.Specific = dialect.FieldsOf("permissionDecision", strictjson.Quote("deny"),
			"permissionDecisionReason", strictjson.Quote(reason))
	case m.Can&dialect.Inject != 0:
		out.Message = dialect.Joined(append([]string{context}, messages...)...)
	case m.Name == "PreToolUse": // no version so far shows it
		out.Message = dialect.Joined(messages...)
	}
	if out.Message == "" && out.Specific == nil {
		return nil, nil
	}
	return strictjson.Marshal(out)
}

// lost says what of an outcome the client cannot carry before a tool, and so blocks the call; "": nothing.
func lost(o protocol.Outcome) string {
	switch {
	case o.UpdatedInput != nil:
		return dialect.ChangedInput(o, fmt.Sprintf(", and %s cannot give the tool another, so the call is blocked; "+
			"the changed input: %s", client, o.UpdatedInput))
	case len(o.Inject) > 0:
		return fmt.Sprintf("project hook '%s' has a text for the model, and %s cannot give it the model before a tool "+
			"runs, so the call is blocked:", printable.Escape(o.Inject[0].Hook), client)
	}
	return ""
}
