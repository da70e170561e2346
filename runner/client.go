package runner

import (
	"fmt"

	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/protocol"
)

// ParseInput reads a client's own hook input: one JSON object with hook_event_name, as Claude Code, Codex and Gemini
// CLI write it. A field that identifies the call, such as tool_name, must not be there twice with different values:
// there would be two calls. Of other equal keys the last counts, and there is a warning. The caller sets Workspace.
func ParseInput(doc string) (c protocol.Call, warnings []string, err error) {
	return registry.ParseInput(doc)
}

// exitBlocked is the exit status of a hook that blocks a call.
const exitBlocked = 2

// EncodeOutput encodes an outcome as the hook output of a client, which Call.Client and `--output` name, with
// the exit status that goes with it. A verdict that the client has no word for becomes a stricter one, never a
// weaker one. With an error the exit status is 2, at which clients do not run the tool.
func EncodeOutput(client string, o protocol.Outcome) (stdout []byte, exit int, err error) {
	d, ok := registry.ClientNamed(client)
	if !ok {
		return nil, exitBlocked, fmt.Errorf("no client is called %q", client)
	}
	reply, err := d.Reply(o)
	if err != nil {
		return nil, exitBlocked, err
	}
	return reply.Stdout, reply.Exit, nil
}
