package dialect

import (
	"cmp"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// valueNames are the fields of Call.Value. JSON fields come first; a path can go into them. The others are texts.
var valueNames = [...]string{"args", "tool_input", "tool_response",
	"event", "tool", "result", "error", "prompt", "session_id", "cwd", "transcript_path", "agent_id",
	"hook_event_name", "tool_name", "tool_use_id"}

// clientValueNames are the fields that exist only in a client's hook input. The first is JSON.
var clientValueNames = [...]string{"tool_output", "agent_type", "parent_tool_use_id", "permission_mode", "is_error",
	"is_interrupt"}

// CommandField is a field of Value that is not in any hook input: the shell command in the arguments, regardless of the
// key. The field is missing if the command is unreadable.
const CommandField = "command"

// ValueNames returns the fields of Value for any call, and ClientValueNames the fields that only a client's hook input
// has.
func ValueNames() []string { return valueNames[:] }

func ClientValueNames() []string { return clientValueNames[:] }

// IsJSON reports whether a field of Value can have fields.
func IsJSON(field string) bool {
	return slices.Contains(valueNames[:3], field) || field == clientValueNames[0]
}

// Value returns a field of the call by its stdin name for hooks of .tenex-hooks.json, without encoding the whole stdin.
// json reports whether value is compact JSON instead of a text. ok reports whether the field exists at this event.
// Value returns an error if no hook could get the arguments.
func (c *Call) Value(field string) (value string, json, ok bool, err error) {
	tool, post := c.IsAboutTool(), c.Common() == protocol.PostTool
	switch field {
	case "event":
		return string(c.Common()), false, true, nil
	case "hook_event_name":
		if post && c.Failed {
			return "PostToolUseFailure", false, true, nil
		}
		return string(ClaudeEvent(c)), false, true, nil
	case "tool":
		return strictjson.Lossy(c.ProjectTool()), false, tool, nil
	case "tool_name":
		return strictjson.Lossy(c.Tool), false, tool, nil
	case "tool_use_id":
		return strictjson.Lossy(c.ToolUseID), false, tool, nil
	case "args", "tool_input":
		if !tool {
			return "", false, false, nil
		}
		input, err := c.InputText()
		return input, true, true, err
	case CommandField:
		if !tool || c.Reader == nil {
			return "", false, false, nil
		}
		input, err := c.InputText()
		lines, readable := c.Reader.CommandOf(input)
		return lines, false, readable, err
	case "result":
		return strictjson.Lossy(c.Result), false, post, nil
	case "error":
		return strictjson.Lossy(c.Result), false, post && c.Failed, nil
	case "tool_response":
		if response := ClientResponse(c); response.Exists() {
			return response.Raw, true, true, nil
		}
		return strictjson.Lossy(c.Result), false, post, nil
	case "session_id":
		return strictjson.Lossy(c.SessionID), false, true, nil
	case "cwd":
		return strictjson.Lossy(c.Workspace), false, true, nil
	case "transcript_path":
		if c.TranscriptPath == "" {
			return "null", true, true, nil
		}
		return strictjson.Lossy(c.TranscriptPath), false, true, nil
	case "prompt":
		return strictjson.Lossy(c.Prompt), false, true, nil
	case "agent_id":
		return strictjson.Lossy(c.AgentID), false, c.AgentID != "", nil
	}
	if slices.Contains(clientValueNames[:], field) {
		of := gjson.Get(cmp.Or(c.ClientInput, c.Extra), field) // hooks get Extra too
		if of.Type == gjson.String {
			return strictjson.Text(of.Raw), false, true, nil
		}
		return of.Raw, true, of.Exists(), nil
	}
	return "", false, false, nil
}

// HasValue reports whether calls of an event can have a field of Value.
func (d *Dialect) HasValue(e protocol.Event, field string) bool {
	if field == CommandField {
		return d.IsAboutTool(e)
	}
	c := NewCall(Call{Event: e, row: d.Row(e), Failed: true, AgentID: "a",
		ClientInput: string(strictjson.AppendString([]byte{'{'}, field)) + ":1}"})
	_, _, ok, _ := c.Value(field)
	return ok
}

// ClientResponse returns the tool's result from the client's hook input. The result does not exist at other events, or
// if the call does not come from a client.
func ClientResponse(c *Call) gjson.Result {
	if c.Common() != protocol.PostTool {
		return gjson.Result{}
	}
	for _, key := range ResponseFields() {
		if response := gjson.Get(c.ClientInput, key); response.Type != gjson.Null {
			return response
		}
	}
	return gjson.Get(c.ClientInput, ResponseFields()[0])
}

// ResponseFields returns the keys of a tool's result in hook inputs of the clients, MassGen and Universal Agent.
func ResponseFields() []string { return []string{"tool_response", "tool_output", "tool_result"} }
