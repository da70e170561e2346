package protocol

import (
	"encoding/json"
	"math"
	"strconv"
	"time"
)

// Outcome is the merged result of all hooks of a call. The JSON form is the contract of `--output json`; a field that
// is false, empty or not applicable is left out of the JSON.
type Outcome struct {
	Version  int      `json:"version"` // 1
	Event    Event    `json:"event"`   // the name under which the event was fired
	Tool     string   `json:"tool,omitempty"`
	Decision Decision `json:"decision"` // if not continue, do not run the tool

	Approved   bool   `json:"approved,omitempty"` // a hook allowed the call: the host may skip the permission prompt
	Stop       bool   `json:"stop,omitempty"`     // end the loop
	StopReason string `json:"stop_reason,omitempty"`
	Reason     string `json:"reason,omitempty"` // Reason, Cause and Hook are from the hook that decided
	Cause      Cause  `json:"cause,omitempty"`
	Hook       string `json:"hook,omitempty"`

	// Args are the arguments to give the tool: the Call's, or a rewrite. Result is the tool's output for the model.
	// Runner.Before and Runner.After set them. The JSON has only the rewrites, below, because its reader has the call.
	Args   string `json:"-"`
	Result string `json:"-"`

	UpdatedInput  json.RawMessage `json:"updated_input,omitempty"`  // give the tool this
	UpdatedOutput json.RawMessage `json:"updated_output,omitempty"` // give the model this
	UpdatedBy     string          `json:"updated_by,omitempty"`     // the hook that rewrote the input or the output

	Texts          []Text          `json:"inject,omitempty"` // for the model, in the order of the file
	SystemMessages []string        `json:"system_messages,omitempty"`
	Other          json.RawMessage `json:"other,omitempty"` // what else hooks answered, under their client's names
	Warnings       []string        `json:"warnings,omitempty"`

	Failed   bool         `json:"failed,omitempty"` // the tool failed; some clients have another event then
	Hooks    []Report     `json:"hooks"`            // the hooks that matched, in the order of the file
	Duration Milliseconds `json:"duration_ms"`
}

// Text is one text for the model.
type Text struct {
	Hook      string `json:"hook,omitempty"` // the hook that gave the text; "" for an entry of a queue
	Content   string `json:"content"`
	Display   string `json:"display,omitempty"` // a short form for a user interface
	Truncated bool   `json:"truncated,omitempty"`
	File      string `json:"file,omitempty"`     // a file with the whole text
	Strategy  string `json:"strategy,omitempty"` // tool_result (the default, also "") or user_message
	Source    string `json:"source,omitempty"`   // the sender of an entry of a queue
	ID        string `json:"id,omitempty"`       // the id of an entry of a queue
}

// Report says how one hook ran.
type Report struct {
	Name        string       `json:"name"`
	Source      string       `json:"source"` // file:line
	Status      string       `json:"status"` // see docs/reference/hook-protocol.md
	Cause       Cause        `json:"cause,omitempty"`
	ExitCode    *int         `json:"exit_code,omitempty"` // nil unless the hook exited by itself
	Signal      string       `json:"signal,omitempty"`
	Start       Milliseconds `json:"start_ms,omitempty"` // from the beginning of the call to the start of the hook
	Duration    Milliseconds `json:"duration_ms"`
	Limit       Milliseconds `json:"limit_ms,omitempty"` // the hook's deadline; 0: the hook had none or did not run
	StdoutBytes int64        `json:"stdout_bytes"`
	Stderr      string       `json:"stderr,omitempty"`
	LeftRunning []int        `json:"left_running,omitempty"`
	Warm        bool         `json:"warm,omitempty"`    // a process that an earlier call had started answered
	Failure     string       `json:"failure,omitempty"` // why the hook gave no answer, if it failed open
	Would       string       `json:"would,omitempty"`   // an observing hook would have done this, as in block: REASON
}

// Milliseconds is a duration that is a number of milliseconds in JSON, to a hundredth.
type Milliseconds time.Duration

// String formats the duration like time.Duration.
func (m Milliseconds) String() string { return time.Duration(m).String() }

// MarshalJSON returns a number.
func (m Milliseconds) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(time.Duration(m)/(10*time.Microsecond))/100, 'f', -1, 64), nil
}

// UnmarshalJSON reads a number, to a hundredth. A 0 becomes a nanosecond, because a field with omitempty would lose a
// zero when the value is written again.
func (m *Milliseconds) UnmarshalJSON(b []byte) error {
	var f float64
	err := json.Unmarshal(b, &f)
	*m = Milliseconds(int64(math.Round(f*100)) * int64(10*time.Microsecond))
	if *m == 0 {
		*m = 1
	}
	return err
}
