package droid

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// exitNote says that the call goes on, and that stderr is for the model. The client knows 1 for that, which any program
// exits with that fails: the entry that install writes makes 1 of it, and 2 of all else.
const exitNote = 5

// hookOutput returns the outcome as Droid's hook output, which makes hookrun a hook command of its own there. Where the
// client has no word for something at the event, the next stricter thing is used.
func hookOutput(o protocol.Outcome) (stdout []byte, exit int, err error) {
	m := ruleOf(eventOf(&protocol.Call{Event: o.Event}))
	out := dialect.HookOutput{}
	specific := dialect.FieldsOf("hookEventName", strictjson.Quote(string(m.name)))
	set := func(key, text string) {
		if text != "" {
			specific.Set(key, strictjson.Quote(text))
		}
	}
	stop := func(reason string) { out.Continue, out.StopReason = new(bool), reason }
	messages := append(slices.Clip(o.SystemMessages), dialect.Notices(o)...)
	context, held := strings.Join(o.Texts(), "\n\n"), o.Decision != protocol.Continue
	why := cmp.Or(dialect.BlockReason(o, client), "Blocked by a hook")
	switch m.name {
	case "PreToolUse":
		if unfit := dialect.UnfitInput(o); unfit != "" && !held {
			held, why = true, unfit
		}
		switch {
		case o.Stop:
			stop(joined(o.StopReason, o.Reason))
		case held:
			set("permissionDecision", "deny")
			set("permissionDecisionReason", joined(why, context))
		default:
			if o.Approved {
				set("permissionDecision", "allow")
				set("permissionDecisionReason", o.Reason)
			}
			if o.UpdatedInput != nil {
				specific.Set("updatedInput", o.UpdatedInput)
			}
			if onStderr(o) != "" {
				exit = exitNote
			}
		}
	case "PostToolUse":
		switch reason := withheld(o); {
		case o.Stop || reason != "":
			stop(joined(o.StopReason, reason, o.Reason, context))
		case held:
			exit = 2
			fallthrough
		default:
			set("additionalContext", context)
		}
	case "UserPromptSubmit":
		if held || o.Stop {
			exit = 2
			break
		}
		if set("additionalContext", joined(context, strings.Join(messages, "\n"))); o.Other.Get("updatedInput") != nil {
			specific.Set("updatedInput", o.Other.Get("updatedInput"))
		}
	case "SessionStart":
		set("additionalContext", joined(context, strings.Join(messages, "\n")))
	case "Stop":
		switch {
		case o.Stop:
			stop(joined(o.StopReason, o.Reason))
		case held:
			out.Decision, out.Reason = "block", joined(why, context)
		}
	case "PreCompact":
		if held || o.Stop {
			exit = 2
		}
	}
	if context != "" && m.does&(tells|blocks) == 0 || context != "" && m.name == "PreToolUse" && exit == exitNote {
		messages = append(messages, fmt.Sprintf("hookrun: %s cannot give the model this at %s:\n%s", client, m.name,
			context))
	}
	if (held || o.Stop) && m.does&blocks == 0 {
		messages = append(messages, fmt.Sprintf("hookrun: %s cannot be held up at %s: %s", client, m.name,
			joined(o.StopReason, o.Reason)))
	}
	if out.SystemMessage = strings.Join(messages, "\n"); len(specific) > 1 {
		out.Specific = specific
	}
	stdout, err = strictjson.Marshal(out)
	return stdout, exit, err
}

// onStderr is what stands there: before a tool that runs, what the model is to read in front of its result; else the
// reason. Before a tool the client shows nobody a message.
func onStderr(o protocol.Outcome) string {
	if o.Event.Canonical() != protocol.PreTool || o.Decision != protocol.Continue || o.Stop {
		return cmp.Or(dialect.BlockReason(o, client), o.StopReason)
	}
	messages := append(slices.Clip(o.SystemMessages), dialect.Notices(o)...)
	return joined(strings.Join(o.Texts(), "\n\n"), strings.Join(messages, "\n"))
}

// withheld says why the model must not read the tool's result: a hook changed it, or was to and failed. The client
// takes no other result, so the run ends before the model reads this one; "": it may.
func withheld(o protocol.Outcome) string {
	const ends = ", and Droid cannot give the model another one, so the run ends; the tool has run"
	failed := o.Decision == protocol.Block && o.Hook != "" && o.Cause != protocol.CausePolicy &&
		o.Cause != protocol.CauseUnsupported
	switch {
	case o.UpdatedOutput != nil:
		return fmt.Sprintf("project hook '%s' changed the tool's result", printable.Escape(o.RewroteOutput)) + ends
	case o.Withheld != nil:
		return o.WithheldReason + ends
	case failed:
		return fmt.Sprintf("project hook '%s' failed (%s) and fails closed", printable.Escape(o.Hook), o.Cause) + ends
	}
	return ""
}

// fitInput blocks for a new input without one of the tool's keys: the client merges it into the old one, in which the
// key stays.
func fitInput(c *protocol.Call, hook string, v *dialect.Verdict) {
	if v.UpdatedInput == nil || v.Decision == protocol.Block {
		return
	}
	old, _, err := c.Input()
	now := dialect.LastOf(gjson.ParseBytes(v.UpdatedInput))
	if err != nil || len(now) == 0 {
		return // no object, for which the call is blocked
	}
	for _, f := range fieldsOf(old) {
		if _, has := now[f]; !has {
			v.Decide(protocol.Block, fmt.Sprintf("project hook '%s' took %q out of the tool's input, where Droid would "+
				"leave it", printable.Escape(hook), f))
			v.Cause, v.Approved, v.UpdatedInput = protocol.CauseRewrite, false, nil
			return
		}
	}
}

func fieldsOf(object []byte) (keys []string) {
	gjson.ParseBytes(object).ForEach(func(key, _ gjson.Result) bool {
		keys = append(keys, strictjson.Text(key.Raw))
		return true
	})
	return keys
}

// joined are the texts that say something, each but once.
func joined(texts ...string) string {
	var all []string
	for _, text := range texts {
		if text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n\n")
}
