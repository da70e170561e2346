package client

import (
	"github.com/hookrun/hookrun/protocol"

	"github.com/hookrun/hookrun/internal/core/dialect"
)

// EncodeInput returns the client's own input for the event. If the call has no such input, EncodeInput writes the
// client's fields as far as the caller knows them: before writes the fields before those of the tool, behind the fields
// after.
func EncodeInput(c *dialect.Call, event protocol.Event, before, behind func(*dialect.Object)) (dialect.Payload,
	[]string, error) {
	if own, is := OwnInput(c, event); is {
		return own, nil, nil
	}
	return WriteInput(c, before, behind)
}

// WriteInput writes the client's fields, as EncodeInput does.
func WriteInput(c *dialect.Call, before, behind func(*dialect.Object)) (dialect.Payload, []string, error) {
	var o dialect.Object
	before(&o)
	warnings, err := o.Tool(c)
	if err != nil {
		return nil, nil, err
	}
	behind(&o)
	return o.End(c), warnings, nil
}

// OwnInput returns the client's own hook input, if the call has an input for the event.
func OwnInput(c *dialect.Call, event protocol.Event) (dialect.Payload, bool) {
	if protocol.Event(c.Field("hook_event_name")) != event {
		return nil, false
	}
	return dialect.Payload{[]byte(c.ClientInput), []byte("\n")}, true
}
