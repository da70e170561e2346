package client

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// HookOutput is the hook output of Claude Code 2.1.329, whose form other clients use too, plus the messages to the
// user.
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

// NewHookOutput returns an output with the event's name and the outcome's Messages.
func NewHookOutput(o protocol.Outcome, client string, e protocol.Event) HookOutput {
	return HookOutput{Specific: dialect.FieldsOf("hookEventName", strictjson.Quote(string(e))),
		Notes: NewNotes(o, client, e)}
}

// End ends the turn.
func (out *HookOutput) End(reason string) { out.Continue, out.StopReason = new(bool), reason }

// Block blocks the subject of the event.
func (out *HookOutput) Block(reason string) { out.Decision, out.Reason = "block", reason }

// SetPermission sets the permission decision to word, one of the PermissionWords.
func (out *HookOutput) SetPermission(word, reason string) {
	out.Set("permissionDecision", word)
	out.Set("permissionDecisionReason", reason)
}

// Set sets a field of hookSpecificOutput, unless the text is "".
func (out *HookOutput) Set(key, text string) {
	if text != "" {
		out.Specific.Set(key, strictjson.Quote(text))
	}
}

// Encode encodes the output. It omits a hookSpecificOutput with no field but the event's name.
func (out HookOutput) Encode() ([]byte, error) {
	if out.SystemMessage = strings.Join(out.ToUser, "\n"); len(out.Specific) < 2 {
		out.Specific = nil
	}
	return strictjson.Marshal(out)
}

// Notes are the messages to the user with an answer to a client at an event.
type Notes struct {
	ToUser []string
	client string
	event  protocol.Event
}

// NewNotes returns Notes with the outcome's Messages.
func NewNotes(o protocol.Outcome, client string, e protocol.Event) Notes {
	return Notes{Messages(o), client, e}
}

// Note adds a message.
func (n *Notes) Note(message string) { n.ToUser = append(n.ToUser, message) }

// Cannot adds a message about an action that the client cannot take at the event. why is the hook's reason.
func (n *Notes) Cannot(what, why string) {
	n.Note(fmt.Sprintf("hookrun: %s cannot %s at %s: %s", n.client, what, n.event, why))
}

// CannotTell adds a message with a text that was meant for the model.
func (n *Notes) CannotTell(text string) {
	n.Note(fmt.Sprintf("hookrun: %s cannot give the model this at %s:\n%s", n.client, n.event, text))
}

// BlockReason returns the reason of a decision, worded as a block for a client without a word for the decision at the
// event.
func BlockReason(o protocol.Outcome, client string) string {
	if o.Decision == protocol.Block || o.Decision == protocol.Continue {
		return o.Reason
	}
	const text = "%s\n\nhookrun: a hook said %s, and a hook of %s " + noWordText
	return strings.TrimSpace(fmt.Sprintf(text, o.Reason, o.Decision, client))
}

const noWordText = "cannot say that here, so it is a block"

// WithheldMessage returns the message to the user that such a block withheld the tool's result from the model. hook is
// "" if hookrun itself blocked; the message then has the reason too.
func WithheldMessage(hook string, v *dialect.Verdict) string {
	text := "hookrun: " + failureText(hook, v.Cause) +
		", so the tool's result was withheld from the model; the tool has run"
	if hook == "" && v.Reason != "" {
		text += "\n" + v.Reason
	}
	return text
}

func failureText(hook string, cause protocol.Cause) string {
	if hook == "" {
		return fmt.Sprintf("the hooks of this call did not do their work (%s)", cmp.Or(cause, "error"))
	}
	return fmt.Sprintf("project hook '%s' failed (%s) and fails closed", hook, cause)
}

// WithholdReason returns the reason why the model must not read the tool's result, or "". The reason is a hook that
// changed the result, failed or did not run. WithholdReason is for a client that accepts no other result, so the
// client's run ends before the model reads the result.
func WithholdReason(o protocol.Outcome, client string) string {
	ends := ", and " + client + " cannot give the model another one, so the run ends; the tool has run"
	switch {
	case o.Cause == protocol.CauseRewrite:
		return o.Reason + ends
	case dialect.IsFailureBlock(o.Decision, o.Cause):
		return failureText(printable.Escape(o.Hook), o.Cause) + ends
	case o.UpdatedOutput != nil:
		return AHook(o.UpdatedBy) + " changed the tool's result" + ends
	}
	return ""
}

// InvalidInput returns an error text if the new input is not an object, because the client would drop the input or the
// whole answer. Otherwise InvalidInput returns "".
func InvalidInput(o protocol.Outcome) string {
	if o.UpdatedInput == nil || gjson.ParseBytes(o.UpdatedInput).IsObject() {
		return ""
	}
	return ChangedInput(o, " to something that is no object")
}

// UnsupportedOutcome returns the reason to block before a tool, if the client can pass on neither a new input nor a
// text for the model and the outcome has either. Otherwise UnsupportedOutcome returns "".
func UnsupportedOutcome(o protocol.Outcome, client string) string {
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

// ChangedInput says which hook changed the tool's input, followed by why the change is impossible.
func ChangedInput(o protocol.Outcome, why string) string {
	return fmt.Sprintf("%s changed %s%s", AHook(o.UpdatedBy), dialect.InputOf(o), why)
}

// AHook returns the name of a rewriting hook, for messages.
func AHook(name string) string {
	if name == "" {
		return "a project hook"
	}
	return "project hook '" + printable.Escape(name) + "'"
}

// Joined joins the distinct texts that are not empty.
func Joined(texts ...string) string {
	var all []string
	for _, text := range texts {
		if text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n\n")
}

// Messages returns the messages to the user: the hooks' own messages and Notices.
func Messages(o protocol.Outcome) []string {
	return append(slices.Clip(o.SystemMessages), Notices(o)...)
}

// Notices returns messages to the user for a client that does not show stderr: the hooks that gave no answer and failed
// open, and all other warnings. A failure has its cause and the known details.
func Notices(o protocol.Outcome) (messages []string) {
	reported := map[string]bool{}
	for i := range o.Hooks {
		h := &o.Hooks[i]
		// if the hook did not fail open, the reason says so
		if !unanswered(h) || h.Failure == "" && o.Decision != protocol.Continue {
			continue
		}
		what := "gave no answer"
		if h.Cause == protocol.CauseOutput {
			what = "gave an answer that does not count"
		}
		text := fmt.Sprintf("hookrun: hook '%s' %s (%s), so it did not check this", printable.Escape(h.Name), what,
			h.Cause)
		reported[h.Failure] = true
		if more := failureDetails(h); more != "" {
			text += ": " + more
		}
		messages = append(messages, text)
	}
	for _, w := range o.Warnings {
		if !reported[w] {
			messages = append(messages, "hookrun: warning: "+w)
		}
	}
	return messages
}

// failureDetails returns details of a failure beyond the cause: how the process ended with the first line of stderr, or
// the fault in the answer.
func failureDetails(h *protocol.Report) (text string) {
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
	return text + ": " + printable.Escape(dialect.Shorten(line, 200))
}

// unanswered reports whether the hook failed, or is of a kind that hookrun cannot run.
func unanswered(h *protocol.Report) bool {
	switch h.Status {
	case dialect.StatusFailed, dialect.StatusTimeout, dialect.StatusUnstarted:
		return true
	}
	return h.Cause == protocol.CauseUnsupported || h.Failure != ""
}

// PermissionRequest sets the decision of that event in hookSpecificOutput, in Claude Code's form.
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
		if permissions := dialect.OtherOf(o).Get("updatedPermissions"); permissions != nil {
			d.Set("updatedPermissions", permissions)
		}
	default:
		return
	}
	specific.Set("decision", dialect.ObjectOf(d))
}
