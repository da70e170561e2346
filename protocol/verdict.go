package protocol

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
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
	StatusSkipped   Status = "skipped"   // it matched, but an earlier block had ended the call, or hookrun cannot run its kind
	StatusAsync     Status = "async"     // started and not waited for
)

// FailurePolicy says what a hook amounts to that gave no answer: Block or Continue by cause. The causes are signal,
// timeout, unstarted, output and, where a dialect has them, exit and unsupported.
type FailurePolicy map[Cause]Decision

// PolicyOfClient stands in a FailurePolicy beside its causes where it is the client's own that blocks: the client knows no doubt, and
// lets pass what it takes for no answer.
const PolicyOfClient Cause = "client"

// FailureCauses are the causes that a FailurePolicy can name.
func FailureCauses() []Cause {
	return []Cause{CauseSignal, CauseUnstarted, CauseTimeout, CauseOutput, CauseExit, CauseUnsupported}
}

// Result is what became of a hook's process or request. Err excludes all else.
type Result struct {
	Err   error // it could not be started
	Async bool  // it was started and is not waited for
	// WentAsync: it is not waited for since its own first line says so, and not its file.
	WentAsync bool
	Late      bool        // it was not waited for, and this is what came of it: no decision counts any more
	Garbled   string      // what is wrong with the line that a persistent hook answered; "" if nothing is
	Line      bool        // it is the line of a persistent hook
	LineNote  bool        // that line has stderr, so Stderr is what it says
	Shell     bool        // a shell ran a line of text for it, or env a script: 126 and 127 say that they could not run it
	Fault     string      // what is wrong with the file that was to run, if it exited with one of these two and that is known
	HTTP      *HTTPResult // of an HTTP hook, whose answer's body is Stdout; nil: it was a process or a function
	TimedOut  bool        // it was killed at its deadline, Limit
	NoLine    bool        // a persistent hook was, which had not printed a line
	Limit     time.Duration
	ExitCode  int
	Signal    string // that killed it, as SIGKILL; "" if it exited
	Stdout    Capture
	Stderr    Capture

	LeftRunning []int // processes that it left behind
	Duration    time.Duration
}

// HTTPResult is what became of the request of an HTTP hook. The zero value is a good answer.
type HTTPResult struct {
	// Failure is why there is no good answer: unstarted (no connection), exit (a status that is not 2xx) or output (no whole
	// answer); "" if there is one. Why says it in words.
	Failure Cause
	Why     string
}

// notRunByShell reports whether the shell that was to run the hook says that it could not.
func (r *Result) notRunByShell() bool {
	return r.Shell && r.Signal == "" && (r.ExitCode == 126 || r.ExitCode == 127)
}

// hint asks what mostly is the reason why a persistent hook did not answer in time.
func (r *Result) hint() string {
	if r.NoLine {
		return "; does it flush its line?"
	}
	return ""
}

// Verdict is what one hook says.
type Verdict struct {
	Decision Decision
	Cause    Cause
	Status   Status

	// Problem is set where the hook gave no answer, and says what went wrong: Settle has the last word then. Answered: it
	// did give one, which counts unless such a failure blocks; with StatusFailed a warning says what went wrong.
	Problem  string
	Answered bool

	// Doubt says what of the answer its client takes for nothing, although it may have been meant to hold the call up. Settle makes a
	// warning of it, or a block where a policy for unreadable answers was given.
	Doubt string

	Reason        string // why the tool must not run, or why it may
	Approved      bool   // it said allow: the host may skip its own prompt
	Stop          bool   // it wants the loop to end
	StopReason    string
	Context       string // text for the model
	Strategy      Strategy
	Truncated     bool   // Context was cut; the cut is marked in the text
	File          string // holds the whole of a Context that was cut
	UpdatedInput  []byte // JSON: the tool is to be given this
	UpdatedOutput []byte // JSON: the model is to be given this
	SystemMessage string // text for the user
	Other         Fields // what else the hook answered, for the client that it was written for
	Warnings      []string

	unfit       bool   // it changed the tool's result in a form that the client drops, by its dialect's own rules
	withheld    []byte // JSON: what a client is to be given in the place of the result then
	keepsOutput bool   // UpdatedOutput stands for a result that is withheld, whatever later hooks say
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

// Rewrite changes the call as later hooks are to see it, and reports whether it did.
func (v *Verdict) Rewrite(c *Call) bool {
	if v.Decision == Block {
		return false
	}
	if v.UpdatedInput != nil {
		c.Args = string(v.UpdatedInput)
		c.setField("tool_input", v.UpdatedInput)
	}
	if v.UpdatedOutput != nil {
		c.Result = textOf(v.UpdatedOutput)
		for _, key := range responseKeys { // the same under other names
			c.setField(key, v.UpdatedOutput)
		}
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

// Text returns the stream as text without white space around it.
func (c *Capture) Text() string { return strings.TrimSpace(c.All()) }

// All returns the stream as text. What is no UTF-8 becomes U+FFFD. The place of what was left out is marked.
func (c *Capture) All() string {
	head, tail := string(c.Head), string(c.Tail)
	if n := c.LeftOut(); n > 0 {
		head += fmt.Sprintf("\n[hookrun: %d bytes left out]\n", n)
	}
	return decoded(head + tail)
}

// decoded is a hook's output as the clients read it: of what is no UTF-8 each byte becomes U+FFFD, and so does, as a whole, the
// beginning of a character that was cut.
func decoded(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		for r == utf8.RuneError && size < len(s) && !utf8.FullRuneInString(s[:size+1]) {
			size++
		}
		b.WriteRune(r)
		s = s[size:]
	}
	return b.String()
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
