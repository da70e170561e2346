package protocol

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
)

// Call is one event of an agent loop that hooks run for. Methods change no Call but those that say so, so goroutines
// may use one at the same time.
type Call struct {
	Event     Event  // as the caller named it; the outcome repeats that name
	Workspace string // absolute path of the project; hooks run in it
	SessionID string // of the conversation; hooks get it as it is, "" included
	Prompt    string // the user's message of this conversation, if the loop has it

	Tool      string // not at pre-execute
	Args      string // the tool's arguments as the model wrote them; "" means {}
	Result    string // post-tool: the tool's result, a block's reason or an error's text
	Failed    bool   // post-tool: Result is the text of an error
	Blocked   bool   // post-tool: the tool did not run, and Result is the reason; some clients ask no hook then
	ToolUseID string // the model's id of the tool call

	TranscriptPath string // "" is null on stdin
	AgentID        string // "" leaves the key out
	OrchestratorID string // of the agent's, where it has one (MassGen)

	// Dir is the session's current directory, absolute, where it is not the workspace: some clients follow their
	// shell's cd, and start their hooks there.
	Dir string
	// ClientInput is what a client puts on its hooks' stdin, one compact JSON object, where the call comes from a
	// client. Hooks of the client's dialect get it as it is; the fields above say the same for all others.
	ClientInput string

	equalKeys    string             // the Args that MarkEqualKeys was called for
	projectTools [2]string          // SetToolNames'
	fileTools    *map[string]string // what it was given, nil: nothing
	input        *input             // KeepInput's; copies of the call share it
}

// input is what Input returns for the Args of that time, made when somebody first wants it.
type input struct {
	args     string
	once     sync.Once
	made     atomic.Bool
	value    []byte
	warnings []string
	err      error
	textOnce sync.Once
	text     string // of value
}

func (in *input) make(c *Call) *input {
	in.once.Do(func() {
		in.value, in.warnings, in.err = c.newInput()
		in.made.Store(true)
	})
	return in
}

// KeepInput has Input worked out once for this call and its copies, as long as Args stay: every rule of every hook
// looks at it. Fire does this.
func (c *Call) KeepInput() { c.input = &input{args: c.Args} }

// kept is the input that KeepInput keeps, nil where that was not called for these Args.
func (c *Call) kept() *input {
	if c.input == nil || c.input.args != c.Args {
		return nil
	}
	return c.input
}

// ResponseFields are the names of a tool's result in hook inputs: the clients', MassGen's and Universal Agent's.
func ResponseFields() []string { return []string{"tool_response", "tool_output", "tool_result"} }

// Field returns a field of the client's own input as text, "" if it is not there.
func (c *Call) Field(key string) string {
	return strictjson.ValueText([]byte(gjson.Get(c.ClientInput, key).Raw))
}

// Input returns the tool's arguments as one compact JSON value, which nobody may change. Text that is no JSON becomes a
// JSON string, as in TENEX.
func (c *Call) Input() (value []byte, warnings []string, err error) {
	if in := c.kept(); in != nil {
		in.make(c)
		return in.value, in.warnings, in.err
	}
	return c.newInput()
}

// InputText is Input as a text.
func (c *Call) InputText() (string, error) {
	in := c.kept()
	if in == nil {
		value, _, err := c.Input()
		return string(value), err
	}
	in.make(c).textOnce.Do(func() { in.text = string(in.value) })
	return in.text, in.err
}

// EqualKeys reports whether an object in the tool's arguments had two equal keys as they came in. Hooks were given the
// last; another reader may take the first. So what looks at the arguments cannot be decided.
func (c *Call) EqualKeys() bool {
	if c.equalKeys != "" && c.equalKeys == c.Args {
		return true
	}
	return len(c.ArgsWarnings()) > 0 // there are no others
}

// MarkEqualKeys notes that an object in the Args had two equal keys as they came in, of which the last is left.
func (c *Call) MarkEqualKeys() { c.equalKeys = c.Args }

// ArgsWarnings says what is odd about the arguments, as Input does, without making them if nobody did.
func (c *Call) ArgsWarnings() []string {
	if in := c.kept(); in != nil && in.made.Load() {
		return in.warnings
	}
	if strings.TrimSpace(c.Args) == "" {
		return nil
	}
	args := strictjson.Lossy(c.Args)
	warning, _ := strictjson.EqualKeys(args, c.argsName())
	if warning == "" {
		warning = equalKeysInText(args, c.argsName())
	}
	if warning == "" {
		return nil
	}
	return []string{warning}
}

// maxTexts is how often arguments can be the text of a text: a loop that writes JSON once too often does it once.
const maxTexts = 3

// equalKeysInText returns a warning about equal keys in arguments that are the text of an object or a list, "" if there
// are none. The tool may parse that text, so it is as good as the object. Hooks get the text as it is.
func equalKeysInText(args, what string) (warning string) {
	for range maxTexts {
		args = strings.TrimSpace(args)
		if !strings.HasPrefix(args, `"`) || len(strictjson.Check(args, strictjson.MaxDepth)) > 0 {
			return ""
		}
		args = strings.TrimSpace(strings.TrimPrefix(strictjson.Text(args), "\ufeff"))
		if !strings.HasPrefix(args, "{") && !strings.HasPrefix(args, "[") {
			continue
		}
		found, more, _ := strictjson.FindEqualKeys(args, what)
		if found == "" {
			return ""
		}
		return found + "; hooks were given the text with both" + more
	}
	return ""
}

// argsName is what warnings call the arguments.
func (c *Call) argsName() string { return fmt.Sprintf("arguments of tool %q", c.Tool) }

func (c *Call) newInput() (value []byte, warnings []string, err error) {
	if strings.TrimSpace(c.Args) == "" {
		return []byte("{}"), nil, nil
	}
	// lossy first: two keys may be equal only then
	args, warnings, err := strictjson.LastOfEqual(strictjson.Lossy(c.Args), c.argsName())
	switch {
	case errors.As(err, new(strictjson.SyntaxError)):
		return strictjson.AppendString(make([]byte, 0, len(c.Args)+len(c.Args)/16+2), c.Args), nil, nil
	case err != nil:
		return nil, nil, err
	}
	if warning := equalKeysInText(args, c.argsName()); warning != "" {
		warnings = append(warnings, warning)
	}
	return strictjson.Compact(make([]byte, 0, len(args)), args), warnings, nil
}
