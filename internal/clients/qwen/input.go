package qwen

import (
	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Encode passes on the client's own input, or builds one from the fields of the call.
func (hooks) Encode(c *dialect.Call) (dialect.Payload, []string, error) {
	event := client.ClaudeEventOf(c)
	return client.EncodeInput(c, event, func(o *dialect.Object) {
		o.Text("session_id", c.SessionID)
		o.Text("transcript_path", c.TranscriptPath)
		o.Text("cwd", c.Workspace)
		o.Text("hook_event_name", string(event))
		o.Now("timestamp")
		o.Text("permission_mode", "default")
		o.TextIfAny("agent_id", c.AgentID)
	}, func(o *dialect.Object) {
		switch event {
		case "PostToolUse":
			o.Raw("tool_response", client.LLMResponse(c))
		case "PostToolUseFailure":
			o.Text("error", c.Result)
			o.Raw("is_interrupt", []byte("false"))
		case "UserPromptSubmit":
			o.Text("prompt", c.Prompt)
			o.Text("submitted_prompt", c.Prompt)
		}
		if c.IsAboutTool() {
			o.Text("tool_use_id", c.ToolUseID)
		}
	})
}

// Propagate changes the input of the next hook in turn, but not the input of the tool or the model: "tool_input" of an
// answer is merged into the call's input, and context is added to the prompt. A hook with an exit code other than 0
// changes nothing.
func (hooks) Propagate(c *dialect.Call, v *dialect.Verdict) bool {
	a, ok := v.Own.(*answer)
	if !ok || v.Cause == protocol.CauseExit || v.Cause == protocol.CauseSignal {
		return false
	}
	switch client.ClaudeEventOf(c) {
	case "PreToolUse":
		return client.MergeInput(c, []byte(a.specific["tool_input"].Raw))
	case "UserPromptSubmit", "UserPromptExpansion":
		return client.AddToPrompt(c, v.Context)
	}
	return false
}
