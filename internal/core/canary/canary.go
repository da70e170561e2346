// Package canary names a tool that no client has and hookrun always blocks. hookrun doctor runs a client's entry for a
// call of this tool, to see that hookrun's block reaches the client. A prompt that is this name alone is blocked, too:
// for it doctor runs the client itself.
//
//	if canary.Is(&call) {
//		// block with canary.Reason, run nothing
//	}
//
// No hooks file can allow the tool or run a hook for the tool. A client with a real tool of this name could not use the
// tool, which is the safe direction.
package canary

import (
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// Tool is the name of the tool, as a client would send it.
const Tool = "hookrun_doctor_canary"

// Reason is the reason of the block.
const Reason = "this is the test call" + ofEveryVersion

// ofEveryVersion is the end of the reason in every version of hookrun: an entry may run an older one.
const ofEveryVersion = " of hookrun doctor: hookrun runs, and always blocks it"

// Blocked reports whether the reason of a block has the text of Reason. Doctor looks for it in the client's answer.
func Blocked(reason string) bool { return strings.Contains(reason, ofEveryVersion) }

// Is reports whether the call is a pre-tool call of the tool, or such a prompt.
func Is(c *dialect.Call) bool {
	return c.Tool == Tool && c.Common() == protocol.PreTool || IsPrompt(c)
}

// IsPrompt reports whether the call is a prompt with the name of the tool.
func IsPrompt(c *dialect.Call) bool {
	return strings.TrimSpace(c.Prompt) == Tool && c.Common() == protocol.PreExecute
}
