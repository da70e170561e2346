package dialect

import (
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Strategies of texts for the model (MassGen): the position of a text.
const (
	ToolResult  = "tool_result"  // after the tool's result, in the same message; "" means the same
	UserMessage = "user_message" // in a user message, right after the result
)

// TextsOf returns an outcome's texts for the model, in file order.
func TextsOf(o protocol.Outcome) []string {
	var texts []string
	for i := range o.Texts {
		texts = append(texts, o.Texts[i].Content)
	}
	return texts
}

// OtherOf returns the hooks' other answers, by the client's names.
func OtherOf(o protocol.Outcome) (fields strictjson.Fields) {
	if len(o.Other) > 0 {
		_ = fields.UnmarshalJSON(o.Other) // never fails
	}
	return fields
}

// Values of Report.Status, the result of one hook.
const (
	StatusOK        = "ok"
	StatusBlocked   = "blocked"   // the hook's verdict is block, ask or defer
	StatusApproved  = "approved"  // the verdict would have been block, ask or defer, but a person has approved the call
	StatusObserved  = "observed"  // the hook would have blocked, asked, deferred or changed the call, but only observes
	StatusFailed    = "failed"    // an error that does not block
	StatusTimeout   = "timeout"   // whether or not the timeout blocks
	StatusUnstarted = "unstarted" // whether or not the failure blocks
	// the hook matched, but an earlier block had ended the call, or hookrun cannot run the hook's kind
	StatusSkipped = "skipped"
	StatusAsync   = "async" // started and not waited for
)
