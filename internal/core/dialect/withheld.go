package dialect

import (
	"fmt"

	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// WithheldReason returns the reason of a block that withholds the tool's result.
func WithheldReason(hook string) string {
	return fmt.Sprintf("project hook '%s' changed the tool's result to one that could not be shown, so the result "+
		"is withheld; the tool has run", hook)
}

// WithheldMark replaces each text of a withheld result.
const WithheldMark = "[withheld by hookrun]"

// InPlaceOfResult returns the UpdatedOutput of an outcome that withholds the tool's result: ofClient, in the form of
// the client's results, or only the mark if ofClient is nil.
func InPlaceOfResult(ofClient []byte) []byte {
	if ofClient == nil {
		return strictjson.Quote(WithheldMark)
	}
	return ofClient
}

// IsFailureBlock reports whether a block comes from a failed hook, from hookrun or from a change that was impossible.
// After a tool the hook may have been a redactor, so the result is withheld.
func IsFailureBlock(decision protocol.Decision, cause protocol.Cause) bool {
	return decision == protocol.Block && cause != protocol.CausePolicy && cause != protocol.CauseUnsupported
}
