package dialect

import (
	"github.com/hookrun/hookrun/protocol"
)

// policyOf is what the first of the policies says that names the cause.
func policyOf(cause protocol.Cause, policies []protocol.FailurePolicy) (protocol.Decision, bool) {
	for _, p := range policies {
		if decision, ok := p[cause]; ok {
			return decision, true
		}
	}
	return protocol.Block, false
}

// ignored says in a warning what comes of a failure that does not block.
func ignored(e protocol.Event) string {
	if e.Canonical() == protocol.PostTool {
		return "ignored, the tool already ran"
	}
	return "continuing"
}

// wentOn says in a warning what came of an answer in doubt.
func wentOn(e protocol.Event) string {
	if e.Canonical() == protocol.PostTool {
		return ignored(e)
	}
	return "the call goes on"
}
