package copilot

import (
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Encode passes on the client's own input, or writes what the client would have, as far as the caller knows it. Two
// events of Claude Code's have an input of the client's own.
func (h hooks) Encode(c *dialect.Call) (dialect.Payload, []string, error) {
	event := eventOf(c)
	if h.camel || event == "PermissionRequest" || event == "SubagentStart" {
		return camelPayload(c)
	}
	return claudePayload(c, event)
}

func claudePayload(c *dialect.Call, event protocol.Event) (dialect.Payload, []string, error) {
	same := *c
	if result := gjson.Get(same.ClientInput, "tool_result"); result.Type == gjson.String { // another hook changed it
		dialect.SetField(&same, "tool_result", resultOf(strictjson.Text(result.Raw)))
	}
	if own, is := dialect.OwnInput(&same, event); is {
		return own, nil, nil
	}
	return dialect.WriteInput(c, func(o *dialect.Object) {
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

// resultOf writes a tool's result in the client's form.
func resultOf(text string) []byte {
	return dialect.ObjectOf(dialect.FieldsOf("result_type", []byte(`"success"`), "text_result_for_llm",
		strictjson.Quote(text)))
}

// camelPayload is the input in camelCase: it has no name of an event, a time in milliseconds, and the client's own name
// of the tool. Of a subagent three fields keep their names.
func camelPayload(c *dialect.Call) (dialect.Payload, []string, error) {
	event := eventOf(c)
	without := *c
	without.Extra = "" // it stands behind the others, under its own names
	pascal, warnings, err := claudePayload(&without, event)
	if err != nil {
		return nil, nil, err
	}
	var o dialect.Object
	if event == "PermissionRequest" {
		o.Text("hookName", "permissionRequest")
	}
	gjson.ParseBytes(pascal.Bytes()).ForEach(func(key, value gjson.Result) bool {
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
			value.ForEach(func(key, value gjson.Result) bool {
				result.Set(camelCase(key.String()), []byte(value.Raw))
				return true
			})
			o.Raw("toolResult", dialect.ObjectOf(result))
		case "last_assistant_message":
			o.Raw("response", []byte(value.Raw))
		default:
			o.Raw(camelCase(name), []byte(value.Raw))
		}
		return true
	})
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

// readResult reads a tool's result from the client's form: what the model sees of it.
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
