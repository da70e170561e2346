package protocol

import "fmt"

// Decision is whether the tool may run. The order of the values is their precedence: of several hooks' decisions
// the smallest counts. Anything but Continue means: do not run the tool.
type Decision int

const (
	Block    Decision = iota // the zero value, so that nothing forgotten lets a tool run
	Defer                    // decide later; nobody is there to do so in a one-shot call
	Ask                      // ask a person; the same
	Continue                 // nothing against it
)

var decisionNames = [...]string{Block: "block", Defer: "defer", Ask: "ask", Continue: "continue"}

func (d Decision) String() string {
	if d < 0 || int(d) >= len(decisionNames) {
		return decisionNames[Block]
	}
	return decisionNames[d]
}

// MarshalText gives the name of the decision.
func (d Decision) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the name of a decision. Of any other text it is an error, and the decision is Block.
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

// Cause is why a verdict is what it is.
type Cause string

const (
	CausePolicy      Cause = "policy"      // the hook decided, by its exit code or its JSON
	CauseExit        Cause = "exit"        // an exit code that neither continues nor blocks; an error of a Go function
	CauseSignal      Cause = "signal"      // the hook was killed
	CauseTimeout     Cause = "timeout"     // the hook outlived its deadline
	CauseUnstarted   Cause = "unstarted"   // the hook could not be started
	CauseOutput      Cause = "output"      // the hook's answer cannot be read
	CauseRewrite     Cause = "rewrite"     // a rewrite that the output form cannot carry
	CauseUnsupported Cause = "unsupported" // a kind of hook that hookrun cannot run
	CauseInterrupted Cause = "interrupted" // the call was given up
	CauseUntrusted   Cause = "untrusted"   // the hooks are not those that a person has allowed
	CauseChanged     Cause = "changed"     // the hooks are not those that the session began with
)
