package dialect

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Payload is what a hook gets on stdin, in pieces that are written one after the other. Values that occur under two
// names are one piece in memory: arguments and results can be megabytes.
type Payload [][]byte

// Bytes returns the payload in one piece.
func (p Payload) Bytes() []byte {
	var all []byte
	for _, piece := range p {
		all = append(all, piece...)
	}
	return all
}

// Size is the number of bytes.
func (p Payload) Size() (n int) {
	for _, piece := range p {
		n += len(piece)
	}
	return n
}

// WithID returns the payload of a persistent hook: with the call's id behind the other keys. id is JSON.
func (p Payload) WithID(id string) Payload {
	last := len(p) - 1
	end := bytes.TrimSpace(p[last])
	if len(end) == 0 {
		last--
		end = bytes.TrimSpace(p[last])
	}
	return append(p[:last:last], end[:len(end)-1], []byte(`,"id":`+id+"}\n"))
}

// Object builds a payload of one JSON object and a newline, keys in the order of the calls.
type Object struct {
	pieces Payload
	open   []byte   // the piece being written
	keys   []string // that were written
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

// largeValue is where it costs less to write a value by itself than to copy it.
const largeValue = 4 << 10

// Raw adds a value that is JSON already. A large one is not copied.
func (o *Object) Raw(name string, value []byte) {
	o.key(name)
	if len(value) < largeValue {
		o.open = append(o.open, value...)
		return
	}
	o.pieces = append(o.pieces, o.open, value)
	o.open = nil
}

// TextOrNull adds a text, null for none.
func (o *Object) TextOrNull(name, value string) {
	if value == "" {
		o.Raw(name, []byte("null"))
		return
	}
	o.Text(name, value)
}

// TextIfAny adds a text, and nothing for none.
func (o *Object) TextIfAny(name, value string) {
	if value != "" {
		o.Text(name, value)
	}
}

// Now adds the time, as JavaScript writes it.
func (o *Object) Now(name string) {
	o.Text(name, time.Now().UTC().Format("2006-01-02T15:04:05.000Z"))
}

// Tool adds the tool's name and its arguments, at events that have a tool.
func (o *Object) Tool(c *Call) (warnings []string, err error) {
	if !HasTool(c.Event) {
		return nil, nil
	}
	input, warnings, err := c.Input()
	if err == nil {
		o.Text("tool_name", c.Tool)
		o.Raw("tool_input", input)
	}
	return warnings, err
}

// EncodeInput passes on the client's own input of the event, or writes what the client would have, as far as the caller
// knows it: the fields before those of the tool, and those behind them.
func EncodeInput(c *Call, event protocol.Event, before, behind func(*Object)) (Payload, []string, error) {
	if own, is := OwnInput(c, event); is {
		return own, nil, nil
	}
	return WriteInput(c, before, behind)
}

// WriteInput writes what the client would have, as EncodeInput does.
func WriteInput(c *Call, before, behind func(*Object)) (Payload, []string, error) {
	var o Object
	before(&o)
	warnings, err := o.Tool(c)
	if err != nil {
		return nil, nil, err
	}
	behind(&o)
	return o.End(c), warnings, nil
}

// OwnInput is the client's own hook input, if the call comes with one of the event.
func OwnInput(c *Call, event protocol.Event) (Payload, bool) {
	if protocol.Event(c.Field("hook_event_name")) != event {
		return nil, false
	}
	return Payload{[]byte(c.ClientInput), []byte("\n")}, true
}

// Has reports whether a key was written.
func (o *Object) Has(name string) bool { return slices.Contains(o.keys, name) }

// End returns what was written for a call, and behind that the call's Extra keys. One that was written already has no
// second value, in no spelling: readers in Go take Tool_Input for tool_input.
func (o *Object) End(c *Call) Payload {
	strictjson.Members(c.Extra, func(key, value string) bool {
		name := strictjson.Text(key)
		if !slices.ContainsFunc(o.keys, func(k string) bool { return strings.EqualFold(k, name) }) {
			o.Raw(name, []byte(value))
		}
		return true
	})
	return append(o.pieces, append(o.open, '}', '\n'))
}
