package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// Call is one moment of an agent loop that hooks are asked about.
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

	// Dir is the session's current directory, absolute, where it is not the workspace: some clients follow their shell's
	// cd, and start their hooks there.
	Dir string
	// ClientInput is what a client puts on its hooks' stdin, one compact JSON object, where the call comes from a client:
	// ParseInput makes it. Hooks of the client's dialect get it as it is; the fields above say the same for all others.
	ClientInput string

	equalKeys    string             // the Args that had equal keys before ParseInput left the last of them
	projectTools [2]string          // NameTool's
	moreTools    *map[string]string // what it was given, nil: nothing
	input        *input             // what Input returned last
}

type input struct {
	args     string
	value    []byte
	once     sync.Once
	text     string // the same, made once somebody wants it: a copy of the call may be asked at the same time
	warnings []string
	err      error
}

// ParseInput reads a client's own hook input: one JSON object with hook_event_name, as Claude Code, Codex and Gemini CLI
// write it. A field that says which call it is, such as tool_name, must not be there twice with different values: there
// would be two calls. Of other equal keys the last counts, and a warning says so. Call.Workspace is left to the caller.
func ParseInput(doc string) (c Call, warnings []string, err error) {
	doc = lossy(strings.TrimPrefix(doc, "\ufeff"))
	written := doc
	doc, warnings, err = once(doc, "the hook input")
	if err != nil {
		return Call{}, nil, err
	}
	if len(warnings) > 0 {
		if key := contradicts(written); key != "" {
			return Call{}, nil, fmt.Errorf("the hook input has %q twice with different values; write it once", key)
		}
	}
	if compact := strictjson.Compact(make([]byte, 0, len(doc)), doc); string(compact) != doc { // mostly a client wrote it so
		doc = string(compact)
	}
	if !strings.HasPrefix(doc, "{") {
		return Call{}, nil, errors.New("the hook input must be a JSON object")
	}
	c.ClientInput = doc
	fields := map[string]gjson.Result{} // in one go: an input can be megabytes
	gjson.Parse(doc).ForEach(func(key, value gjson.Result) bool {
		fields[strictjson.Text(key.Raw)] = value
		return true
	})
	name := fields["hook_event_name"]
	event, ok := ParseEvent(name.String())
	switch {
	case !name.Exists():
		return Call{}, nil, errors.New("the hook input has no hook_event_name; give it what a client gives its hooks")
	case name.Type != gjson.String || !ok:
		return Call{}, nil, fmt.Errorf("the hook input's hook_event_name %s is no event that is known%s", name.Raw, meantEvent(name.String()))
	}
	c.Event = event
	for _, field := range []struct {
		key  string
		into *string
	}{
		{"session_id", &c.SessionID}, {"prompt", &c.Prompt}, {"tool_name", &c.Tool}, {"tool_use_id", &c.ToolUseID},
		{"transcript_path", &c.TranscriptPath}, {"agent_id", &c.AgentID}, {"cwd", &c.Dir},
	} {
		switch value := fields[field.key]; value.Type {
		case gjson.String:
			*field.into = strictjson.Text(value.Raw)
		case gjson.Null: // also where it is not there
		default:
			return Call{}, nil, wrongType("the hook input's "+field.key, "a string", value)
		}
	}
	if event.HasTool() && c.Tool == "" {
		return Call{}, nil, fmt.Errorf("the hook input has no tool_name, and %s is about a tool", event)
	}
	c.Args = fields["tool_input"].Raw
	if len(warnings) > 0 && equalIn(written, "tool_input") {
		c.equalKeys = c.Args
	}
	result := fields[firstResponse(func(key string) gjson.Result { return fields[key] })]
	c.Result = textOf([]byte(result.Raw))
	switch event { // the clients say in ways of their own that a tool failed
	case "PostToolUseFailure":
		c.Failed, c.Result = true, textOf([]byte(fields["error"].Raw))
	case "AfterTool":
		c.geminiResult(result)
	}
	return c, warnings, nil
}

// contradicts returns a field that a hook input has twice with different values, where hookrun or a matcher reads that
// field; "" if there is none. Two inputs or results of the tool are no such field: of them the last counts, and rules that
// look at the arguments run.
func contradicts(doc string) (twice string) {
	values := map[string]gjson.Result{}
	strictjson.Members(doc, func(key, value string) bool {
		name, now := strictjson.Text(key), gjson.Parse(value)
		before, there := values[name]
		if there && !strictjson.Equal(before, now) && isCallField(name) {
			twice = name
		}
		if !there {
			values[name] = now
		}
		return twice == ""
	})
	return twice
}

// isCallField reports whether a field of a hook input says which call it is: what hookrun reads itself, and what the
// matchers of some event are held against.
func isCallField(name string) bool {
	known := []string{"hook_event_name", "session_id", "prompt", "tool_name", "tool_use_id", "transcript_path", "cwd",
		"agent_id", "agent_type", "orchestrator_id", "permission_mode", "stop_hook_active", "error", "output"}
	if slices.Contains(known, name) {
		return true
	}
	return slices.ContainsFunc(Clients(), func(d *Dialect) bool {
		return slices.ContainsFunc(d.Events(), func(e Event) bool { return d.SubjectField(e) == name })
	})
}

// responseKeys are the names of a tool's result: the clients', MassGen's and Universal Agent's.
var responseKeys = []string{"tool_response", "tool_output", "tool_result"}

// firstResponse is the first of those names that an input has.
func firstResponse(field func(key string) gjson.Result) string {
	for _, key := range responseKeys {
		if field(key).Type != gjson.Null {
			return key
		}
	}
	return responseKeys[0]
}

// responseKey is the name that the client's input has for the tool's result.
func (c *Call) responseKey() string {
	return firstResponse(func(key string) gjson.Result { return gjson.Get(c.ClientInput, key) })
}

func meantEvent(name string) string {
	if near := spelling.Near(name, EventNames()); len(near) > 0 {
		return fmt.Sprintf("; did you mean %q?", near[0])
	}
	return ""
}

// Field returns a field of the client's own input as text, "" if it is not there.
func (c *Call) Field(key string) string { return textOf([]byte(gjson.Get(c.ClientInput, key).Raw)) }

// Client is the client whose hook input the call is: the one that has the event or, where several do, the one whose sign is on the
// input, else Claude Code, whose form the others took over. It is nil for a call that comes from no client.
func (c *Call) Client() *Dialect {
	if c.ClientInput == "" {
		return nil
	}
	name := Event(c.Field("hook_event_name"))
	having := slices.DeleteFunc(Clients(), func(d *Dialect) bool { return !slices.Contains(d.Events(), name) })
	if len(having) == 1 {
		return having[0]
	}
	for _, d := range having {
		if d.Sign != nil && d.Sign(c) {
			return d
		}
	}
	return ClaudeCode
}

// setField changes a field of the client's own input, so that hooks of its dialect see a rewrite too.
func (c *Call) setField(key string, value []byte) {
	if old := gjson.Get(c.ClientInput, key); old.Index > 0 {
		c.ClientInput = c.ClientInput[:old.Index] + string(value) + c.ClientInput[old.Index+len(old.Raw):]
	}
}

// maxInputDepth keeps payloads, which add a level, within encoding/json's own limit: what is nested deeper many hooks
// cannot read, and hookrun get neither.
const maxInputDepth = 9_999

// Input returns the tool's arguments as one compact JSON value, which nobody may change. Text that is no JSON becomes a JSON
// string, as in TENEX. It is worked out once, since every rule of every hook is held against it; so two goroutines must not
// ask the same Call at once.
func (c *Call) Input() (value []byte, warnings []string, err error) {
	if c.input == nil || c.input.args != c.Args {
		in := &input{args: c.Args}
		in.value, in.warnings, in.err = c.newInput()
		c.input = in
	}
	return c.input.value, c.input.warnings, c.input.err
}

// InputText is Input as a text, which is made once too.
func (c *Call) InputText() (string, error) {
	value, _, err := c.Input()
	c.input.once.Do(func() { c.input.text = string(value) })
	return c.input.text, err
}

// EqualKeys reports whether an object in the tool's arguments had two equal keys as they came in. Hooks were given the last; another
// reader may take the first. So what looks at the arguments cannot be decided.
func (c *Call) EqualKeys() bool {
	if c.equalKeys != "" && c.equalKeys == c.Args {
		return true
	}
	return len(c.ArgsWarnings()) > 0 // there are no others
}

// ArgsWarnings says what is odd about the arguments, as Input does, without making them if nobody did.
func (c *Call) ArgsWarnings() []string {
	if c.input != nil && c.input.args == c.Args {
		return c.input.warnings
	}
	if strings.TrimSpace(c.Args) == "" {
		return nil
	}
	args := lossy(c.Args)
	warning, _ := equalKeys(args, c.argsName())
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
		if !strings.HasPrefix(args, `"`) || len(strictjson.Check(args, maxInputDepth)) > 0 {
			return ""
		}
		args = strings.TrimSpace(strings.TrimPrefix(strictjson.Text(args), "\ufeff"))
		if !strings.HasPrefix(args, "{") && !strings.HasPrefix(args, "[") {
			continue
		}
		found, more, _ := findEqualKeys(args, what)
		if found == "" {
			return ""
		}
		return found + "; hooks were given the text with both" + more
	}
	return ""
}

// argsName is what warnings call the arguments.
func (c *Call) argsName() string { return fmt.Sprintf("arguments of tool %q", c.Tool) }

// equalIn reports whether a member of a document has equal keys in it, or is there twice itself. The document must be JSON.
func equalIn(doc, key string) bool {
	there := 0
	equal := false
	strictjson.Members(doc, func(name, value string) bool {
		if strictjson.Text(name) == key {
			there++
			equal = equal || len(strictjson.Check(value, maxInputDepth)) > 0
		}
		return true
	})
	return equal || there > 1
}

func (c *Call) newInput() (value []byte, warnings []string, err error) {
	if strings.TrimSpace(c.Args) == "" {
		return []byte("{}"), nil, nil
	}
	args, warnings, err := once(lossy(c.Args), c.argsName()) // lossy first: two keys may be equal only then
	switch {
	case errors.As(err, new(syntaxError)):
		return strictjson.AppendString(make([]byte, 0, len(c.Args)+len(c.Args)/16+2), c.Args), nil, nil
	case err != nil:
		return nil, nil, err
	}
	if warning := equalKeysInText(args, c.argsName()); warning != "" {
		warnings = append(warnings, warning)
	}
	return strictjson.Compact(make([]byte, 0, len(args)), args), warnings, nil
}

// syntaxError says that a text is no JSON.
type syntaxError string

func (e syntaxError) Error() string { return string(e) }

// once returns a document in which no object has a key twice.
//
// Of two equal keys most parsers take the last, but not all. A guard and the tool must not read different values,
// so only the last is passed on, and a warning says so.
func once(doc, what string) (same string, warnings []string, err error) {
	warning, err := equalKeys(doc, what)
	if warning == "" || err != nil {
		return doc, nil, err
	}
	doc, err = lastOfEqualKeys(doc)
	return doc, []string{warning}, err
}

// equalKeys returns a warning about equal keys in a document, "" if there are none, or why it cannot be given to hooks.
func equalKeys(doc, what string) (warning string, err error) {
	warning, more, err := findEqualKeys(doc, what)
	if warning == "" || err != nil {
		return "", err
	}
	return warning + "; hooks were given the last" + more, nil
}

// findEqualKeys says which key stands twice in a document, and of how many more that is true.
func findEqualKeys(doc, what string) (warning, more string, err error) {
	equal := 0
	for _, f := range strictjson.Check(doc, maxInputDepth) {
		switch f.Kind {
		case strictjson.Syntax:
			line, col := strictjson.Position(doc, f.Offset)
			return "", "", syntaxError(fmt.Sprintf("%s: line %d, column %d: %s", what, line, col, f.Text))
		case strictjson.Depth:
			return "", "", fmt.Errorf("%s: %s; no hook can be asked about it", what, f.Text)
		case strictjson.Duplicate:
			if equal++; equal == 1 {
				warning = fmt.Sprintf("%s: %s", what, strings.TrimSuffix(f.Text, "; keep one"))
			}
		}
	}
	if equal > 1 {
		more = fmt.Sprintf(" (and %d more such keys)", equal-1)
	}
	return warning, more, nil
}

// lastOfEqualKeys writes a document again as its commonest reader understands it. Keys come out sorted.
func lastOfEqualKeys(doc string) (string, error) {
	d := json.NewDecoder(strings.NewReader(doc))
	d.UseNumber() // numbers keep their digits
	var v any
	if err := d.Decode(&v); err != nil {
		return "", fmt.Errorf("writing JSON without equal keys: %w", err)
	}
	once, err := appendJSON(nil, v)
	return string(once), err
}

// appendJSON appends v as compact JSON with `<>&` as they are, which json.Marshal would escape.
func appendJSON(dst []byte, v any) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
