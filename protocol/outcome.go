package protocol

import (
	"encoding/json"
	"math"
	"strconv"
	"time"
)

// Outcome is the merged result of all hooks of a call. Its JSON form is the contract of `--output json`; a field that
// is false, empty or not applicable is left out there.
type Outcome struct {
	Version  int      `json:"version"` // 1
	Event    Event    `json:"event"`   // as it was fired
	Tool     string   `json:"tool,omitempty"`
	Decision Decision `json:"decision"` // anything but continue: do not run the tool

	Approved   bool   `json:"approved,omitempty"` // a hook's verdict is allow: the host may skip its own prompt
	Stop       bool   `json:"stop,omitempty"`     // end the loop
	StopReason string `json:"stop_reason,omitempty"`
	Reason     string `json:"reason,omitempty"` // Reason, Cause and Hook are those of the hook that decided
	Cause      Cause  `json:"cause,omitempty"`
	Hook       string `json:"hook,omitempty"`

	// Args are what to give the tool: those of the call, or a rewrite. Result is what the model is to see of the tool's
	// output. Runner.Before and Runner.After fill them in. The JSON form has rewrites alone, below, because who reads
	// it has the call.
	Args   string `json:"-"`
	Result string `json:"-"`

	UpdatedInput  json.RawMessage `json:"updated_input,omitempty"`  // give the tool this
	UpdatedOutput json.RawMessage `json:"updated_output,omitempty"` // give the model this
	UpdatedBy     string          `json:"updated_by,omitempty"`     // the hook that one of these is from

	Texts          []Text          `json:"inject,omitempty"` // for the model, in the order of the file
	SystemMessages []string        `json:"system_messages,omitempty"`
	Other          json.RawMessage `json:"other,omitempty"` // what else hooks answered, by their client's names
	Warnings       []string        `json:"warnings,omitempty"`

	Failed   bool         `json:"failed,omitempty"` // the tool failed, for which a client may have an event of its own
	Hooks    []Report     `json:"hooks"`            // those that matched, in the order of the file
	Duration Milliseconds `json:"duration_ms"`
}

// Text is one text for the model.
type Text struct {
	Hook      string `json:"hook,omitempty"` // that it is from; "" for an entry of a queue
	Content   string `json:"content"`
	Truncated bool   `json:"truncated,omitempty"`
	File      string `json:"file,omitempty"`     // holds the whole text
	Strategy  string `json:"strategy,omitempty"` // tool_result, which "" means, or user_message
	Source    string `json:"source,omitempty"`   // who put it into the queue
	ID        string `json:"id,omitempty"`       // of the entry of the queue
}

// Report is what became of one hook.
type Report struct {
	Name        string       `json:"name"`
	Source      string       `json:"source"` // file:line
	Status      string       `json:"status"` // see docs/hook-protocol.md
	Cause       Cause        `json:"cause,omitempty"`
	ExitCode    *int         `json:"exit_code,omitempty"` // nil unless the hook exited by itself
	Signal      string       `json:"signal,omitempty"`
	Start       Milliseconds `json:"start_ms,omitempty"` // when it was run, from the beginning of the call
	Duration    Milliseconds `json:"duration_ms"`
	Limit       Milliseconds `json:"limit_ms,omitempty"` // its deadline; 0 if it had none, or did not run
	StdoutBytes int64        `json:"stdout_bytes"`
	Stderr      string       `json:"stderr,omitempty"`
	LeftRunning []int        `json:"left_running,omitempty"`
	Failure     string       `json:"failure,omitempty"` // why it gave no answer, if that did not hold the call up
	Would       string       `json:"would,omitempty"`   // what a hook that only observes would have done: block: REASON
}

// Milliseconds is a duration that JSON shows in milliseconds, to a hundredth.
type Milliseconds time.Duration

// String returns the duration as time.Duration does.
func (m Milliseconds) String() string { return time.Duration(m).String() }

// MarshalJSON gives a number.
func (m Milliseconds) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(time.Duration(m)/(10*time.Microsecond))/100, 'f', -1, 64), nil
}

// UnmarshalJSON reads a number, to a hundredth. A 0 becomes a nanosecond, so that it is written again as it was read:
// some fields leave out a zero.
func (m *Milliseconds) UnmarshalJSON(b []byte) error {
	var f float64
	err := json.Unmarshal(b, &f)
	*m = Milliseconds(int64(math.Round(f*100)) * int64(10*time.Microsecond))
	if *m == 0 {
		*m = 1
	}
	return err
}
