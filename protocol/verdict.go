package protocol

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Decision says whether the tool may run. The order of the values is their precedence: of several hooks' decisions
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

// Cause says why a verdict is what it is.
type Cause string

const (
	CausePolicy      Cause = "policy"      // the hook decided, by its exit code or its JSON
	CauseExit        Cause = "exit"        // an exit code that neither passes nor blocks
	CauseSignal      Cause = "signal"      // the hook was killed
	CauseTimeout     Cause = "timeout"     // the hook outlived its deadline
	CauseUnstarted   Cause = "unstarted"   // the hook could not be started
	CauseOutput      Cause = "output"      // the hook's answer cannot be read
	CauseRewrite     Cause = "rewrite"     // a rewrite that the output form cannot carry
	CauseUnsupported Cause = "unsupported" // a kind of hook that hookrun cannot run
	CauseInterrupted Cause = "interrupted" // the call was given up
)

// Status says what became of one hook.
type Status string

const (
	StatusOK        Status = "ok"
	StatusBlocked   Status = "blocked"   // the call is held up because of it: block, ask or defer
	StatusFailed    Status = "failed"    // an error that does not block
	StatusTimeout   Status = "timeout"   // whatever came of that
	StatusUnstarted Status = "unstarted" // whatever came of that
	StatusSkipped   Status = "skipped"   // it matched, but an earlier block had ended the call
	StatusAsync     Status = "async"     // started and not waited for
)

// FailurePolicy says what a hook amounts to that gave no answer: Block or Continue by cause. The causes are signal,
// timeout, unstarted, output and, where a dialect has it, exit.
type FailurePolicy map[Cause]Decision

// FailureCauses are the causes that a FailurePolicy can name.
func FailureCauses() []Cause {
	return []Cause{CauseSignal, CauseUnstarted, CauseTimeout, CauseOutput, CauseExit}
}

// Result is what became of a hook's process. Err excludes all else.
type Result struct {
	Err      error // it could not be started
	TimedOut bool  // it was killed at its deadline, Limit
	Limit    time.Duration
	ExitCode int
	Signal   string // that killed it, as SIGKILL; "" if it exited
	Stdout   Capture
	Stderr   Capture

	LeftRunning []int // processes that it left behind
	Duration    time.Duration
}

// Verdict is what one hook says.
type Verdict struct {
	Decision Decision
	Cause    Cause
	Status   Status

	// Problem is set where the hook gave no answer, and says what went wrong: Settle has the last word then.
	Problem string

	Reason        string // why the tool must not run, or why it may
	Approved      bool   // it said allow: the host may skip its own prompt
	Stop          bool   // it wants the loop to end
	StopReason    string
	Context       string // text for the model
	Truncated     bool   // Context was cut; the cut is marked in the text
	UpdatedInput  []byte // JSON: the tool is to be given this
	UpdatedOutput []byte // JSON: the model is to be given this
	SystemMessage string // text for the user
	Warnings      []string
}

// Rewrite changes the call as later hooks are to see it, and reports whether it did.
func (v *Verdict) Rewrite(c *Call) bool {
	if v.Decision == Block {
		return false
	}
	if v.UpdatedInput != nil {
		c.Args = string(v.UpdatedInput)
	}
	if v.UpdatedOutput != nil {
		c.Result = textOf(v.UpdatedOutput)
	}
	return v.UpdatedInput != nil || v.UpdatedOutput != nil
}

// Capture is what was kept of an output stream: its head and, where that is not all, its tail.
type Capture struct {
	Head, Tail []byte
	Total      int64 // bytes written
}

// LeftOut is the number of bytes between head and tail that were not kept.
func (c *Capture) LeftOut() int64 { return c.Total - int64(len(c.Head)+len(c.Tail)) }

// Text returns the stream as text without white space around it. Bytes that are no UTF-8 become U+FFFD. The place of
// what was left out is marked.
func (c *Capture) Text() string {
	head, tail := string(c.Head), string(c.Tail)
	if n := c.LeftOut(); n > 0 {
		head += fmt.Sprintf("\n[hookrun: %d bytes left out]\n", n)
	}
	return strings.TrimSpace(lossy(head + tail))
}

// lossy replaces each byte that is no UTF-8 by U+FFFD.
func lossy(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(r)
	}
	return b.String()
}
