package massgen

import (
	"time"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Encode writes a HookEvent, always with the same eight keys.
func (hooks) Encode(c *dialect.Call) (dialect.Payload, []string, error) {
	input, warnings, err := c.Input()
	if err != nil {
		return nil, nil, err
	}
	var o dialect.Object
	o.Text("hook_type", string(eventOf(c)))
	o.Text("session_id", c.SessionID)
	o.Text("orchestrator_id", c.OrchestratorID)
	o.TextOrNull("agent_id", c.AgentID)
	o.Text("timestamp", isoFormat(time.Now()))
	o.Text("tool_name", c.Tool)
	o.Raw("tool_input", objectOf(input, c.Args))
	if c.Common() == protocol.PostTool {
		o.Text("tool_output", c.Result)
	} else {
		o.Raw("tool_output", []byte("null"))
	}
	return o.End(c), warnings, nil
}

// isoFormat writes a time as Python's datetime.isoformat does: without a zero fraction.
func isoFormat(t time.Time) string {
	t = t.UTC().Truncate(time.Microsecond)
	if t.Nanosecond() == 0 {
		return t.Format("2006-01-02T15:04:05-07:00")
	}
	return t.Format("2006-01-02T15:04:05.000000-07:00")
}

// objectOf returns the tool's input. Arguments that are not JSON become an object with the text under "raw".
func objectOf(input []byte, args string) []byte {
	if input[0] == '"' && strictjson.Text(string(input)) == strictjson.Lossy(args) {
		return append(append([]byte(`{"raw":`), input...), '}')
	}
	return input
}
