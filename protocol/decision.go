package protocol

import (
	"encoding/json"
	"fmt"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
)

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

// Status is what became of one hook.
type Status string

const (
	StatusOK        Status = "ok"
	StatusBlocked   Status = "blocked"   // the call is held up because of it: block, ask or defer
	StatusFailed    Status = "failed"    // an error that does not block
	StatusTimeout   Status = "timeout"   // whatever came of that
	StatusUnstarted Status = "unstarted" // whatever came of that
	// it matched, but an earlier block had ended the call, or hookrun cannot run its kind
	StatusSkipped Status = "skipped"
	StatusAsync   Status = "async" // started and not waited for
)

// FailurePolicy is how a hook that gave no answer counts, by cause: it fails open (Continue) or closed (Block). The
// causes are those of FailureCauses. Of these only some dialects know exit and unsupported.
type FailurePolicy map[Cause]Decision

// FailureCauses are the causes that a FailurePolicy can name.
func FailureCauses() []Cause {
	return []Cause{CauseSignal, CauseUnstarted, CauseTimeout, CauseOutput, CauseExit, CauseUnsupported}
}

// Fields are members of a JSON object in their order, values compact.
type Fields []Field

// Field is one member of a JSON object.
type Field struct {
	Key   string
	Value json.RawMessage
}

// Set adds a field, or replaces the one of its key.
func (f *Fields) Set(key string, value []byte) {
	for i := range *f {
		if (*f)[i].Key == key {
			(*f)[i].Value = value
			return
		}
	}
	*f = append(*f, Field{key, value})
}

// Get returns the value of a key, nil if it is not there.
func (f Fields) Get(key string) []byte {
	for _, field := range f {
		if field.Key == key {
			return field.Value
		}
	}
	return nil
}

// MarshalJSON writes the object.
func (f Fields) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, field := range f {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(strictjson.AppendString(b, field.Key), ':'), field.Value...)
	}
	return append(b, '}'), nil
}

// UnmarshalJSON reads an object.
func (f *Fields) UnmarshalJSON(b []byte) error {
	*f = nil
	gjson.ParseBytes(b).ForEach(func(key, value gjson.Result) bool {
		*f = append(*f, Field{strictjson.Text(key.Raw), json.RawMessage(value.Raw)})
		return true
	})
	return nil
}
