package protocol

import (
	"cmp"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
)

// valueNames are the fields of Call.Value, those first that are JSON: one can ask for what stands in them. The others
// are texts.
var valueNames = [...]string{"args", "tool_input", "tool_response",
	"event", "tool", "result", "error", "prompt", "session_id", "cwd", "transcript_path", "agent_id",
	"hook_event_name", "tool_name", "tool_use_id"}

// clientValueNames are fields that only a client's hook input has. The first is JSON.
var clientValueNames = [...]string{"tool_output", "agent_type", "parent_tool_use_id", "permission_mode", "is_error",
	"is_interrupt"}

// ValueNames are the fields of a call that Value knows for every call, ClientValueNames those that only a client's hook
// input has.
func ValueNames() []string { return valueNames[:] }

func ClientValueNames() []string { return clientValueNames[:] }

// IsJSON reports whether a field of Value can have fields of its own.
func IsJSON(field string) bool {
	return slices.Contains(valueNames[:3], field) || field == clientValueNames[0]
}

// Value returns a field of the call by its name on the stdin of a hook of .tenex-hooks.json, without writing the whole
// of that: a text as it is, or compact JSON. ok: it is there, at this event. Arguments that no hook could be given are
// an error.
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
	case "result":
		return strictjson.Lossy(c.Result), false, post, nil
	case "error":
		return strictjson.Lossy(c.Result), false, post && c.Failed, nil
	case "tool_response":
		if response := gjson.Get(c.ClientInput, c.responseKey()); post && response.Exists() {
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
	c := Call{Event: e, Failed: true, AgentID: "a", ClientInput: string(strictjson.AppendString([]byte{'{'}, field)) +
		":1}"}
	_, _, ok, _ := c.Value(field)
	return ok
}

// SetToolNames says what the project calls the tool: by one or two names of its own, or by none. table are the names
// that its files give to tools.
func (c *Call) SetToolNames(names [2]string, table map[string]string) {
	c.projectTools, c.fileTools = names, nil
	if len(table) > 0 {
		c.fileTools = &table
	}
}

// FileTools are the names that the project's files give to tools, as SetToolNames was told.
func (c *Call) FileTools() map[string]string {
	if c.fileTools == nil {
		return nil
	}
	return *c.fileTools
}

// ProjectTool is what the project calls the tool: the first of its own names for it, or the only name that there is.
func (c *Call) ProjectTool() string { return cmp.Or(c.projectTools[0], c.Tool) }

// ProjectTools are the project's own names for the tool, none where it has no others.
func (c *Call) ProjectTools() []string {
	for i, name := range c.projectTools {
		if name == "" {
			return c.projectTools[:i]
		}
	}
	return c.projectTools[:]
}

// responseKey is the name that the client's input has for the tool's result.
func (c *Call) responseKey() string {
	for _, key := range ResponseFields() {
		if gjson.Get(c.ClientInput, key).Type != gjson.Null {
			return key
		}
	}
	return ResponseFields()[0]
}
