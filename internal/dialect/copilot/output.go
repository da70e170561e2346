package copilot

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// maxContext is how many bytes of context the client adds to a tool's result. It cuts the rest without a word.
const maxContext = 10_000

// reply writes the outcome as the client's hook output. What the client has no word for at the event is a block
// or a message. A message to its user is what stands on stderr beside exit 2, where that does not block: the answer on
// stdout counts all the same. Before a tool and after one that failed there is no such way, so the model is told.
func reply(o protocol.Outcome) (dialect.Reply, error) {
	out, messages := encoded(o)
	text, err := out.MarshalJSON()
	r := dialect.Reply{Stdout: text, Stderr: strings.Join(messages, "\n")}
	if len(messages) > 0 && err == nil {
		r.Exit = 2
	}
	return r, err
}

// encoded returns the answer, and the messages to the user.
func encoded(o protocol.Outcome) (out protocol.Fields, messages []string) {
	m := ruleOf(eventOf(&protocol.Call{Event: o.Event, Failed: o.Failed}))
	messages = dialect.Messages(o)
	cannot := func(what, why string) { messages = append(messages, dialect.Cannot(client, what, m.Name, why)) }
	set := func(key, value string) { out.Set(key, strictjson.Quote(value)) }
	context := o.Texts()
	held, why := o.Decision != protocol.Continue, dialect.BlockReason(o, client)
	endsTurn := m.Can&dialect.EndsTurn != 0
	if !held && o.Stop && m.Can&(denies|dialect.Block) != 0 && !endsTurn { // the client cannot stop, but hold this up
		held, why = true, o.StopReason
	} else if o.Stop && o.StopReason != why && !endsTurn {
		cannot("be stopped", o.StopReason)
	}
	if fault := dialect.UnfitInput(o); fault != "" && m.Name == "PreToolUse" && o.Decision != protocol.Block {
		held, why, o.Decision = true, strings.TrimSpace(o.Reason+"\n\n"+fault), protocol.Block
	}
	if m.Name == "PermissionRequest" && !held && o.UpdatedInput != nil {
		held, why = true, dialect.ChangedInput(o, ", and Copilot CLI cannot take that here")
	}
	why = cmp.Or(why, "Blocked by a hook")
	switch {
	case m.Name == "PreToolUse":
		switch {
		case held && o.Decision == protocol.Ask:
			set("permissionDecision", "ask")
			set("permissionDecisionReason", cmp.Or(o.Reason, "A hook asks for confirmation"))
			if o.UpdatedInput != nil { // the client drops it beside an ask
				set("permissionDecision", "deny")
				set("permissionDecisionReason", strings.TrimSpace(o.Reason+"\n\nhookrun: a hook changed the tool's "+
					"input and another asks; Copilot CLI cannot do both, so it is a block"))
			}
		case held:
			set("permissionDecision", "deny")
			set("permissionDecisionReason", why)
		case o.Approved:
			set("permissionDecision", "allow")
			if o.Reason != "" {
				set("permissionDecisionReason", o.Reason)
			}
		}
		if o.UpdatedInput != nil && !held {
			out.Set("modifiedArgs", o.UpdatedInput)
		}
	case m.Name == "PermissionRequest" && held:
		set("behavior", "deny")
		set("message", why)
		if o.Stop {
			out.Set("interrupt", []byte("true"))
		}
	case m.Name == "PermissionRequest" && o.Approved:
		set("behavior", "allow")
	case m.Can&dialect.Block != 0 && held:
		set("decision", "block")
		if m.Can&dialect.Inject == 0 || m.Name == "PostToolUse" { // beside a block the client drops context
			why, context = strings.Join(append([]string{why}, context...), "\n\n"), nil
		}
		set("reason", why)
	case held && m.Can&denies == 0:
		cannot("be held up", why)
	}
	if o.UpdatedOutput != nil && !held {
		if m.Name == "PostToolUse" {
			out.Set("modifiedResult", dialect.ObjectOf(dialect.FieldsOf("resultType", []byte(`"success"`),
				"textResultForLlm", strictjson.Quote(strictjson.ValueText(o.UpdatedOutput)))))
		} else {
			messages = append(messages, "hookrun: Copilot CLI cannot change the result of a tool that failed, and its "+
				"model has read it")
		}
	}
	if m.Name == "PreToolUse" || m.Name == "PostToolUseFailure" { // there exit 2 means something else
		for _, text := range messages {
			context = append(context, "For the user: "+text)
		}
		messages = nil
	}
	if text := strings.Join(context, "\n\n"); text != "" && m.Can&dialect.Inject != 0 {
		if m.Name == "PostToolUse" && len(text) > maxContext {
			messages = append(messages, "hookrun: the context is longer than the 10 kB that Copilot CLI gives its "+
				"model after a tool, and was cut")
			text = strings.ToValidUTF8(text[:maxContext-100], "") + "\n[hookrun: cut here, at 10 kB]"
		}
		set("additionalContext", text)
	} else if text != "" {
		messages = append(messages, dialect.CannotTell(client, m.Name, text))
	}
	for _, f := range o.Other {
		if m.HasField(f.Key) && gjson.ValidBytes(f.Value) {
			out.Set(f.Key, f.Value)
		}
	}
	return out, slices.DeleteFunc(messages, func(text string) bool { return text == "" }) // nothing to exit with 2 for
}
