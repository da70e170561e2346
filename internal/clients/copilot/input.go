package copilot

import (
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Encode passes on the client's own input, or builds one from the fields of the call. At two events the input is in
// camelCase even in Claude Code's spelling.
func (h hooks) Encode(c *dialect.Call) (dialect.Payload, []string, error) {
	event := eventOf(c)
	if h.camel || event == "PermissionRequest" || event == "SubagentStart" {
		return camelPayload(c)
	}
	return claudePayload(c, event)
}

func claudePayload(c *dialect.Call, event protocol.Event) (dialect.Payload, []string, error) {
	same := *c
	if result := gjson.Get(same.ClientInput, "tool_result"); result.Type == gjson.String { // changed by another hook
		dialect.SetField(&same, "tool_result", resultOf(strictjson.Text(result.Raw)))
	}
	if own, is := client.OwnInput(&same, event); is {
		return own, nil, nil
	}
	return client.WriteInput(c, func(o *dialect.Object) {
		o.Text("hook_event_name", string(event))
		o.Text("session_id", c.SessionID)
		o.Now("timestamp")
		o.Text("cwd", c.Workspace)
	}, func(o *dialect.Object) {
		switch event {
		case "PostToolUse":
			o.Raw("tool_result", resultOf(c.Result))
		case "PostToolUseFailure":
			o.Text("error", c.Result)
		case "UserPromptSubmit":
			o.Text("prompt", c.Prompt)
		}
	})
}

// resultOf returns a tool's result in the client's form.
func resultOf(text string) []byte {
	return dialect.JSONObject("result_type", []byte(`"success"`), "text_result_for_llm",
		strictjson.Quote(text))
}

// camelPayload returns the input in camelCase: without the event's name, with the time in milliseconds and the client's
// own name of the tool. Three fields of a subagent keep their names.
func camelPayload(c *dialect.Call) (dialect.Payload, []string, error) {
	event := eventOf(c)
	without := *c
	without.Extra = "" // End adds Extra last, with unchanged keys
	pascal, warnings, err := claudePayload(&without, event)
	if err != nil {
		return nil, nil, err
	}
	var o dialect.Object
	if event == "PermissionRequest" {
		o.Text("hookName", "permissionRequest")
	}
	for key, value := range gjson.ParseBytes(pascal.Bytes()).ForEach {
		switch name := key.String(); name {
		case "hook_event_name":
		case "agent_id", "agent_type", "parent_agent_id":
			o.Raw(name, []byte(value.Raw))
		case "timestamp":
			if at, err := time.Parse(time.RFC3339, value.String()); err == nil {
				o.Raw(name, strconv.AppendInt(nil, at.UnixMilli(), 10))
			}
		case "tool_name":
			tool := runtimeName(value.String())
			if event == "PermissionRequest" && tool == "create" {
				tool = "edit"
			}
			o.Text("toolName", tool)
		case "tool_input":
			if event == "PermissionRequest" {
				o.Raw("toolInput", []byte(value.Raw))
			} else {
				o.Raw("toolArgs", []byte(value.Raw))
			}
		case "tool_result":
			var result strictjson.Fields
			for key, value := range value.ForEach {
				result.Set(camelCase(key.String()), []byte(value.Raw))
			}
			o.Raw("toolResult", dialect.ObjectOf(result))
		case "last_assistant_message":
			o.Raw("response", []byte(value.Raw))
		default:
			o.Raw(camelCase(name), []byte(value.Raw))
		}
	}
	return o.End(c), warnings, nil
}

func camelCase(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words[1:] {
		if w != "" {
			words[i+1] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

// readResult reads the part of a tool's result that the model sees.
func readResult(c *dialect.Call, response gjson.Result) {
	switch c.Event {
	case "PostToolUse":
		if text := response.Get("text_result_for_llm"); text.Exists() {
			c.Result = strictjson.ValueText([]byte(text.Raw))
		}
	case "PostToolUseFailure":
		c.Failed, c.Result = true, c.Field("error")
	}
}
