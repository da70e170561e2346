package protocol

import (
	"fmt"
	"strings"

	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// ExitCode is hookrun's exit status for the outcome: 0 continue, 2 do not run the tool, 3 end the loop.
func (o Outcome) ExitCode() int {
	switch {
	case o.Stop:
		return 3
	case o.Decision != Continue:
		return 2
	}
	return 0
}

// Text returns the stdout of hookrun's text output: the texts for the model, joined by a blank line. It is empty unless
// the call goes on.
func (o Outcome) Text() string {
	if o.ExitCode() != 0 {
		return ""
	}
	return strings.Join(o.Texts(), "\n\n")
}

// Wrapped is Text with each text in the tag under which TENEX shows those of pre-execute. It belongs at the end of the
// user's message: in the system prompt it would spoil the model's prompt cache.
func (o Outcome) Wrapped() string {
	if o.ExitCode() != 0 {
		return ""
	}
	texts := o.Texts()
	for i, text := range texts {
		texts[i] = "<system-reminder type=\"pre-execute-hook\">\n" + text + "\n</system-reminder>"
	}
	return strings.Join(texts, "\n\n")
}

// Texts returns the texts for the model, in the order of the file.
func (o Outcome) Texts() []string {
	var texts []string
	for _, in := range o.Inject {
		texts = append(texts, in.Content)
	}
	return texts
}

// Why returns the stderr of hookrun's text output where the call does not go on: the stop reason, else the reason.
func (o Outcome) Why() string {
	if o.Stop {
		return o.StopReason
	}
	return o.Reason
}

// WithoutRewrites returns the outcome for a host that can apply no rewrite: a rewrite then blocks the call. After the
// tool, where a block is only feedback, the reason tells the host that the model should not see this result.
func (o Outcome) WithoutRewrites() Outcome {
	what := "the tool's input"
	if o.Event.Canonical() == PreExecute {
		what = "the prompt"
	}
	if o.withholds() { // the reason says so
		o.UpdatedOutput, o.UpdatedBy = nil, ""
		return o
	}
	hasOutput := o.UpdatedOutput != nil
	if hasOutput {
		what = "the tool's output"
	} else if o.UpdatedInput == nil {
		return o
	}
	hook := o.UpdatedBy
	o.UpdatedInput, o.UpdatedOutput, o.UpdatedBy = nil, nil, ""
	reason := fmt.Sprintf("project hook '%s' changed %s, and text output cannot carry that; the program "+
		"that calls hookrun must use --output json, the model can do nothing about it", printable.Escape(hook), what)
	if hasOutput { // also where the call ends in another way: this result must not pass for the changed one
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

// withholds reports whether the outcome blocks because the tool's result is withheld: a hook that may have been to
// change it failed, or changed it to what cannot be shown.
func (o Outcome) withholds() bool {
	return o.Event.Canonical() == PostTool && o.Decision == Block && o.Cause != CausePolicy &&
		o.Cause != CauseUnsupported
}

// JSON returns the outcome as one line of JSON without `<>&` escaped.
func (o Outcome) JSON() ([]byte, error) { return strictjson.Marshal(o) }
