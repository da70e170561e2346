package protocol

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
)

// Call is one event of an agent loop that hooks run for. Nothing but its owner changes a Call, so goroutines can use
// one at the same time.
type Call struct {
	Event     Event  // as the caller named it; the outcome repeats that name
	Workspace string // absolute path of the project; hooks run in it
	SessionID string // of the conversation; hooks get it as it is, "" included
	Prompt    string // the user's message of this conversation, if the loop has it

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

	TranscriptPath string // "" is null on stdin
	AgentID        string // "" leaves the key out
	OrchestratorID string // of the agent's, where it has one (MassGen)

	// Dir is the session's current directory, absolute, where it is not the workspace: some clients follow their
	// shell's cd, and start their hooks there.
	Dir string
	// ClientInput is what a client puts on its hooks' stdin, one compact JSON object, where the call comes from a
	// client. Hooks of the client's dialect get it as it is; the fields above say the same for all others.
	ClientInput string
	// Client names the client that ClientInput is from, or that reads the outcome: "claude", "codex", … ParseInput sets
	// it. If it is "", the runner finds it by the input, once.
	Client string
}

// Field returns a field of the client's own input as text, "" if it is not there.
func (c *Call) Field(key string) string {
	return strictjson.ValueText([]byte(gjson.Get(c.ClientInput, key).Raw))
}

// Input returns the tool's arguments as one compact JSON value. Text that is no JSON becomes a JSON string, as in
// TENEX. A warning names two equal keys of an object, of which the last counts. Arguments that are nested too deep for
// any hook are an error.
func (c *Call) Input() (value []byte, warnings []string, err error) {
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
