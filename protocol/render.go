package protocol

import (
	"encoding/json"
	"fmt"
	"strings"
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
	if o.UpdatedOutput != nil {
		what, hook = "output", o.rewroteOutput
	} else if o.UpdatedInput == nil {
		return o
	}
	o.UpdatedInput, o.UpdatedOutput = nil, nil
	reason := fmt.Sprintf("project hook '%s' changed the tool's %s, and text output cannot carry that; call hookrun with --output json", hook, what)
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

// claudeOutput is Claude Code's hook output (2.1.329).
type claudeOutput struct {
	Continue      *bool           `json:"continue,omitempty"`
	StopReason    string          `json:"stopReason,omitempty"`
	Decision      string          `json:"decision,omitempty"`
	Reason        string          `json:"reason,omitempty"`
	SystemMessage string          `json:"systemMessage,omitempty"`
	Specific      *claudeSpecific `json:"hookSpecificOutput,omitempty"`
}

type claudeSpecific struct {
	Event             Event           `json:"hookEventName"`
	Permission        string          `json:"permissionDecision,omitempty"`
	PermissionReason  string          `json:"permissionDecisionReason,omitempty"`
	UpdatedInput      json.RawMessage `json:"updatedInput,omitempty"`
	AdditionalContext string          `json:"additionalContext,omitempty"`
	UpdatedToolOutput json.RawMessage `json:"updatedToolOutput,omitempty"`
}

// Claude returns the outcome as Claude Code's hook output, which makes hookrun a hook command of its own. Where the
// client has no word for a decision at the event, the stricter one is used.
func (o Outcome) Claude() ([]byte, error) {
	out := claudeOutput{SystemMessage: strings.Join(o.SystemMessages, "\n")}
	specific := claudeSpecific{Event: o.Event.Claude(), AdditionalContext: strings.Join(o.Texts(), "\n\n")}
	if o.Stop {
		out.Continue, out.StopReason = new(bool), o.StopReason
	}
	if o.Event.Canonical() == PreTool {
		switch o.Decision {
		case Continue:
			if o.Approved {
				specific.Permission, specific.PermissionReason = "allow", o.Reason
			}
		case Ask, Defer:
			specific.Permission, specific.PermissionReason = o.Decision.String(), o.Reason
		default:
			specific.Permission, specific.PermissionReason = "deny", o.Reason
		}
		specific.UpdatedInput = o.UpdatedInput
	} else {
		if o.Decision != Continue {
			out.Decision, out.Reason = "block", o.Reason
		}
		specific.UpdatedToolOutput = o.UpdatedOutput
	}
	if specific.Permission != "" || specific.AdditionalContext != "" || specific.UpdatedInput != nil || specific.UpdatedToolOutput != nil {
		out.Specific = &specific
	}
	return appendJSON(nil, out)
}
