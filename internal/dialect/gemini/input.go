package gemini

import (
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// payload passes on the client's own input, or writes what the client would have, as far as the caller knows it.
func payload(c *dialect.Call) (dialect.Payload, []string, error) {
	event := eventOf(&c.Call)
	if own, is := dialect.OwnInput(&c.Call, event); is {
		return own, nil, nil
	}
	var o dialect.Object
	o.Text("session_id", c.SessionID)
	o.Text("transcript_path", c.TranscriptPath)
	o.Text("cwd", c.Workspace)
	o.Text("hook_event_name", string(event))
	o.Text("timestamp", time.Now().UTC().Format("2006-01-02T15:04:05.000Z"))
	warnings, err := o.Tool(c)
	if err != nil {
		return nil, nil, err
	}
	switch event {
	case "AfterTool":
		o.Raw("tool_response", response(&c.Call))
	case "BeforeAgent":
		o.Text("prompt", c.Prompt)
	}
	return o.End(), warnings, nil
}

// response writes a tool's result in the client's form.
func response(c *protocol.Call) []byte {
	text := strictjson.Quote(c.Result)
	response := dialect.FieldsOf("llmContent", text, "returnDisplay", text)
	if c.Failed {
		failure, _ := dialect.FieldsOf("message", text).MarshalJSON() // made of JSON, it cannot fail
		response.Set("error", failure)
	}
	written, _ := response.MarshalJSON()
	return written
}

// readResult reads a tool's result from the client's form: what the model sees of it.
func readResult(c *protocol.Call, response gjson.Result) {
	if c.Event != "AfterTool" {
		return
	}
	content, failure := response.Get("llmContent"), response.Get("error")
	c.Failed = failure.Type != gjson.Null
	switch {
	case content.Exists():
		c.Result = strictjson.ValueText([]byte(content.Raw))
	case c.Failed && failure.Get("message").Exists():
		c.Result = strictjson.ValueText([]byte(failure.Get("message").Raw))
	}
}

// propagate merges a rewrite into the input that the next hook in turn gets, where the tool will be given the rewrite
// alone, and adds context to the prompt. A hook that ended with another code than 0 changes nothing.
func propagate(c *dialect.Call, v *dialect.Verdict) bool {
	if v.Cause == protocol.CauseExit || v.Cause == protocol.CauseSignal {
		return false
	}
	switch eventOf(&c.Call) {
	case "BeforeTool":
		old, _, err := c.Input()
		merged := dialect.MergedJSON(old, v.UpdatedInput)
		if err != nil || merged == nil {
			return false
		}
		c.SetArgs(merged)
		dialect.SetField(&c.Call, "tool_input", merged)
		return true
	case "BeforeModel":
		const key = "llm_request"
		merged := dialect.MergedJSON([]byte(gjson.Get(c.ClientInput, key).Raw), v.Other.Get(key))
		if merged == nil {
			return false
		}
		dialect.SetField(&c.Call, key, merged)
		return true
	case "BeforeAgent":
		if v.Context == "" {
			return false
		}
		c.Prompt += "\n\n" + v.Context
		dialect.SetField(&c.Call, "prompt", strictjson.Quote(c.Prompt))
		return true
	}
	return false
}
