package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

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
	ToolUseID string // the model's id of the tool call

	TranscriptPath string // "" is null on stdin
	AgentID        string // "" leaves the key out
}

// maxInputDepth keeps payloads, which add a level, within encoding/json's own limit: what is nested deeper many hooks
// cannot read, and hookrun get neither.
const maxInputDepth = 9_999

// Input returns the tool's arguments as one compact JSON value. Text that is no JSON becomes a JSON string, as in TENEX.
//
// Of two equal keys most parsers take the last, but not all. A guard and the tool must not read different values,
// so only the last is passed on, and a warning says so.
func (c *Call) Input() (value []byte, warnings []string, err error) {
	if strings.TrimSpace(c.Args) == "" {
		return []byte("{}"), nil, nil
	}
	args := lossy(c.Args) // first: two keys may be equal only then
	equal := 0
	for _, f := range strictjson.Check(args, maxInputDepth) {
		switch f.Kind {
		case strictjson.Syntax:
			return strictjson.AppendString(make([]byte, 0, len(c.Args)+len(c.Args)/16+2), c.Args), nil, nil
		case strictjson.Depth:
			return nil, nil, fmt.Errorf("the arguments of the tool call are %s; no hook can be asked about them", f.Text)
		case strictjson.Duplicate:
			if equal++; equal == 1 {
				warnings = []string{fmt.Sprintf("arguments of tool %q: %s; hooks were given the last", c.Tool, strings.TrimSuffix(f.Text, "; keep one"))}
			}
		}
	}
	if equal > 1 {
		warnings[0] += fmt.Sprintf(" (and %d more such keys)", equal-1)
	}
	if equal > 0 {
		if args, err = lastOfEqualKeys(args); err != nil {
			return nil, nil, err
		}
	}
	return strictjson.Compact(make([]byte, 0, len(args)), args), warnings, nil
}

// lastOfEqualKeys writes a document again as its commonest reader understands it. Keys come out sorted.
func lastOfEqualKeys(doc string) (string, error) {
	d := json.NewDecoder(strings.NewReader(doc))
	d.UseNumber() // numbers keep their digits
	var v any
	if err := d.Decode(&v); err != nil {
		return "", fmt.Errorf("the arguments of the tool call: %w", err)
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
