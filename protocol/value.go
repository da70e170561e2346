package protocol

import (
	"slices"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
)

// valueNames are the fields of Call.Value, those first that are JSON: one can ask for what stands in them. The others are texts.
var valueNames = [...]string{"args", "tool_input", "tool_response",
	"event", "tool", "result", "error", "prompt", "session_id", "cwd", "transcript_path", "agent_id", "hook_event_name", "tool_name", "tool_use_id"}

// clientValueNames are fields that only a client's hook input has. The first is JSON.
var clientValueNames = [...]string{"tool_output", "agent_type", "parent_tool_use_id", "permission_mode", "is_error", "is_interrupt"}

// ValueNames are the fields of a call that Value knows for every call, ClientValueNames those that only a client's hook input has.
func ValueNames() []string       { return valueNames[:] }
func ClientValueNames() []string { return clientValueNames[:] }

// IsJSON reports whether a field of Value can have fields of its own.
func IsJSON(field string) bool {
	return slices.Contains(valueNames[:3], field) || field == clientValueNames[0]
}

// Value returns a field of the call by its name on the stdin of a hook of .tenex-hooks.json, without writing the whole of that: a
// text as it is, or compact JSON. ok: it is there, at this event. Arguments that no hook could be given are an error.
func (c *Call) Value(field string) (value string, json, ok bool, err error) {
	tool, post := c.Event.HasTool(), c.Event.Canonical() == PostTool
	switch field {
	case "event":
		return string(c.Event.Canonical()), false, true, nil
	case "hook_event_name":
		if post && c.Failed {
			return "PostToolUseFailure", false, true, nil
		}
		return string(c.Event.Claude()), false, true, nil
	case "tool":
		return lossy(c.ProjectTool()), false, tool, nil
	case "tool_name":
		return lossy(c.Tool), false, tool, nil
	case "tool_use_id":
		return lossy(c.ToolUseID), false, tool, nil
	case "args", "tool_input":
		if !tool {
			return "", false, false, nil
		}
		input, err := c.InputText()
		return input, true, true, err
	case "result":
		return lossy(c.Result), false, post, nil
	case "error":
		return lossy(c.Result), false, post && c.Failed, nil
	case "tool_response":
		if response := gjson.Get(c.ClientInput, c.responseKey()); post && response.Exists() {
			return response.Raw, true, true, nil
		}
		return lossy(c.Result), false, post, nil
	case "session_id":
		return lossy(c.SessionID), false, true, nil
	case "cwd":
		return lossy(c.Workspace), false, true, nil
	case "transcript_path":
		if c.TranscriptPath == "" {
			return "null", true, true, nil
		}
		return lossy(c.TranscriptPath), false, true, nil
	case "prompt":
		return lossy(c.Prompt), false, true, nil
	case "agent_id":
		return lossy(c.AgentID), false, c.AgentID != "", nil
	}
	if slices.Contains(clientValueNames[:], field) {
		of := gjson.Get(c.ClientInput, field)
		if of.Type == gjson.String {
			return strictjson.Text(of.Raw), false, true, nil
		}
		return of.Raw, true, of.Exists(), nil
	}
	return "", false, false, nil
}

// HasValue reports whether calls of an event can have a field of Value.
func HasValue(e Event, field string) bool {
	c := Call{Event: e, Failed: true, AgentID: "a", ClientInput: string(strictjson.AppendString([]byte{'{'}, field)) + ":1}"}
	_, _, ok, _ := c.Value(field)
	return ok
}
