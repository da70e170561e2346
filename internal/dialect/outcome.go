package dialect

import (
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// The strategies of texts for the model (MassGen): where a text belongs.
const (
	ToolResult  = "tool_result"  // behind the tool's result, in one message with it; "" means the same
	UserMessage = "user_message" // in a message of the user, right after the result
)

// TextsOf returns the texts of an outcome for the model, in the order of the file.
func TextsOf(o protocol.Outcome) []string {
	var texts []string
	for i := range o.Texts {
		texts = append(texts, o.Texts[i].Content)
	}
	return texts
}

// OtherOf returns what else hooks answered, by their client's names.
func OtherOf(o protocol.Outcome) (fields strictjson.Fields) {
	if len(o.Other) > 0 {
		_ = fields.UnmarshalJSON(o.Other) // it never fails
	}
	return fields
}

// The values of Report.Status: what became of one hook.
const (
	StatusOK        = "ok"
	StatusBlocked   = "blocked"   // the call is held up because of it: block, ask or defer
	StatusApproved  = "approved"  // it would have held the call up, which a person has approved
	StatusObserved  = "observed"  // it would have held the call up or changed it, but only observes
	StatusFailed    = "failed"    // an error that does not block
	StatusTimeout   = "timeout"   // whatever came of that
	StatusUnstarted = "unstarted" // whatever came of that
	// it matched, but an earlier block had ended the call, or hookrun cannot run its kind
	StatusSkipped = "skipped"
	StatusAsync   = "async" // started and not waited for
)
