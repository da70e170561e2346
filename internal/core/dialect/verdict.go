package dialect

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Verdict is the decision of one hook, with texts and changes.
type Verdict struct {
	Decision protocol.Decision
	Cause    protocol.Cause
	Status   string

	// Problem is the error of a hook that gave no answer; ApplyFailurePolicy then decides. Answered: the hook also
	// answered. The answer counts if the failure does not block; with StatusFailed a warning reports the failure.
	Problem  string
	Answered bool

	// Doubt describes a part of the answer that the client ignores, but that may have been meant to block.
	// ApplyFailurePolicy turns Doubt into a warning, or into a block if a given policy blocks unreadable answers.
	Doubt string

	Reason        string // why the tool must not or may run
	Approved      bool   // the hook said allow: the host may skip its own prompt
	Stop          bool   // the hook wants to end the loop
	StopReason    string
	Context       string // text for the model
	Strategy      string
	Truncated     bool              // Context was cut; the text marks the cut
	File          string            // contains the whole Context, if cut
	UpdatedInput  []byte            // JSON: the new input for the tool
	UpdatedOutput []byte            // JSON: the new result for the model
	SystemMessage string            // text for the user
	Other         strictjson.Fields // the hook's other answers, for the hook's own client
	Warnings      []string

	HTTP bool // the hook is a URL
	// Own is data from the dialect's Decode for its Outrank, Propagate and Merge.
	Own any
	// Strict: a given policy blocks unreadable answers, so no other answer overrides this block.
	Strict bool
	// FailedOpen is the warning about a failure that failed open; "": no such failure.
	FailedOpen string
}

// OK returns the verdict of a hook without objections and texts.
func OK() Verdict { return Verdict{Decision: protocol.Continue, Status: StatusOK} }

// Decide sets the decision block, ask or defer.
func (v *Verdict) Decide(decision protocol.Decision, reason string) {
	v.Decision, v.Cause, v.Status, v.Reason = decision, protocol.CausePolicy, StatusBlocked, reason
}

// Withhold blocks because the hook changed the tool's result to a result that cannot be shown. The old result must stay
// hidden too, because the hook meant to replace it.
func (v *Verdict) Withhold(hook string) {
	reason := WithheldReason(hook)
	if v.Decision != protocol.Continue {
		reason = strings.TrimSpace(v.Reason + "\n\n" + reason)
	}
	v.Decide(protocol.Block, reason)
	v.Cause, v.Approved, v.UpdatedOutput = protocol.CauseRewrite, false, nil
}

// Withholds reports whether the verdict hides the tool's result: see IsFailureBlock.
func (v *Verdict) Withholds(c *Call) bool {
	return c.Common() == protocol.PostTool && IsFailureBlock(v.Decision, v.Cause)
}

// Approve sets the hook's approval and the reason.
func (v *Verdict) Approve(reason string) {
	v.Approved, v.Cause, v.Reason = true, protocol.CausePolicy, reason
}

// WarnIgnored warns about an answer that has no meaning at the event.
func (v *Verdict) WarnIgnored(who, what string, e protocol.Event) {
	const text = "%s answered with %s, which means nothing at %s; ignored"
	v.Warnings = append(v.Warnings, fmt.Sprintf(text, who, what, e))
}

// Rewrite changes the call for later hooks, and reports whether the call changed.
func (v *Verdict) Rewrite(c *Call) bool {
	if v.Decision == protocol.Block {
		return false
	}
	if prompt := gjson.GetBytes(v.UpdatedInput, "prompt"); c.Common() == protocol.PreExecute {
		if prompt.Type == gjson.String {
			c.Prompt = strictjson.Text(prompt.Raw)
			SetField(c, "prompt", []byte(prompt.Raw))
		}
	} else if v.UpdatedInput != nil {
		c.SetArgs(v.UpdatedInput)
		SetField(c, "tool_input", v.UpdatedInput)
	}
	if v.UpdatedOutput != nil {
		c.Result = strictjson.ValueText(v.UpdatedOutput)
		for _, key := range ResponseFields() { // the same result under other names
			SetField(c, key, v.UpdatedOutput)
		}
	}
	return v.UpdatedInput != nil || v.UpdatedOutput != nil
}

// SetField changes a field of the client's own input, for hooks of the client's dialect.
func SetField(c *Call, key string, value []byte) {
	if old := gjson.Get(c.ClientInput, key); old.Index > 0 {
		c.ClientInput = c.ClientInput[:old.Index] + string(value) + c.ClientInput[old.Index+len(old.Raw):]
	}
}

// Withhold makes a block by hookrun itself act like a block by a failed hook: if the client takes another result of the
// tool, the model gets a blank one, because a hook that did not run may have been a redactor. takesOther reports
// whether the client does.
func Withhold(c *Call, o *protocol.Outcome) (takesOther bool) {
	v := Verdict{Decision: protocol.Block, Cause: o.Cause, Reason: o.Reason}
	c.Fit("", &v)
	if v.Withholds(c) {
		o.UpdatedOutput, o.UpdatedBy = InPlaceOfResult(v.UpdatedOutput), ""
	}
	if v.SystemMessage != "" {
		o.SystemMessages = append(o.SystemMessages, v.SystemMessage)
	}
	return v.UpdatedOutput != nil
}

// NoteDoubt sets v.Doubt to err, if err is not nil.
func (v *Verdict) NoteDoubt(who, client string, err error) {
	if err != nil {
		v.Doubt = Doubted(who, client, err)
	}
}

// Doubted returns the text of Verdict.Doubt for an error from MisspelledBlock.
func Doubted(who, client string, err error) string {
	return fmt.Sprintf("%s gave an answer that %s takes for none: %v", who, client, err)
}
