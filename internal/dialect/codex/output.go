package codex

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// hookOutput returns the outcome as Codex's hook output, which makes hookrun a hook command of its own there. What the
// client has no word for becomes the next stricter thing that it has, and where there is none a message to the user:
// one key too many, and it would drop the whole answer and let pass.
func hookOutput(o protocol.Outcome) ([]byte, error) {
	m := ruleOf(eventOf(&dialect.Call{Event: o.Event, Failed: o.Failed}))
	if m.Can&unread != 0 {
		return []byte("{}"), nil
	}
	out := dialect.NewHookOutput(o, client, m.Name) // the same fields, but for terminalSequence
	context := strings.Join(dialect.TextsOf(o), "\n\n")
	held, why := o.Decision != protocol.Continue, firstText(dialect.BlockReason(o, "Codex"), "Blocked by a hook")
	switch {
	case m.Can&noStop != 0: // neither can end the turn, but both can hold up the call
		if o.Stop && !held {
			held, why = true, firstText(o.StopReason, o.Reason, "Stopped by a hook")
		}
		if m.Name == "PermissionRequest" {
			permissionRequest(o, &out, held, why)
			break
		}
		if !held {
			why = unfit(o)
			held = why != ""
		}
		switch {
		case held:
			out.Permit("deny", why)
		case o.UpdatedInput != nil: // no approval: the client asks its user all the same
			out.Permit("allow", "")
			out.Specific.Set("updatedInput", o.UpdatedInput)
			if o.Tool == "Bash" {
				noteUnused(&out.Notes, o.UpdatedInput)
			}
		}
	case o.Stop && m.Can&(dialect.Stop|replaces) != 0, held && m.Can&dialect.Stop != 0 && m.Can&decides == 0:
		out.End(firstText(o.StopReason, why))
		if held && m.Can&decides != 0 {
			out.Block(why)
		}
	case held && m.Can&decides != 0:
		out.Block(why)
	case held:
		out.Cannot("be held up", why)
	case o.Stop:
		out.Cannot("be stopped", o.StopReason)
	case o.UpdatedOutput != nil && m.Can&replaces != 0: // a block is what puts a text in the place of the result
		out.Block(firstText(strictjson.ValueText(o.UpdatedOutput), "(nothing)"))
	}
	if o.Decision != protocol.Continue && o.Stop { // of two the client reads one
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
	case out.Decision == "block" && !o.Stop: // of two the client reads the stop
		out.Reason += "\n\n" + context
	default:
		out.CannotTell(context)
	}
	return out.Encode()
}

// unfit says why the client would not run the tool with its new input, but fail, or drop the answer and run it with the
// old one.
func unfit(o protocol.Outcome) string {
	switch {
	case o.UpdatedInput == nil:
	case dialect.UnfitInput(o) != "":
		return dialect.UnfitInput(o)
	case o.Tool == "Bash" && gjson.GetBytes(o.UpdatedInput, "command").Type != gjson.String:
		return dialect.ChangedInput(o, " to one without a command")
	case len(strictjson.Check(string(o.UpdatedInput), maxDepth-2)) > 0:
		return dialect.ChangedInput(o, " to one that is nested deeper than Codex can read")
	}
	return ""
}

// noteUnused names what a rewrite of a shell call has besides the command, which is all that the client takes of it.
func noteUnused(notes *dialect.Notes, input []byte) {
	gjson.ParseBytes(input).ForEach(func(key, _ gjson.Result) bool {
		if name := strictjson.Text(key.Raw); name != "command" {
			notes.Note(fmt.Sprintf("hookrun: Codex takes the command alone of a hook's new input, not its %q", name))
		}
		return true
	})
}

// permissionRequest writes the decision of that event. The client drops an answer with more than that.
func permissionRequest(o protocol.Outcome, out *dialect.HookOutput, held bool, why string) {
	if o.UpdatedInput != nil && !held {
		held, why = true, dialect.ChangedInput(o, ", and Codex cannot take that here")
	}
	if o.Stop, o.Other = false, nil; held {
		o.Decision, o.Reason = protocol.Block, why
	}
	dialect.PermissionRequest(o, &out.Specific)
}
