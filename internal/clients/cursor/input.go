package cursor

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// payload passes on the client's own input, or builds one from the fields of the call.
func payload(c *dialect.Call) (dialect.Payload, []string, error) {
	event := eventOf(c)
	if own, is := client.OwnInput(c, event); is {
		return own, nil, nil
	}
	o := base(c, event)
	warnings, err := o.Tool(c)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case event == "beforeSubmitPrompt":
		o.Text("prompt", c.Prompt)
		o.Raw("attachments", []byte("[]"))
	case c.IsAboutTool():
		o.Text("tool_use_id", c.ToolUseID)
		o.Text("cwd", cmp.Or(c.Dir, c.Workspace))
	}
	switch event {
	case "postToolUse":
		o.Text("tool_output", c.Result)
	case "postToolUseFailure":
		o.Text("error_message", c.Result)
		o.Text("failure_type", "error")
	}
	return o.End(c), warnings, nil
}

// base returns an object with the fields of every event.
func base(c *dialect.Call, event protocol.Event) (o dialect.Object) {
	o.Text("conversation_id", c.SessionID)
	o.Text("generation_id", given(c, "generation_id"))
	o.Text("model", given(c, "model"))
	o.Text("session_id", c.SessionID)
	o.Text("hook_event_name", string(event))
	o.Text("cursor_version", given(c, "cursor_version"))
	o.Raw("workspace_roots", append(strictjson.AppendString([]byte("["), c.Workspace), ']'))
	o.TextOrNull("user_email", given(c, "user_email"))
	o.TextOrNull("transcript_path", c.TranscriptPath)
	return o
}

// oneKindInput returns the input at an event for one kind of tool.
func oneKindInput(c *dialect.Call) (dialect.Payload, []string, error) {
	if own, is := client.OwnInput(c, c.Event); is {
		return own, nil, nil
	}
	input, warnings, err := c.Input()
	if err != nil {
		return nil, nil, err
	}
	o, args := base(c, c.Event), gjson.ParseBytes(input)
	switch c.Event {
	case "beforeShellExecution", "afterShellExecution":
		o.Text("command", textOf(args, "command"))
		o.Text("cwd", cmp.Or(textOf(args, "working_directory"), textOf(args, "cwd"), c.Dir, c.Workspace))
		if c.Event == "afterShellExecution" {
			o.Text("output", c.Result)
		}
	case "beforeMCPExecution", "afterMCPExecution":
		parts := strings.Split(strings.TrimPrefix(c.Tool, mcpPrefix), "__")
		o.Text("tool_name", parts[len(parts)-1])
		o.Text("tool_input", string(input))
		if c.Event == "afterMCPExecution" {
			o.Text("result_json", c.Result)
		}
	default:
		path := cmp.Or(textOf(args, "file_path"), textOf(args, "path"), textOf(args, "target_file"))
		if path != "" && !filepath.IsAbs(path) {
			path = filepath.Join(cmp.Or(c.Dir, c.Workspace), path)
		}
		o.Text("file_path", path)
		if c.Event == "afterFileEdit" {
			o.Raw("edits", edits(args))
			break
		}
		content, err := contentOf(path)
		if err != nil { // a gate could not check the content
			return nil, nil, err
		}
		o.Text("content", content)
		o.Raw("attachments", []byte("[]"))
	}
	return o.End(c), warnings, nil
}

// given returns a text of the client's input, or "" for null.
func given(c *dialect.Call, key string) string { return textOf(gjson.Parse(c.ClientInput), key) }

func edits(args gjson.Result) []byte {
	edit := dialect.FieldsOf("old_string", strictjson.Quote(textOf(args, "old_string")), "new_string",
		strictjson.Quote(cmp.Or(textOf(args, "new_string"), textOf(args, "content"))))
	return append(append([]byte("["), dialect.ObjectOf(edit)...), ']')
}

func textOf(object gjson.Result, key string) string { return dialect.StringOf(object.Get(key)) }

// maxContent is the largest file that beforeReadFile hooks get.
const maxContent = 8 << 20

// contentOf returns the content of the file to read, or "" if no such file exists.
func contentOf(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case path == "" || errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir():
		return "", nil
	case err == nil && (!info.Mode().IsRegular() || info.Size() > maxContent):
		return "", fmt.Errorf("beforeReadFile hooks look at the content, and %s is no file of at most 8 MiB", path)
	case err != nil:
		return "", err
	}
	content, err := os.ReadFile(path)
	return strictjson.Lossy(string(content)), err
}

// readInput reads the fields with names of the client's own. Inputs of events for one kind of tool name no tool, except
// for MCP tools.
func readInput(c *dialect.Call, _ gjson.Result) {
	c.SessionID = cmp.Or(c.Field("conversation_id"), c.SessionID)
	switch kindOf(c.Event) {
	case "shell":
		c.Tool, c.Result = "Shell", c.Field("output")
		c.Args = object(c, "command", "cwd")
	case "mcp":
		c.Result = c.Field("result_json")
		if text := gjson.Get(c.ClientInput, "tool_input"); text.Type == gjson.String {
			c.Args = strictjson.Text(text.Raw)
		}
	case "fs_read":
		c.Tool, c.Args = "Read", object(c, "file_path")
	case "fs_write":
		c.Tool, c.Args = "Write", object(c, "file_path", "edits")
	}
	if c.Event == "postToolUseFailure" {
		c.Failed, c.Result = true, c.Field("error_message")
	}
}

// object returns an object with some fields of the client's input.
func object(c *dialect.Call, keys ...string) string {
	var fields strictjson.Fields
	for _, key := range keys {
		if v := gjson.Get(c.ClientInput, key); v.Exists() {
			fields.Set(key, []byte(v.Raw))
		}
	}
	return string(dialect.ObjectOf(fields))
}
