package qwen

import (
	"time"

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
	o.Text("permission_mode", "default")
	if c.AgentID != "" {
		o.Text("agent_id", c.AgentID)
	}
	warnings, err := o.Tool(c)
	if err != nil {
		return nil, nil, err
	}
	switch event {
	case "PostToolUse":
		o.Raw("tool_response", dialect.LLMResponse(&c.Call))
	case "PostToolUseFailure":
		o.Text("error", c.Result)
		o.Raw("is_interrupt", []byte("false"))
	case "UserPromptSubmit":
		o.Text("prompt", c.Prompt)
		o.Text("submitted_prompt", c.Prompt)
	}
	if c.Event.HasTool() {
		o.Text("tool_use_id", c.ToolUseID)
	}
	return o.End(), warnings, nil
}

// propagate changes what the next hook in turn gets, and not what the tool or the model gets: "tool_input" of an answer
// is merged into the call's, context is added to the prompt. A hook that ended with another code than 0
// changes nothing.
func propagate(c *dialect.Call, v *dialect.Verdict) bool {
	a, ok := v.Answer.(*answer)
	if !ok || v.Cause == protocol.CauseExit || v.Cause == protocol.CauseSignal {
		return false
	}
	switch eventOf(&c.Call) {
	case "PreToolUse":
		old, _, err := c.Input()
		merged := dialect.MergedJSON(old, []byte(a.specific["tool_input"].Raw))
		if err != nil || merged == nil {
			return false
		}
		c.SetArgs(merged)
		dialect.SetField(&c.Call, "tool_input", merged)
		return true
	case "UserPromptSubmit", "UserPromptExpansion":
		if v.Context == "" {
			return false
		}
		c.Prompt += "\n\n" + v.Context
		dialect.SetField(&c.Call, "prompt", strictjson.Quote(c.Prompt))
		return true
	}
	return false
}
