package droid

import (
	"cmp"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
)

// Encode passes on the client's own input, or builds one from the fields of the call.
func (hooks) Encode(c *dialect.Call) (dialect.Payload, []string, error) {
	event := eventOf(c)
	return client.EncodeInput(c, event, func(o *dialect.Object) {
		o.Text("session_id", c.SessionID)
		o.Text("transcript_path", c.TranscriptPath)
		o.Text("cwd", cmp.Or(c.Dir, c.Workspace))
		o.Text("permission_mode", modes[0])
		o.Text("hook_event_name", string(event))
	}, func(o *dialect.Object) {
		switch event {
		case "PostToolUse":
			o.Text("tool_response", c.Result)
		case "UserPromptSubmit":
			o.Text("prompt", c.Prompt)
			o.Raw("has_images", []byte("false"))
		}
	})
}
