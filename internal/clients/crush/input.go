package crush

import (
	"cmp"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// inputEvent returns the event of a hook input, or "" if another client sent the input. This client's inputs have no
// hook_event_name.
func inputEvent(doc string) protocol.Event {
	fields := gjson.GetMany(doc, "event", "hook_event_name", "tool_name", "session_id")
	if fields[0].String() == string(before) && !fields[1].Exists() && fields[2].Exists() && fields[3].Exists() {
		return before
	}
	return ""
}

// Encode passes on the client's own input, or builds one from the fields of the call.
func (hooks) Encode(c *dialect.Call) (dialect.Payload, []string, error) {
	if inputEvent(c.ClientInput) != "" {
		return dialect.Payload{[]byte(c.ClientInput), []byte("\n")}, nil, nil
	}
	return client.WriteInput(c, func(o *dialect.Object) {
		o.Text("event", string(dialect.ClaudeEvent(c)))
		o.Text("session_id", c.SessionID)
		o.Text("cwd", cmp.Or(c.Dir, c.Workspace))
	}, func(*dialect.Object) {})
}
