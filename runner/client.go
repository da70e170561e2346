package runner

import (
	"fmt"

	"github.com/hookrun/hookrun/internal/dialect/all"
	"github.com/hookrun/hookrun/protocol"
)

// ParseInput reads a client's own hook input: one JSON object with hook_event_name, as Claude Code, Codex and Gemini
// CLI write it. A field that says which call it is, such as tool_name, must not be there twice with different values:
// there would be two calls. Of other equal keys the last counts, and a warning says so. Call.Workspace is left to the
// caller.
func ParseInput(doc string) (c protocol.Call, warnings []string, err error) {
	return all.ParseInput(doc)
}

// EncodeOutput tells an outcome to a client ("claude", "codex" or "gemini") in its own hook output, with the exit
// status that goes with it. What the client has no word for is never lost where it would let something pass.
func EncodeOutput(client string, o protocol.Outcome) (stdout []byte, exit int, err error) {
	d, ok := all.ClientNamed(client)
	if !ok {
		return nil, 0, fmt.Errorf("no client is called %q", client)
	}
	return d.EncodeOutput(o)
}
