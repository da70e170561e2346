package windsurf

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// inputEvent returns the event of a hook input, or "" if another client sent the input. This client's inputs have no
// hook_event_name.
func inputEvent(doc string) protocol.Event {
	name := protocol.Event(dialect.StringOf(gjson.Get(doc, "agent_action_name")))
	if events.Has(name) && !gjson.Get(doc, "hook_event_name").Exists() {
		return name
	}
	return ""
}

// readInput reads the call from tool_info. An input about a tool without the key that gates look at has no arguments
// that can be read, so a gate about them blocks.
func readInput(c *dialect.Call, _ gjson.Result) {
	info := gjson.Get(c.ClientInput, "tool_info")
	c.SessionID = c.Field("trajectory_id")
	c.Dir = dialect.StringOf(info.Get("cwd"))
	c.Prompt = dialect.StringOf(info.Get("user_prompt"))
	c.TranscriptPath = dialect.StringOf(info.Get("transcript_path"))
	c.Tool, c.Args = toolOf(c.Event), info.Raw
	switch c.Tool {
	case "run_command":
		c.Args = with(info, "command", info.Get("command_line"))
	case "":
		if strings.HasSuffix(string(c.Event), "mcp_tool_use") {
			tool := dialect.StringOf(info.Get("mcp_tool_name"))
			if server := info.Get("mcp_server_name"); server.Exists() { // else no rule for a server would meet the call
				c.Tool = cmp.Or(dialect.MCPName(dialect.StringOf(server), tool), tool)
			}
			c.Args = cmp.Or(info.Get("mcp_tool_arguments").Raw, "{}")
			c.Result = strictjson.ValueText([]byte(info.Get("mcp_result").Raw))
		}
	}
}

// with returns an object with one more key, which rules know.
func with(object gjson.Result, key string, value gjson.Result) string {
	if !value.Exists() || !object.IsObject() {
		return object.Raw
	}
	return string(dialect.MergedJSON([]byte(object.Raw), dialect.JSONObject(key, []byte(value.Raw))))
}

// Encode passes on the client's own input, or builds one from the fields of the call.
func (hooks) Encode(c *dialect.Call) (dialect.Payload, []string, error) {
	event := eventOf(c)
	if inputEvent(c.ClientInput) == event {
		return dialect.Payload{[]byte(c.ClientInput), []byte("\n")}, nil, nil
	}
	var info, o dialect.Object
	input, warnings, err := c.Input()
	if err != nil {
		return nil, nil, err
	}
	args := gjson.ParseBytes(input)
	copied := func(into string, keys ...string) {
		for _, key := range keys {
			if v := args.Get(key); v.Exists() && !info.Has(into) {
				info.Raw(into, []byte(v.Raw))
			}
		}
	}
	switch {
	case event == prompt:
		info.Text("user_prompt", c.Prompt)
	case strings.HasSuffix(string(event), "run_command"):
		copied("command_line", "command")
		info.Text("cwd", cmp.Or(c.Dir, c.Workspace))
	case toolOf(event) != "":
		copied("file_path", "file_path", "path", "filePath")
		if !info.Has("file_path") {
			info.Text("file_path", "")
		}
		if toolOf(event) == "write_code" {
			edit := dialect.JSONObject(
				"old_string", []byte(cmp.Or(args.Get("old_string").Raw, `""`)),
				"new_string", []byte(cmp.Or(args.Get("new_string").Raw, args.Get("content").Raw, `""`)))
			info.Raw("edits", dialect.JSONList(edit))
		}
	case strings.HasSuffix(string(event), "mcp_tool_use"):
		server, tool, _ := strings.Cut(strings.TrimPrefix(c.Tool, "mcp__"), "__")
		if tool == "" {
			server, tool = "", c.Tool
		}
		info.Text("mcp_server_name", server)
		info.Text("mcp_tool_name", tool)
		info.Raw("mcp_tool_arguments", input)
		if strings.HasPrefix(string(event), "post_") {
			info.Text("mcp_result", c.Result)
		}
	default:
		info.Text("response", "")
	}
	o.Text("agent_action_name", string(event))
	o.Text("trajectory_id", c.SessionID)
	o.Text("execution_id", c.ToolUseID)
	o.Now("timestamp")
	o.Raw("tool_info", bytes.TrimSpace(info.End(&dialect.Call{}).Bytes()))
	return o.End(c), warnings, nil
}
