package codex

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// hookOutput returns the outcome as Codex's hook output, so hookrun acts as a hook command. An effect that the client
// cannot express becomes the next stricter one, or a message to the user if no effect is stricter. With one unknown key
// the client would drop the whole answer and fail open.
func hookOutput(o protocol.Outcome) ([]byte, error) {
	m := ruleOf(eventOf(&dialect.Call{Event: o.Event, Failed: o.Failed}))
	if m.Can&ignoresOutput != 0 {
		return []byte("{}"), nil
	}
	out := client.NewHookOutput(o, clientName, m.Name) // Claude Code's fields except terminalSequence
	context := strings.Join(dialect.TextsOf(o), "\n\n")
	held, why := o.Decision != protocol.Continue, firstText(client.BlockReason(o, "Codex"), "Blocked by a hook")
	switch {
	case m.Can&noStop != 0: // hooks cannot end the turn here, but can block the call
		if o.Stop && !held {
			held, why = true, firstText(o.StopReason, o.Reason, "Stopped by a hook")
		}
		if m.Name == "PermissionRequest" {
			permissionRequest(o, &out, held, why)
			break
		}
		if !held {
			why = unfitInput(o)
			held = why != ""
		}
		switch {
		case held:
			out.SetPermission("deny", why)
		case o.UpdatedInput != nil: // no approval: the client asks its user all the same
			out.SetPermission("allow", "")
			out.Specific.Set("updatedInput", o.UpdatedInput)
			if o.Tool == "Bash" {
				noteUnused(&out.Notes, o.UpdatedInput)
			}
		}
	case o.Stop && m.Can&(dialect.Stop|replaces) != 0, held && m.Can&dialect.Stop != 0 && m.Can&hasDecision == 0:
		out.End(firstText(o.StopReason, why))
		if held && m.Can&hasDecision != 0 {
			out.Block(why)
		}
	case held && m.Can&hasDecision != 0:
		out.Block(why)
	case held:
		out.Cannot("be blocked", why)
	case o.Stop:
		out.Cannot("be stopped", o.StopReason)
	case o.UpdatedOutput != nil && m.Can&replaces != 0: // a block replaces the result by a text
		out.Block(firstText(strictjson.ValueText(o.UpdatedOutput), "(nothing)"))
	}
	if o.Decision != protocol.Continue && o.Stop { // the client reads the stop or the block, not both
		switch {
		case out.Continue == nil:
			out.Cannot("be stopped", o.StopReason)
		case m.Can&replaces == 0 && why != out.StopReason:
			out.Note(why)
		}
	}
	switch {
	case context == "":
	case m.Can&dialect.Inject != 0:
		out.Set("additionalContext", context)
	case out.Decision == "block" && !o.Stop: // beside a stop the client does not read the block
		out.Reason += "\n\n" + context
	default:
		out.CannotTell(context)
	}
	return out.Encode()
}

// unfitInput returns the reason why the client would not run the tool with its new input, or "". The client would fail
// the call, or drop the answer and use the old input.
func unfitInput(o protocol.Outcome) string {
	switch {
	case o.UpdatedInput == nil:
	case client.InvalidInput(o) != "":
		return client.InvalidInput(o)
	case o.Tool == "Bash" && gjson.GetBytes(o.UpdatedInput, "command").Type != gjson.String:
		return client.ChangedInput(o, " to one without a command")
	case len(strictjson.Check(string(o.UpdatedInput), maxDepth-2)) > 0:
		return client.ChangedInput(o, " to one that is nested deeper than Codex can read")
	}
	return ""
}

// noteUnused notes the keys of a rewritten shell call besides the command: the client ignores them.
func noteUnused(notes *client.Notes, input []byte) {
	for key := range gjson.ParseBytes(input).ForEach {
		if name := strictjson.Text(key.Raw); name != "command" {
			notes.Note(fmt.Sprintf("hookrun: Codex takes the command alone of a hook's new input, not its %q", name))
		}
	}
}

// permissionRequest writes the decision of a PermissionRequest. The client drops an answer with any other field.
func permissionRequest(o protocol.Outcome, out *client.HookOutput, held bool, why string) {
	if o.UpdatedInput != nil && !held {
		held, why = true, client.ChangedInput(o, ", and Codex cannot take that here")
	}
	if o.Stop, o.Other = false, nil; held {
		o.Decision, o.Reason = protocol.Block, why
	}
	client.PermissionRequest(o, &out.Specific)
}
