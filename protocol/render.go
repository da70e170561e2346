package protocol

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/printable"
)

// ExitCode is the exit status that stands for the outcome: 0 continue, 2 do not run the tool, 3 end the loop.
func (o Outcome) ExitCode() int {
	switch {
	case o.Stop:
		return 3
	case o.Decision != Continue:
		return 2
	}
	return 0
}

// Text returns what text output has on stdout: the texts for the model, joined by a blank line. It is empty unless
// the call goes on.
func (o Outcome) Text() string {
	if o.ExitCode() != 0 {
		return ""
	}
	return strings.Join(o.Texts(), "\n\n")
}

// Wrapped is Text with each text in the tag of WrapPreExecute.
func (o Outcome) Wrapped() string {
	if o.ExitCode() != 0 {
		return ""
	}
	return WrapPreExecute(o.Texts()...)
}

// Texts returns the texts for the model, in the order of the file.
func (o Outcome) Texts() []string {
	var texts []string
	for _, in := range o.Inject {
		texts = append(texts, in.Content)
	}
	return texts
}

// Why returns what stands on stderr where the call does not go on: the stop reason or the reason, and nothing else.
func (o Outcome) Why() string {
	if o.Stop {
		return o.StopReason
	}
	return o.Reason
}

// WithoutRewrites returns the outcome for an output form that can carry none: a rewrite then blocks the call. After
// the tool, where a block is only feedback, the host is told that the model should not see this result.
func (o Outcome) WithoutRewrites() Outcome {
	what, hook := "input", o.rewroteInput
	if o.withheld != nil && o.UpdatedOutput == nil && o.Decision == Continue { // a hook wanted nobody to see this result
		o.Decision, o.Cause, o.Hook, o.Approved, o.Reason = Block, CauseRewrite, o.withheldBy, false, withheldReason(o.withheldBy)
		return o
	}
	if o.keepsOutput { // the reason says so
		o.UpdatedOutput = nil
		return o
	}
	if o.UpdatedOutput != nil {
		what, hook = "output", o.rewroteOutput
	} else if o.UpdatedInput == nil {
		return o
	}
	o.UpdatedInput, o.UpdatedOutput = nil, nil
	reason := fmt.Sprintf("project hook '%s' changed the tool's %s, and text output cannot carry that; the program that calls hookrun must use --output json, the model can do nothing about it", printable.Escape(hook), what)
	if what == "output" { // also where the call ends in another way: this result must not pass for the changed one
		if o.Decision != Continue {
			o.Reason += "\n\n" + reason
		}
		if o.Stop {
			o.StopReason += "\n\n" + reason
		}
	}
	if o.Decision != Continue {
		return o
	}
	o.Decision, o.Cause, o.Hook, o.Approved, o.Reason = Block, CauseRewrite, hook, false, reason
	return o
}

// JSON returns the outcome as one line of JSON without `<>&` escaped.
func (o Outcome) JSON() ([]byte, error) { return appendJSON(nil, o) }

// blockReason is the reason of a decision as a block has it, for a client that has no word for it at the event.
func (o Outcome) blockReason(client string) string {
	if o.Decision == Block || o.Decision == Continue {
		return o.Reason
	}
	return strings.TrimSpace(fmt.Sprintf("%s\n\nhookrun: a hook said %s, and a hook of %s cannot say that here, so it is a block", o.Reason, o.Decision, client))
}

// unfitInput says why a client could not give its tool the new input: that is no object, and it would drop it or the whole answer.
func (o Outcome) unfitInput() string {
	if o.UpdatedInput == nil || gjson.ParseBytes(o.UpdatedInput).IsObject() {
		return ""
	}
	return fmt.Sprintf("project hook '%s' changed the tool's input to something that is no object", printable.Escape(o.rewroteInput))
}

// notices are for the user, in the form of a client that shows nobody what stands on stderr: the hooks that gave no answer and fail
// open, and all other warnings but Lint. A failure is named by its cause, and by what else is known about it.
func (o Outcome) notices() (messages []string) {
	said := map[string]bool{}
	for i := range o.Hooks {
		h := &o.Hooks[i]
		if h.held || !h.unanswered() {
			continue
		}
		what := "gave no answer"
		if h.Cause == CauseOutput {
			what = "gave an answer that does not count"
		}
		text := fmt.Sprintf("hookrun: hook '%s' %s (%s), so it did not check this", printable.Escape(h.Name), what, h.Cause)
		said[h.failure] = true
		if why := h.why(); why != "" {
			text += ": " + why
		}
		messages = append(messages, text)
	}
	for _, w := range o.GateWarnings() {
		if !said[w] {
			messages = append(messages, "hookrun: warning: "+w)
		}
	}
	return messages
}

// why says more about a failure than its cause does: how the process ended and the first line of what it said, or what is wrong with
// its answer.
func (h *HookReport) why() (text string) {
	switch {
	case h.Cause == CauseOutput || h.Cause == CauseUnstarted:
		return h.failure
	case h.Cause == CauseExit && h.ExitCode != nil:
		text = fmt.Sprintf("it exited with %d", *h.ExitCode)
	case h.Cause == CauseSignal && h.Signal != "":
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
	return text + ": " + printable.Escape(shorten(line, 200))
}

// GateWarnings are the warnings but for Lint: something of this call did not count, or may not have.
func (o Outcome) GateWarnings() []string {
	if len(o.Lint) == 0 {
		return o.Warnings
	}
	return slices.DeleteFunc(slices.Clone(o.Warnings), func(w string) bool { return slices.Contains(o.Lint, w) })
}

// unanswered reports whether the hook failed, or is of a kind that hookrun cannot run.
func (h *HookReport) unanswered() bool {
	switch h.Status {
	case StatusFailed, StatusTimeout, StatusUnstarted:
		return true
	}
	return h.Cause == CauseUnsupported || h.failure != ""
}
