package kimi

import (
	"cmp"
	"fmt"
	"unicode/utf16"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// maxOutput is how many characters of a tool's result the client's hooks get, counted in UTF-16 as JavaScript does.
const maxOutput = 2000

// Encode passes on the client's own input, or builds one from the fields of the call.
func (hooks) Encode(c *dialect.Call) (dialect.Payload, []string, error) {
	event := eventOf(c)
	return client.EncodeInput(c, event, func(o *dialect.Object) {
		o.Text("hook_event_name", string(event))
		o.Text("session_id", c.SessionID)
		o.Text("cwd", cmp.Or(c.Dir, c.Workspace))
		o.Text("client_type", clientType)
	}, func(o *dialect.Object) {
		if c.IsAboutTool() {
			o.Text("tool_call_id", c.ToolUseID)
		}
		switch event {
		case "PostToolUse":
			output := utf16.Encode([]rune(c.Result))
			o.Text("tool_output", string(utf16.Decode(output[:min(len(output), maxOutput)])))
		case "PostToolUseFailure":
			o.Raw("error", fmt.Appendf(nil, `{"code":"internal","message":%s,"retryable":false}`,
				strictjson.Quote(c.Result)))
		case "UserPromptSubmit":
			o.Raw("prompt", fmt.Appendf(nil, `[{"type":"text","text":%s}]`, strictjson.Quote(c.Prompt)))
			o.Raw("is_steer", []byte("false"))
		case "Stop":
			o.Raw("stop_hook_active", []byte("false"))
		}
	})
}
