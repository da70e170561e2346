// Package form prints an outcome in hookrun's own forms: as text with an exit status, as JSON, and as messages for the
// API of a model. Each dialect has the form of its client. A form decides nothing: a block in the outcome hides
// whatever must not be shown. If a form cannot carry an outcome, as text cannot carry a rewrite, that form prints a
// block (WithoutRewrites).
package form

import (
	"fmt"
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// ExitCode is hookrun's exit status for the outcome: 0 continue, 2 do not run the tool, 3 end the loop.
func ExitCode(o protocol.Outcome) int {
	switch {
	case o.Stop:
		return 3
	case o.Decision != protocol.Continue:
		return 2
	}
	return 0
}

// Text returns the stdout of hookrun's text output: the texts for the model, joined by a blank line. If the call does
// not go on, Text returns "".
func Text(o protocol.Outcome) string {
	if ExitCode(o) != 0 {
		return ""
	}
	return strings.Join(dialect.TextsOf(o), "\n\n")
}

// TaggedText is Text with each text in the tag that TENEX uses for pre-execute texts. Append the result to the user's
// message: in the system prompt it would spoil the model's prompt cache.
func TaggedText(o protocol.Outcome) string {
	if ExitCode(o) != 0 {
		return ""
	}
	texts := dialect.TextsOf(o)
	for i, text := range texts {
		texts[i] = "<system-reminder type=\"pre-execute-hook\">\n" + text + "\n</system-reminder>"
	}
	return strings.Join(texts, "\n\n")
}

// Stderr returns the stderr of hookrun's text output for a call that does not go on: the stop reason, else the reason.
func Stderr(o protocol.Outcome) string {
	if o.Stop {
		return o.StopReason
	}
	return o.Reason
}

// WithoutRewrites returns the outcome for a host that cannot apply rewrites: a rewrite then blocks the call. After the
// tool a block is only feedback, so the reason also tells the host that the model should not see this result.
func WithoutRewrites(o protocol.Outcome) protocol.Outcome {
	if o.UpdatedInput == nil && o.UpdatedOutput == nil {
		return o
	}
	what := dialect.InputOf(o)
	if withholds(o) { // the reason is in the outcome already
		o.UpdatedOutput, o.UpdatedBy = nil, ""
		return o
	}
	hasOutput := o.UpdatedOutput != nil
	if hasOutput {
		what = "the tool's output"
	}
	hook := o.UpdatedBy
	o.UpdatedInput, o.UpdatedOutput, o.UpdatedBy = nil, nil, ""
	reason := fmt.Sprintf("project hook '%s' changed %s, and text output cannot carry that; the program "+
		"that calls hookrun must use --output json, the model can do nothing about it", printable.Escape(hook), what)
	if hasOutput { // also if the call ends for another reason: nobody may take this result for the changed one
		if o.Decision != protocol.Continue {
			o.Reason += "\n\n" + reason
		}
		if o.Stop {
			o.StopReason += "\n\n" + reason
		}
	}
	if o.Decision != protocol.Continue {
		return o
	}
	o.Decision, o.Cause, o.Hook, o.Approved, o.Reason = protocol.Block, protocol.CauseRewrite, hook, false, reason
	return o
}

// withholds reports whether the outcome withholds the tool's result, because a hook that might have changed the result
// failed or returned a change that cannot be shown.
func withholds(o protocol.Outcome) bool {
	return dialect.IsAfterTool(o) && dialect.IsFailureBlock(o.Decision, o.Cause)
}

// JSON returns the outcome as one line of JSON without `<>&` escaped.
func JSON(o protocol.Outcome) ([]byte, error) { return strictjson.Marshal(o) }

// ResultText returns the tool's result for the model, with the rewrites of the hooks: a JSON string as plain text, any
// other value as compact JSON. If a hook failed that might have changed the result, ResultText returns the reason of
// that block.
func ResultText(o protocol.Outcome, result string) string {
	switch {
	case o.Decision != protocol.Continue && !IsFeedback(o):
		return o.Reason
	case o.UpdatedOutput == nil:
		return result
	}
	return strictjson.ValueText(o.UpdatedOutput)
}

// IsFeedback reports whether the outcome blocks after the tool has run, so the reason is a further text for the model.
func IsFeedback(o protocol.Outcome) bool {
	return o.Decision != protocol.Continue && o.Cause == protocol.CausePolicy
}
