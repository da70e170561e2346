package qwen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// hookOutput returns the outcome as Qwen Code's hook output. What the client has no word for at the event is a block
// where that holds something back, else a message to the user. Every block says continue: false as well, which no other
// hook's allow undoes.
func hookOutput(o protocol.Outcome) ([]byte, error) {
	m := ruleOf(eventOf(&protocol.Call{Event: o.Event, Failed: o.Failed}))
	out := dialect.HookOutput{} // the same fields, but for terminalSequence
	messages := append(slices.Clip(o.SystemMessages), dialect.Notices(o)...)
	lost := func(what, text string) {
		messages = append(messages, fmt.Sprintf("hookrun: %s %s at %s: %s", client, what, m.name, text))
	}
	specific := dialect.FieldsOf("hookEventName", strictjson.Quote(string(m.name)))
	set := func(key, value string) { specific.Set(key, strictjson.Quote(value)) }
	held, why := o.Decision != protocol.Continue, dialect.BlockReason(o, client)
	asks := o.Decision == protocol.Ask && m.does&permits != 0 && o.UpdatedInput == nil
	if asks {
		why = o.Reason
	}
	unfit := ""
	if o.UpdatedInput != nil && m.does&permits != 0 {
		unfit = fmt.Sprintf("project hook '%s' changed the tool's input, and %s lets no hook change that",
			printable.Escape(o.RewroteInput), client)
	}
	switch {
	case held:
	case unfit != "":
		held, why = true, unfit
	case o.UpdatedOutput != nil && m.name == "PostToolUse":
		held, why = true, cmp.Or(strictjson.ValueText(o.UpdatedOutput), "(nothing)")
	}
	texts := strings.Join(o.Texts(), "\n\n")
	if o.Stop {
		switch {
		// it stops by itself, and continue: false would keep it going
		case m.name == "Stop" || m.name == "SubagentStop":
			held = false
			messages = append(messages, o.StopReason)
		case m.does&(stops|requests|todo) == 0:
			lost("cannot be stopped", o.StopReason)
		case !held:
			held, why = true, o.StopReason
		}
	}
	why = cmp.Or(why, noReason)
	switch {
	case m.does&requests != 0:
		if held {
			o.Decision, o.Reason = protocol.Block, why
		}
		dialect.PermissionRequest(o, &specific)
	case !held:
	case m.does&permits != 0:
		word := "deny"
		if asks {
			word = "ask"
		}
		set("permissionDecision", word)
		set("permissionDecisionReason", why)
		out.Continue, out.StopReason = new(bool), why
	case m.does&(blocks|todo) != 0:
		out.Decision, out.Reason = "block", why
	case m.does&stops != 0: // the text stands in the place of the tool's result
		if texts != "" {
			why, texts = why+"\n\n"+texts, ""
		}
		out.Continue, out.StopReason = new(bool), why
	case m.does&hears != 0 && m.name != "SessionStart": // of a tool that failed
		texts = strings.TrimPrefix(texts+"\n\n"+why, "\n\n")
		lost("does not hold anything up", why)
	default:
		lost("cannot be held up", why)
	}
	if o.UpdatedOutput != nil && m.name == "PostToolUseFailure" {
		messages = append(messages,
			"hookrun: Qwen Code cannot change the result of a tool that failed, so the model sees "+
				"it as it was")
	}
	switch {
	case texts == "":
	case m.does&hears != 0 && !(held && m.does&speaks != 0):
		set("additionalContext", texts)
	case held && m.does&(permits|blocks) != 0:
		if out.Reason != "" {
			out.Reason += "\n\n" + texts
		} else {
			set("permissionDecisionReason", why+"\n\n"+texts)
		}
	default:
		messages = append(messages, fmt.Sprintf("hookrun: %s cannot give the model this at %s:\n%s", client,
			m.name, texts))
	}
	if out.SystemMessage = strings.Join(messages, "\n"); len(specific) > 1 {
		out.Specific = specific
	}
	return strictjson.Marshal(out)
}
