package copilot

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// maxContext is how many bytes of context the client adds to a tool's result. The client silently cuts the rest.
const maxContext = 10_000

// reply returns the outcome as the client's hook output. An effect that the client cannot express becomes a block or a
// message. A message to the user goes to stderr with exit 2, if exit 2 does not block at the event: the answer on
// stdout still counts. Before a tool and after a failed tool exit 2 has another meaning, so the model gets the message.
// At PermissionRequest exit 2 denies, so a message is dropped unless the answer denies or a hook has a text for the
// model.
func reply(o protocol.Outcome) (client.Reply, error) {
	m := ruleOf(eventOf(&dialect.Call{Event: o.Event, Failed: o.Failed}))
	a := answer{rule: m, Outcome: o, Notes: client.NewNotes(o, clientName, m.Name)}
	a.write()
	messages := slices.DeleteFunc(a.ToUser, func(text string) bool { return text == "" }) // empty texts need no exit 2
	if m.Name == "PermissionRequest" && !a.held && len(o.Texts) == 0 {
		messages = nil // exit 2 would deny
	}
	text, err := a.out.MarshalJSON()
	r := client.Reply{Stdout: text, Stderr: strings.Join(messages, "\n")}
	if len(messages) > 0 && err == nil {
		r.Exit = 2
	}
	return r, err
}

// answer is the client's hook output for an outcome at an event.
type answer struct {
	rule
	protocol.Outcome
	client.Notes
	out strictjson.Fields

	held    bool
	why     string   // the reason of the block
	context []string // for the model
}

func (a *answer) set(key, value string) { a.out.Set(key, strictjson.Quote(value)) }

// write writes the answer, and its messages to the user.
func (a *answer) write() {
	a.context = dialect.TextsOf(a.Outcome)
	a.hold()
	switch {
	case a.Name == "PreToolUse":
		a.permit()
	case a.Name == "PermissionRequest" && a.held:
		a.set("behavior", "deny")
		a.set("message", a.why)
		if a.Stop {
			a.out.Set("interrupt", []byte("true"))
		}
	case a.Name == "PermissionRequest" && a.Approved:
		a.set("behavior", "allow")
	case a.Can&dialect.Block != 0 && a.held:
		a.set("decision", "block")
		if a.Can&dialect.Inject == 0 || a.Name == "PostToolUse" { // beside a block the client drops context
			a.why, a.context = strings.Join(append([]string{a.why}, a.context...), "\n\n"), nil
		}
		a.set("reason", a.why)
	case a.held && a.Can&denies == 0:
		a.Cannot("be blocked", a.why)
	}
	if a.UpdatedOutput != nil && !a.held {
		if a.Name == "PostToolUse" {
			a.out.Set("modifiedResult", dialect.JSONObject("resultType", []byte(`"success"`),
				"textResultForLlm", strictjson.Quote(strictjson.ValueText(a.UpdatedOutput))))
		} else {
			a.Note("hookrun: Copilot CLI cannot change the result of a tool that failed, and its model has read it")
		}
	}
	a.tell()
	for _, f := range dialect.OtherOf(a.Outcome) {
		if a.HasField(f.Key) && gjson.ValidBytes(f.Value) {
			a.out.Set(f.Key, f.Value)
		}
	}
}

// hold decides whether the answer blocks, and why.
func (a *answer) hold() {
	a.held, a.why = a.Decision != protocol.Continue, client.BlockReason(a.Outcome, clientName)
	if a.Stop && a.Can&dialect.EndsTurn == 0 {
		switch {
		case !a.held && a.Can&(denies|dialect.Block) != 0: // the client cannot stop here, but can block
			a.held, a.why = true, a.StopReason
		case a.StopReason != a.why:
			a.Cannot("be stopped", a.StopReason)
		}
	}
	fault := client.InvalidInput(a.Outcome)
	switch {
	case a.Name == "PreToolUse" && fault != "" && a.Decision != protocol.Block:
		a.held, a.why, a.Decision = true, strings.TrimSpace(a.Reason+"\n\n"+fault), protocol.Block
	case a.Name == "PermissionRequest" && !a.held && a.UpdatedInput != nil:
		a.held, a.why = true, client.ChangedInput(a.Outcome, ", and Copilot CLI cannot take that here")
	}
	a.why = cmp.Or(a.why, "Blocked by a hook")
}

// permit writes the permission for a tool.
func (a *answer) permit() {
	permission := func(word, reason string) {
		a.set("permissionDecision", word)
		if reason != "" {
			a.set("permissionDecisionReason", reason)
		}
	}
	switch {
	case a.held && a.Decision == protocol.Ask && a.UpdatedInput != nil: // the client drops the input beside an ask
		permission("deny", strings.TrimSpace(a.Reason+"\n\nhookrun: a hook changed the tool's input and another asks; "+
			"Copilot CLI cannot do both, so it is a block"))
	case a.held && a.Decision == protocol.Ask:
		permission("ask", cmp.Or(a.Reason, "A hook asks for confirmation"))
	case a.held:
		permission("deny", a.why)
	case a.Approved:
		permission("allow", a.Reason)
	}
	if a.UpdatedInput != nil && !a.held {
		a.out.Set("modifiedArgs", a.UpdatedInput)
	}
}

// tell writes the texts for the model, as far as the client takes any.
func (a *answer) tell() {
	if a.Name == "PreToolUse" || a.Name == "PostToolUseFailure" { // exit 2 has another meaning here
		for _, text := range a.ToUser {
			a.context = append(a.context, "For the user: "+text)
		}
		a.ToUser = nil
	}
	text := strings.Join(a.context, "\n\n")
	switch {
	case text == "":
		return
	case a.Can&dialect.Inject == 0:
		a.CannotTell(text)
		return
	case a.Name == "PostToolUse" && len(text) > maxContext:
		a.Note("hookrun: the context is longer than the 10 kB that Copilot CLI gives its model after a tool, and was " +
			"cut")
		text = strings.ToValidUTF8(text[:maxContext-100], "") + "\n[hookrun: cut here, at 10 kB]"
	}
	a.set("additionalContext", text)
}
