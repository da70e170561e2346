package protocol

import "fmt"

// Decision says whether the tool may run: only if the Decision is Continue. The constants are in order of precedence:
// of several hooks' decisions the smallest counts.
type Decision int

const (
	Block    Decision = iota // the zero value, so a forgotten Decision blocks the tool
	Defer                    // decide later; a one-shot call has no later, so the tool does not run
	Ask                      // ask a person; without a person to ask, the tool does not run
	Continue                 // no objection
)

var decisionNames = [...]string{Block: "block", Defer: "defer", Ask: "ask", Continue: "continue"}

func (d Decision) String() string {
	if d < 0 || int(d) >= len(decisionNames) {
		return decisionNames[Block]
	}
	return decisionNames[d]
}

// MarshalText returns the name of the decision.
func (d Decision) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the name of a decision. For any other text, it returns an error and sets the decision to Block.
func (d *Decision) UnmarshalText(text []byte) error {
	for i, name := range decisionNames {
		if name == string(text) {
			*d = Decision(i)
			return nil
		}
	}
	*d = Block
	return fmt.Errorf("no such decision: %q", text)
}

// Cause names the kind of reason for a verdict.
type Cause string

const (
	CausePolicy      Cause = "policy"      // the hook decided, by exit code or JSON
	CauseExit        Cause = "exit"        // no meaning for hookrun in the exit code, or an error of a Go function
	CauseSignal      Cause = "signal"      // a signal killed the hook
	CauseTimeout     Cause = "timeout"     // the hook ran past the deadline
	CauseUnstarted   Cause = "unstarted"   // the hook could not be started
	CauseOutput      Cause = "output"      // the hook's answer cannot be read
	CauseRewrite     Cause = "rewrite"     // the output form cannot carry a rewrite
	CauseUnsupported Cause = "unsupported" // hookrun cannot run this kind of hook
	CauseInterrupted Cause = "interrupted" // the call was cancelled
	CauseUntrusted   Cause = "untrusted"   // no person has allowed the hooks as they are now
	CauseChanged     Cause = "changed"     // the hooks differ from the hooks at the start of the session
)
