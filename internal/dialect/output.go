package dialect

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// HookOutput is Claude Code's hook output (2.1.329), whose form other clients took over, with the messages to the user
// that go with it.
type HookOutput struct {
	Continue      *bool             `json:"continue,omitempty"`
	StopReason    string            `json:"stopReason,omitempty"`
	Decision      string            `json:"decision,omitempty"`
	Reason        string            `json:"reason,omitempty"`
	SystemMessage string            `json:"systemMessage,omitempty"`
	Terminal      json.RawMessage   `json:"terminalSequence,omitempty"`
	Specific      strictjson.Fields `json:"hookSpecificOutput,omitempty"`

	Notes `json:"-"`
}

// NewHookOutput begins the output of a client at an event, with the outcome's Messages.
func NewHookOutput(o protocol.Outcome, client string, e protocol.Event) HookOutput {
	return HookOutput{Specific: FieldsOf("hookEventName", strictjson.Quote(string(e))), Notes: NewNotes(o, client, e)}
}

// End ends the turn.
func (out *HookOutput) End(reason string) { out.Continue, out.StopReason = new(bool), reason }

// Block holds up what the event is about.
func (out *HookOutput) Block(reason string) { out.Decision, out.Reason = "block", reason }

// Permit says whether the tool may run: one of the PermissionWords.
func (out *HookOutput) Permit(word, reason string) {
	out.Set("permissionDecision", word)
	out.Set("permissionDecisionReason", reason)
}

// Set adds a text to hookSpecificOutput, if it is one.
func (out *HookOutput) Set(key, text string) {
	if text != "" {
		out.Specific.Set(key, strictjson.Quote(text))
	}
}

// Encode writes the output. A hookSpecificOutput that says nothing is left out.
func (out HookOutput) Encode() ([]byte, error) {
	if out.SystemMessage = strings.Join(out.ToUser, "\n"); len(out.Specific) < 2 {
		out.Specific = nil
	}
	return strictjson.Marshal(out)
}

// Notes are the messages to the user that go with an answer to a client at an event.
type Notes struct {
	ToUser []string
	client string
	event  protocol.Event
}

// NewNotes begins with the outcome's Messages.
func NewNotes(o protocol.Outcome, client string, e protocol.Event) Notes {
	return Notes{Messages(o), client, e}
}

// Note adds a message.
func (n *Notes) Note(message string) { n.ToUser = append(n.ToUser, message) }

// Cannot notes what the client cannot do at the event, and why a hook wanted it.
func (n *Notes) Cannot(what, why string) {
	n.Note(fmt.Sprintf("hookrun: %s cannot %s at %s: %s", n.client, what, n.event, why))
}

// CannotTell notes a text that was for the model.
func (n *Notes) CannotTell(text string) {
	n.Note(fmt.Sprintf("hookrun: %s cannot give the model this at %s:\n%s", n.client, n.event, text))
}

// FieldsOf makes fields of keys and their values in turn.
func FieldsOf(keysAndValues ...any) (fields strictjson.Fields) {
	for i := 0; i+1 < len(keysAndValues); i += 2 {
		fields.Set(keysAndValues[i].(string), keysAndValues[i+1].([]byte))
	}
	return fields
}

// ObjectOf writes fields as a JSON object.
func ObjectOf(fields strictjson.Fields) []byte {
	text, _ := fields.MarshalJSON() // made of JSON, it cannot fail
	return text
}

// BlockReason is the reason of a decision as a block has it, for a client that has no word for it at the event.
func BlockReason(o protocol.Outcome, client string) string {
	if o.Decision == protocol.Block || o.Decision == protocol.Continue {
		return o.Reason
	}
	const text = "%s\n\nhookrun: a hook said %s, and a hook of %s " + noWord
	return strings.TrimSpace(fmt.Sprintf(text, o.Reason, o.Decision, client))
}

const noWord = "cannot say that here, so it is a block"

// CanAsk reports whether the client's answer to a call can ask a person.
func (d *Dialect) CanAsk(c *Call) bool {
	o := protocol.Outcome{Version: 1, Event: c.Event, Tool: c.Tool, Decision: protocol.Block,
		Cause: protocol.CausePolicy, Reason: "a reason"}
	block, err := d.Reply(o)
	o.Decision = protocol.Ask
	ask, err2 := d.Reply(o)
	asks := !reflect.DeepEqual(block, ask) && !strings.Contains(string(ask.Stdout), noWord)
	return errors.Join(err, err2) == nil && asks
}

// WithheldReason says why a block withholds the tool's result.
func WithheldReason(hook string) string {
	return fmt.Sprintf("project hook '%s' changed the tool's result to one that could not be shown, so the result "+
		"is withheld; the tool has run", hook)
}

// WithheldMark stands for each text of a result that is withheld.
const WithheldMark = "[withheld by hookrun]"

// InPlaceOfResult returns the UpdatedOutput of an outcome that withholds the tool's result: what was written in the
// form of its client's results, else the mark alone.
func InPlaceOfResult(ofClient []byte) []byte {
	if ofClient == nil {
		return strictjson.Quote(WithheldMark)
	}
	return ofClient
}

// IsFailure reports whether a block comes from a hook that failed, or from hookrun itself, or is about a change that
// could not be made. After a tool the hook may have been a redactor, and the result is withheld.
func IsFailure(decision protocol.Decision, cause protocol.Cause) bool {
	return decision == protocol.Block && cause != protocol.CausePolicy && cause != protocol.CauseUnsupported
}

// WithheldMessage is a message to the user: the model was not given the tool's result, because of such a block. hook is
// "" for one of hookrun's own.
func WithheldMessage(hook string, cause protocol.Cause) string {
	return "hookrun: " + failure(hook, cause) + ", so the tool's result was withheld from the model; the tool has run"
}

func failure(hook string, cause protocol.Cause) string {
	if hook == "" {
		return fmt.Sprintf("the hooks of this call did not do their work (%s)", cmp.Or(cause, "error"))
	}
	return fmt.Sprintf("project hook '%s' failed (%s) and fails closed", hook, cause)
}

// MustNotShow says why the model must not read the tool's result: a hook changed it, or was to and failed, or did not
// run. It is for a client that takes no other result, so its run ends before the model reads this one; "": it may.
func MustNotShow(o protocol.Outcome, client string) string {
	ends := ", and " + client + " cannot give the model another one, so the run ends; the tool has run"
	switch {
	case o.Cause == protocol.CauseRewrite:
		return o.Reason + ends
	case IsFailure(o.Decision, o.Cause):
		return failure(printable.Escape(o.Hook), o.Cause) + ends
	case o.UpdatedOutput != nil:
		return AHook(o.UpdatedBy) + " changed the tool's result" + ends
	}
	return ""
}

// UnfitInput says why a client could not give its tool the new input: that is no object, and it would drop it or the
// whole answer.
func UnfitInput(o protocol.Outcome) string {
	if o.UpdatedInput == nil || gjson.ParseBytes(o.UpdatedInput).IsObject() {
		return ""
	}
	return ChangedInput(o, " to something that is no object")
}

// Uncarried says what of an outcome a client cannot carry before a tool that can be told neither another input nor a
// text for the model, and so blocks the call; "": nothing.
func Uncarried(o protocol.Outcome, client string) string {
	switch {
	case o.UpdatedInput != nil:
		return ChangedInput(o, fmt.Sprintf(", and %s cannot give the tool another, so the call is blocked; "+
			"the changed input: %s", client, o.UpdatedInput))
	case len(o.Texts) > 0:
		return fmt.Sprintf("project hook '%s' has a text for the model, and %s cannot give it the model before a tool "+
			"runs, so the call is blocked:", printable.Escape(o.Texts[0].Hook), client)
	}
	return ""
}

// ChangedInput says which hook changed the tool's input, and why that cannot be.
func ChangedInput(o protocol.Outcome, why string) string {
	return fmt.Sprintf("%s changed %s%s", AHook(o.UpdatedBy), InputOf(o.Event), why)
}

// AHook names the hook of a rewrite.
func AHook(name string) string {
	if name == "" {
		return "a project hook"
	}
	return "project hook '" + printable.Escape(name) + "'"
}

// InputOf is what UpdatedInput stands for at an event.
func InputOf(e protocol.Event) string {
	if Canonical(e) == protocol.PreExecute {
		return "the prompt"
	}
	return "the tool's input"
}

// Joined are the texts that say something, each but once.
func Joined(texts ...string) string {
	var all []string
	for _, text := range texts {
		if text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n\n")
}

// Messages are what the user is told: what hooks have to say, and Notices.
func Messages(o protocol.Outcome) []string {
	return append(slices.Clip(o.SystemMessages), Notices(o)...)
}

// Notices are for the user, in the form of a client that shows nobody what stands on stderr: the hooks that gave no
// answer and fail open, and all other warnings. A failure is named by its cause, and by what else is known about it.
func Notices(o protocol.Outcome) (messages []string) {
	said := map[string]bool{}
	for i := range o.Hooks {
		h := &o.Hooks[i]
		// of a hook that did not fail open, the reason tells
		if !unanswered(h) || h.Failure == "" && o.Decision != protocol.Continue {
			continue
		}
		what := "gave no answer"
		if h.Cause == protocol.CauseOutput {
			what = "gave an answer that does not count"
		}
		text := fmt.Sprintf("hookrun: hook '%s' %s (%s), so it did not check this", printable.Escape(h.Name), what,
			h.Cause)
		said[h.Failure] = true
		if more := why(h); more != "" {
			text += ": " + more
		}
		messages = append(messages, text)
	}
	for _, w := range o.Warnings {
		if !said[w] {
			messages = append(messages, "hookrun: warning: "+w)
		}
	}
	return messages
}

// why says more about a failure than its cause does: how the process ended and the first line of what it said, or what
// is wrong with its answer.
func why(h *protocol.Report) (text string) {
	switch {
	case h.Cause == protocol.CauseOutput || h.Cause == protocol.CauseUnstarted:
		return h.Failure
	case h.Cause == protocol.CauseExit && h.ExitCode != nil:
		text = fmt.Sprintf("it exited with %d", *h.ExitCode)
	case h.Cause == protocol.CauseSignal && h.Signal != "":
		text = "it was killed by " + h.Signal
	default:
		return ""
	}
	line, _, _ := strings.Cut(strings.TrimSpace(h.Stderr), "\n")
	switch line = strings.TrimSpace(line); {
	case line == "" && h.Signal != "":
		return text
	case line == "":
		return text + ", nothing on stderr"
	}
	return text + ": " + printable.Escape(Shorten(line, 200))
}

// unanswered reports whether the hook failed, or is of a kind that hookrun cannot run.
func unanswered(h *protocol.Report) bool {
	switch h.Status {
	case StatusFailed, StatusTimeout, StatusUnstarted:
		return true
	}
	return h.Cause == protocol.CauseUnsupported || h.Failure != ""
}

// PermissionRequest writes the decision of that event into hookSpecificOutput, in the form that Claude Code began.
func PermissionRequest(o protocol.Outcome, specific *strictjson.Fields) {
	var d strictjson.Fields
	switch {
	case o.Decision != protocol.Continue:
		d.Set("behavior", strictjson.Quote("deny"))
		d.Set("message", strictjson.Quote(o.Reason))
		if o.Stop {
			d.Set("interrupt", []byte("true"))
		}
	case o.Approved:
		d.Set("behavior", strictjson.Quote("allow"))
		if o.UpdatedInput != nil {
			d.Set("updatedInput", o.UpdatedInput)
		}
		if permissions := OtherOf(o).Get("updatedPermissions"); permissions != nil {
			d.Set("updatedPermissions", permissions)
		}
	default:
		return
	}
	specific.Set("decision", ObjectOf(d))
}
