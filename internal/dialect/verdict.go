package dialect

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Verdict is what one hook says.
type Verdict struct {
	Decision protocol.Decision
	Cause    protocol.Cause
	Status   string

	// Problem is set where the hook gave no answer, and says what went wrong: ApplyFailurePolicy decides then.
	// Answered: it did give one, which counts unless such a failure blocks; with StatusFailed a warning says what went
	// wrong.
	Problem  string
	Answered bool

	// Doubt says what of the answer its client takes for nothing, although it may have been meant to hold the call up.
	// ApplyFailurePolicy makes a warning of it, or a block where a policy for unreadable answers was given.
	Doubt string

	Reason        string // why the tool must not run, or why it may
	Approved      bool   // it said allow: the host may skip its own prompt
	Stop          bool   // it wants the loop to end
	StopReason    string
	Context       string // text for the model
	Strategy      string
	Truncated     bool              // Context was cut; the cut is marked in the text
	File          string            // holds the whole of a Context that was cut
	UpdatedInput  []byte            // JSON: the tool is to be given this
	UpdatedOutput []byte            // JSON: the model is to be given this
	SystemMessage string            // text for the user
	Other         strictjson.Fields // what else the hook answered, for the client that it was written for
	Warnings      []string

	HTTP bool // it is that of a url
	// Own is what the dialect's Decode has its Outrank, Propagate and Merge know of the answer.
	Own any
	// Strict: a policy was given that blocks for answers that cannot be read, so no other answer undoes its block.
	Strict bool
	// FailedOpen is the warning about a failure that lets the call go on; "": there was none.
	FailedOpen string
}

// OK is the verdict of a hook that has nothing against the call, and nothing to say.
func OK() Verdict { return Verdict{Decision: protocol.Continue, Status: StatusOK} }

// Decide takes a decision that holds the call up.
func (v *Verdict) Decide(decision protocol.Decision, reason string) {
	v.Decision, v.Cause, v.Status, v.Reason = decision, protocol.CausePolicy, StatusBlocked, reason
}

// Withhold blocks because the hook changed the tool's result to one that cannot be shown. Neither can the old one: the
// hook wanted nobody to see it.
func (v *Verdict) Withhold(hook string) {
	reason := WithheldReason(hook)
	if v.Decision != protocol.Continue {
		reason = strings.TrimSpace(v.Reason + "\n\n" + reason)
	}
	v.Decide(protocol.Block, reason)
	v.Cause, v.Approved, v.UpdatedOutput = protocol.CauseRewrite, false, nil
}

// Withholds reports whether nobody is to see the tool's result: see IsFailure.
func (v *Verdict) Withholds(e protocol.Event) bool {
	return Canonical(e) == protocol.PostTool && IsFailure(v.Decision, v.Cause)
}

// Approve notes that the hook said yes, and why.
func (v *Verdict) Approve(reason string) {
	v.Approved, v.Cause, v.Reason = true, protocol.CausePolicy, reason
}

// Ignore warns of what a hook answered with and means nothing at the event.
func (v *Verdict) Ignore(who, what string, e protocol.Event) {
	const text = "%s answered with %s, which means nothing at %s; ignored"
	v.Warnings = append(v.Warnings, fmt.Sprintf(text, who, what, e))
}

// Rewrite changes the call as later hooks are to see it, and reports whether it did.
func (v *Verdict) Rewrite(c *Call) bool {
	if v.Decision == protocol.Block {
		return false
	}
	if prompt := gjson.GetBytes(v.UpdatedInput, "prompt"); Canonical(c.Event) == protocol.PreExecute {
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
		for _, key := range ResponseFields() { // the same under other names
			SetField(c, key, v.UpdatedOutput)
		}
	}
	return v.UpdatedInput != nil || v.UpdatedOutput != nil
}

// SetField changes a field of the client's own input, so that hooks of its dialect see a rewrite too.
func SetField(c *Call, key string, value []byte) {
	if old := gjson.Get(c.ClientInput, key); old.Index > 0 {
		c.ClientInput = c.ClientInput[:old.Index] + string(value) + c.ClientInput[old.Index+len(old.Raw):]
	}
}
