package gemini

import (
	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Encode passes on the client's own input, or builds one from the fields of the call.
func (hooks) Encode(c *dialect.Call) (dialect.Payload, []string, error) {
	event := eventOf(c)
	return client.EncodeInput(c, event, func(o *dialect.Object) {
		o.Text("session_id", c.SessionID)
		o.Text("transcript_path", c.TranscriptPath)
		o.Text("cwd", c.Workspace)
		o.Text("hook_event_name", string(event))
		o.Now("timestamp")
	}, func(o *dialect.Object) {
		switch event {
		case "AfterTool":
			o.Raw("tool_response", client.LLMResponse(c))
		case "BeforeAgent":
			o.Text("prompt", c.Prompt)
		}
	})
}

// Propagate merges a rewrite into the input of the next hook in turn, although the tool will get the rewrite alone. It
// also adds context to the prompt. A hook with an exit code other than 0 changes nothing.
func (hooks) Propagate(c *dialect.Call, v *dialect.Verdict) bool {
	if v.Cause == protocol.CauseExit || v.Cause == protocol.CauseSignal {
		return false
	}
	switch eventOf(c) {
	case "BeforeTool":
		return client.MergeInput(c, v.UpdatedInput)
	case "BeforeModel":
		const key = "llm_request"
		merged := dialect.MergedJSON([]byte(gjson.Get(c.ClientInput, key).Raw), v.Other.Get(key))
		if merged == nil {
			return false
		}
		dialect.SetField(c, key, merged)
		return true
	case "BeforeAgent":
		return client.AddToPrompt(c, v.Context)
	}
	return false
}
