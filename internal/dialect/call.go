package dialect

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Call is a call with what is worked out about it once for all of its hooks: its arguments as JSON, and what the
// project calls its tool. Copies share the arguments. Goroutines can use one at the same time, but for the methods that
// change it.
type Call struct {
	Event     protocol.Event // as the caller named it; the outcome repeats that name
	Workspace string         // absolute path of the project; hooks run in it
	SessionID string         // of the conversation; hooks get it as it is, "" included
	Prompt    string         // the user's message of this conversation, if the loop has it

	Tool      string // not at pre-execute
	Args      string // the tool's arguments as the model wrote them; "" means {}
	Result    string // post-tool: the tool's result, a block's reason or an error's text
	Failed    bool   // post-tool: Result is the text of an error
	Blocked   bool   // post-tool: the tool did not run, and Result is the reason; some clients run no hook then
	ToolUseID string // the model's id of the tool call

	// EqualKeys reports that an object in the arguments had two equal keys as the model wrote it, and that Args has
	// only the last of them. The tool may read the first, so a condition about the arguments counts as met. It need not
	// be set for keys that Args still has twice.
	EqualKeys bool

	// Extra is one compact JSON object with further keys for hooks, where the call comes from no client; "" is none.
	Extra string

	TranscriptPath string // "" is null on stdin
	AgentID        string // "" leaves the key out
	OrchestratorID string // of the agent's, where it has one (MassGen)

	// Dir is the session's current directory, absolute, where it is not the workspace: some clients follow their
	// shell's cd, and start their hooks there.
	Dir string
	// ClientInput is what a client puts on its hooks' stdin, one compact JSON object, where the call comes from a
	// client. Hooks of the client's dialect get it as it is; the fields above say the same for all others.
	ClientInput string
	// Client names the client that ClientInput is from, or that reads the outcome: "claude", "codex", … Package
	// registry sets it as it reads the input. If it is "", the engine has registry find it by the input, once.
	Client string

	Wrappers []string // programs that the project's files name as ones that run the command in their arguments

	projectTools [2]string
	addedTools   []string
	fileTools    *FileTools
	input        *input
}

// input is what Input returns, made when somebody first wants it.
type input struct {
	once, textOnce sync.Once
	value          []byte
	warnings       []string
	err            error
	text           string // of value
}

// NewCall returns a call of which nothing is worked out yet.
func NewCall(c Call) *Call {
	c.input = new(input)
	return &c
}

func (c *Call) made() *input {
	in := c.input
	if in == nil { // NewCall did not make the call, so its fields may still change
		in = new(input)
	}
	in.once.Do(func() { in.value, in.warnings, in.err = c.readInput() })
	return in
}

// Input returns the tool's arguments as one compact JSON value, which nobody may change. Text that is no JSON becomes a
// JSON string, as in TENEX. A warning names two equal keys of an object, of which the last counts. Arguments that are
// nested too deep for any hook are an error.
func (c *Call) Input() (value []byte, warnings []string, err error) {
	in := c.made()
	return in.value, in.warnings, in.err
}

// InputText is Input as a text.
func (c *Call) InputText() (string, error) {
	in := c.made()
	in.textOnce.Do(func() { in.text = string(in.value) })
	return in.text, in.err
}

// HasEqualKeys reports whether an object in the tool's arguments has two equal keys, or had as they came in. Hooks get
// the last; another reader may take the first. So nothing about the arguments can be decided.
func (c *Call) HasEqualKeys() bool {
	return c.EqualKeys || len(c.made().warnings) > 0 // there are no other warnings
}

// SetArgs gives the call other arguments.
func (c *Call) SetArgs(args []byte) {
	c.Args, c.EqualKeys, c.input = string(args), false, new(input)
}

// SetToolNames says what the project calls the tool: by one or two names of its own, or by none, and by those that
// files of lower levels add. files has the names that files give to tools.
func (c *Call) SetToolNames(names [2]string, added []string, files *FileTools) {
	c.projectTools, c.addedTools, c.fileTools = names, added, files
}

// FileTools are the names that files give to tools; nil: they give none.
func (c *Call) FileTools() *FileTools { return c.fileTools }

// AddedTools are names of the tool that files of lower levels add. They make hooks match, and decide nothing else.
func (c *Call) AddedTools() []string { return c.addedTools }

// ProjectTool is what the project calls the tool: the first of its own names for it, or the only name that there is.
func (c *Call) ProjectTool() string { return cmp.Or(c.projectTools[0], c.Tool) }

// ProjectTools are the project's own names for the tool, none where it has no others.
func (c *Call) ProjectTools() []string {
	for i, name := range c.projectTools {
		if name == "" {
			return c.projectTools[:i]
		}
	}
	return c.projectTools[:]
}

// Field returns a field of the client's own input as text, "" if it is not there.
func (c *Call) Field(key string) string {
	return strictjson.ValueText([]byte(gjson.Get(c.ClientInput, key).Raw))
}

// readInput makes what Input returns.
func (c *Call) readInput() (value []byte, warnings []string, err error) {
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
