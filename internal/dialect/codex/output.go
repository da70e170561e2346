package codex

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Codex returns the outcome as Codex's hook output, which makes hookrun a hook command of its own there. What the
// client has no word for becomes the next stricter thing that it has, and where there is none a message to the user:
// one key too many, and it would drop the whole answer and let pass.
func hookOutput(o protocol.Outcome) ([]byte, error) {
	m := ruleOf(eventOf(&protocol.Call{Event: o.Event, Failed: o.Failed}))
	if m.does&deaf != 0 {
		return []byte("{}"), nil
	}
	out := dialect.HookOutput{} // the same fields, but for terminalSequence
	messages := append(slices.Clip(o.SystemMessages), dialect.Notices(o)...)
	specific := dialect.FieldsOf("hookEventName", strictjson.Quote(string(m.name)))
	context := strings.Join(o.Texts(), "\n\n")
	held, why := o.Decision != protocol.Continue, firstText(dialect.BlockReason(o, "Codex"), "Blocked by a hook")
	switch {
	case m.does&endless != 0: // neither can end the turn, but both can hold up the call
		if o.Stop && !held {
			held, why = true, firstText(o.StopReason, o.Reason, "Stopped by a hook")
		}
		if m.name == "PermissionRequest" {
			permissionRequest(o, &specific, held, why)
			break
		}
		if !held {
			why = unfit(o)
			held = why != ""
		}
		switch {
		case held:
			specific.Set("permissionDecision", strictjson.Quote("deny"))
			specific.Set("permissionDecisionReason", strictjson.Quote(why))
		case o.UpdatedInput != nil: // no approval: the client asks its user all the same
			specific.Set("permissionDecision", strictjson.Quote("allow"))
			specific.Set("updatedInput", o.UpdatedInput)
			if o.Tool == "Bash" {
				messages = append(messages, unused(o.UpdatedInput)...)
			}
		}
	case o.Stop && m.does&(stops|replaces) != 0, held && m.does&stops != 0 && m.decision == "":
		out.Continue, out.StopReason = new(bool), firstText(o.StopReason, why)
		if held && m.decision != "" {
			out.Decision, out.Reason = "block", why
		}
	case held && m.decision != "":
		out.Decision, out.Reason = "block", why
	case held:
		messages = append(messages, fmt.Sprintf("hookrun: Codex cannot be held up at %s: %s", m.name, why))
	case o.Stop:
		messages = append(messages, fmt.Sprintf("hookrun: Codex cannot be stopped at %s: %s", m.name, o.StopReason))
	case o.UpdatedOutput != nil && m.does&replaces != 0: // a block is what puts a text in the place of the result
		out.Decision, out.Reason = "block", firstText(strictjson.ValueText(o.UpdatedOutput), "(nothing)")
	}
	if o.Decision != protocol.Continue && o.Stop { // of two the client reads one
		switch {
		case out.Continue == nil:
			messages = append(messages, fmt.Sprintf("hookrun: Codex cannot be stopped at %s: %s", m.name, o.StopReason))
		case m.does&replaces == 0 && why != out.StopReason:
			messages = append(messages, why)
		}
	}
	switch {
	case context == "":
	case slices.Contains(m.answer, contextOnly[0]):
		specific.Set("additionalContext", strictjson.Quote(context))
	case out.Decision == "block" && !o.Stop: // of two the client reads the stop
		out.Reason += "\n\n" + context
	default:
		messages = append(messages, fmt.Sprintf("hookrun: Codex cannot give the model this at %s:\n%s", m.name,
			context))
	}
	if out.SystemMessage = strings.Join(messages, "\n"); len(specific) > 1 {
		out.Specific = specific
	}
	return strictjson.Marshal(out)
}

// unfit says why the client would not run the tool with its new input, but fail, or drop the answer and run it with the
// old one.
func unfit(o protocol.Outcome) string {
	switch {
	case o.UpdatedInput == nil:
	case dialect.UnfitInput(o) != "":
		return dialect.UnfitInput(o)
	case o.Tool == "Bash" && gjson.GetBytes(o.UpdatedInput, "command").Type != gjson.String:
		return fmt.Sprintf("project hook '%s' changed the tool's input to one without a command",
			printable.Escape(o.RewroteInput))
	case len(strictjson.Check(string(o.UpdatedInput), maxDepth-2)) > 0:
		return fmt.Sprintf("project hook '%s' changed the tool's input to one that is nested deeper than Codex can "+
			"read", printable.Escape(o.RewroteInput))
	}
	return ""
}

// unused names what a rewrite of a shell call has besides the command, which is all that the client takes of it.
func unused(input []byte) (messages []string) {
	gjson.ParseBytes(input).ForEach(func(key, _ gjson.Result) bool {
		if name := strictjson.Text(key.Raw); name != "command" {
			messages = append(messages, fmt.Sprintf("hookrun: Codex takes the command alone of a hook's new input, "+
				"not its %q", name))
		}
		return true
	})
	return messages
}

// codexRequest writes the decision of PermissionRequest, which cannot carry a rewrite.
func permissionRequest(o protocol.Outcome, specific *protocol.Fields, held bool, why string) {
	var d protocol.Fields
	switch {
	case held:
	case o.UpdatedInput != nil:
		held, why = true, fmt.Sprintf("project hook '%s' changed the tool's input, and Codex cannot take that here",
			printable.Escape(o.RewroteInput))
	case !o.Approved:
		return
	}
	d.Set("behavior", strictjson.Quote("allow"))
	if held {
		d.Set("behavior", strictjson.Quote("deny"))
		d.Set("message", strictjson.Quote(why))
	}
	text, _ := d.MarshalJSON() // made of JSON, it cannot fail
	specific.Set("decision", text)
}
