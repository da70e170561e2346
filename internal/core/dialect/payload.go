package dialect

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// Payload is the stdin of a hook, in pieces to write one after the other. A value under two names is one piece in
// memory, because arguments and results can be megabytes.
type Payload [][]byte

// Bytes returns the payload in one piece.
func (p Payload) Bytes() []byte {
	var all []byte
	for _, piece := range p {
		all = append(all, piece...)
	}
	return all
}

// Size returns the number of bytes.
func (p Payload) Size() (n int) {
	for _, piece := range p {
		n += len(piece)
	}
	return n
}

// WithID returns the payload of a persistent hook, with the call's id as the last key. id is JSON.
func (p Payload) WithID(id string) Payload {
	last := len(p) - 1
	end := bytes.TrimSpace(p[last])
	if len(end) == 0 {
		last--
		end = bytes.TrimSpace(p[last])
	}
	return append(p[:last:last], end[:len(end)-1], []byte(`,"id":`+id+"}\n"))
}

// Object builds a payload of one JSON object and a newline. Keys have the order of the calls.
type Object struct {
	pieces Payload
	open   []byte   // the current piece
	keys   []string // all keys so far
}

func (o *Object) key(name string) {
	o.keys = append(o.keys, name)
	if len(o.pieces) == 0 && len(o.open) == 0 {
		o.open = append(o.open, '{')
	} else {
		o.open = append(o.open, ',')
	}
	o.open = append(strictjson.AppendString(o.open, name), ':')
}

// Text adds a text.
func (o *Object) Text(name, value string) {
	o.key(name)
	o.open = strictjson.AppendString(o.open, value)
}

// largeValue is the size from which a separate write costs less than a copy.
const largeValue = 4 << 10

// Raw adds a JSON value. A large value is not copied.
func (o *Object) Raw(name string, value []byte) {
	o.key(name)
	if len(value) < largeValue {
		o.open = append(o.open, value...)
		return
	}
	o.pieces = append(o.pieces, o.open, value)
	o.open = nil
}

// TextOrNull adds a text, or null if the text is "".
func (o *Object) TextOrNull(name, value string) {
	if value == "" {
		o.Raw(name, []byte("null"))
		return
	}
	o.Text(name, value)
}

// TextIfAny adds a text, unless the text is "".
func (o *Object) TextIfAny(name, value string) {
	if value != "" {
		o.Text(name, value)
	}
}

// Now adds the time in JavaScript's format.
func (o *Object) Now(name string) {
	o.Text(name, time.Now().UTC().Format("2006-01-02T15:04:05.000Z"))
}

// Tool adds the tool's name and arguments, at events with a tool.
func (o *Object) Tool(c *Call) (warnings []string, err error) {
	if !c.IsAboutTool() {
		return nil, nil
	}
	input, warnings, err := c.Input()
	if err == nil {
		o.Text("tool_name", c.Tool)
		o.Raw("tool_input", input)
	}
	return warnings, err
}

// Has reports whether a key was written.
func (o *Object) Has(name string) bool { return slices.Contains(o.keys, name) }

// End returns the payload, with the call's Extra keys at the end. An Extra key is skipped if already written in any
// case, because readers in Go accept Tool_Input for tool_input.
func (o *Object) End(c *Call) Payload {
	for key, value := range strictjson.Members(c.Extra) {
		name := strictjson.Text(key)
		if !slices.ContainsFunc(o.keys, func(k string) bool { return strings.EqualFold(k, name) }) {
			o.Raw(name, []byte(value))
		}
	}
	return append(o.pieces, append(o.open, '}', '\n'))
}
