package protocol

import (
	"encoding/json"
	"fmt"
	"slices"
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
	Terminal      json.RawMessage `json:"terminalSequence,omitempty"`
	Specific      Fields          `json:"hookSpecificOutput,omitempty"`
}

// Claude returns the outcome as Claude Code's hook output, which makes hookrun a hook command of its own. Where the
// client has no word for a decision at the event, the stricter one is used.
//
// At two events the client takes plain text alone: instructions for a compaction, and the path of a new worktree.
func (o Outcome) Claude() ([]byte, error) {
	event := claudeEvent(&Call{Event: o.Event, Failed: o.failed})
	if text := o.Text(); event == "PreCompact" && text != "" {
		return []byte(text), nil
	}
	if path := o.Other.Get("worktreePath"); event == "WorktreeCreate" && path != nil && o.Decision == Continue {
		return []byte(textOf(path)), nil
	}
	out := claudeOutput{SystemMessage: strings.Join(append(slices.Clip(o.SystemMessages), o.silent()...), "\n")}
	specific := Fields{{"hookEventName", jsonText(string(event))}}
	set := func(key, value string) {
		if value != "" {
			specific.Set(key, jsonText(value))
		}
	}
	if o.Stop {
		out.Continue, out.StopReason = new(bool), o.StopReason
	}
	switch event {
	case "PreToolUse", "PreModelSwitch":
		if o.Decision != Continue || o.Approved {
			word := o.Decision.String()
			for name, d := range permissionWords {
				if d == o.Decision {
					word = name
				}
			}
			set("permissionDecision", word)
			set("permissionDecisionReason", o.Reason)
		}
	case "PermissionRequest":
		o.permissionRequest(&specific)
	default:
		if o.Decision != Continue {
			out.Decision, out.Reason = "block", o.Reason
		}
	}
	if o.UpdatedInput != nil && event != "PermissionRequest" {
		specific.Set("updatedInput", o.UpdatedInput)
	}
	set("additionalContext", strings.Join(o.Texts(), "\n\n"))
	if o.UpdatedOutput != nil {
		specific.Set("updatedToolOutput", o.UpdatedOutput)
	}
	for _, f := range o.Other {
		switch f.Key {
		case "terminalSequence":
			out.Terminal = f.Value
		case "updatedPermissions": // stands in the decision
		default:
			specific.Set(f.Key, f.Value)
		}
	}
	if len(specific) > 1 {
		out.Specific = specific
	}
	return appendJSON(nil, out)
}

// silent names the hooks that gave no answer and let pass, for the user: the client shows nobody what stands on stderr then.
func (o Outcome) silent() (messages []string) {
	for _, h := range o.Hooks {
		switch {
		case h.Status == StatusFailed, h.Status == StatusTimeout, h.Status == StatusUnstarted, h.Cause == CauseUnsupported:
			if o.Decision == Continue {
				messages = append(messages, fmt.Sprintf("hookrun: hook '%s' gave no answer (%s), so it did not check this", h.Name, h.Cause))
			}
		}
	}
	return messages
}

// permissionRequest writes the decision of that event, which has a form of its own.
func (o Outcome) permissionRequest(specific *Fields) {
	var d Fields
	switch {
	case o.Decision != Continue:
		d.Set("behavior", jsonText("deny"))
		d.Set("message", jsonText(o.Reason))
		if o.Stop {
			d.Set("interrupt", []byte("true"))
		}
	case o.Approved:
		d.Set("behavior", jsonText("allow"))
		if o.UpdatedInput != nil {
			d.Set("updatedInput", o.UpdatedInput)
		}
		if permissions := o.Other.Get("updatedPermissions"); permissions != nil {
			d.Set("updatedPermissions", permissions)
		}
	default:
		return
	}
	text, _ := d.MarshalJSON() // made of JSON, it cannot fail
	specific.Set("decision", text)
}

// ClaudeExit is the exit status that goes with Claude: 0, since the verdict is in the JSON, but at events where the client
// looks at the exit alone.
func (o Outcome) ClaudeExit() int {
	switch o.Event {
	case "TeammateIdle", "TaskCreated", "TaskCompleted", "WorktreeCreate", "WorktreeRemove", "Elicitation", "ElicitationResult":
		if o.Decision != Continue {
			return 2
		}
	}
	return 0
}
