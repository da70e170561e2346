package dialect

import (
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// The clients take the last of two equal keys in an answer. Nobody hears of a deny that was written into the first one.
// Here the verdict is the client's, a warning says it, and a policy that blocks for unreadable answers blocks for this.

// decidingKeys are the keys of answers that hold a call up, let it go on or change it, in any client's words.
var decidingKeys = []string{"decision", "continue", "hookSpecificOutput", "permissionDecision", "behavior",
	"updatedInput", "updatedToolOutput", "updatedMCPToolOutput", "tool_input"}

// equalKey is a deciding key that stands twice in an answer, at its top level or where decisions stand in it; "" if
// none does.
func equalKey(object gjson.Result) (twice string) {
	if !object.IsObject() {
		return ""
	}
	var seen []string
	object.ForEach(func(key, value gjson.Result) bool {
		name := strictjson.Text(key.Raw)
		if !slices.Contains(decidingKeys, name) {
			return true
		}
		if slices.Contains(seen, name) {
			twice = name
		}
		seen = append(seen, name)
		if twice == "" && (name == "hookSpecificOutput" || name == "decision") {
			twice = equalKey(value)
		}
		return twice == ""
	})
	return twice
}

// DoubtEqualKeys adds to a verdict what is to be said of equal keys in the answer that it was read from.
func DoubtEqualKeys(who string, answer gjson.Result, v Verdict) Verdict {
	key := equalKey(answer)
	if key == "" || v.Decision == protocol.Block || v.Problem != "" && !v.Answered {
		return v
	}
	doubt := fmt.Sprintf("%s has %q twice in its answer, of which the client takes the last; write it once", who, key)
	if v.Doubt != "" {
		v.Warnings = append(v.Warnings, doubt)
	} else {
		v.Doubt = doubt
	}
	return v
}

// AnswerOf is what a hook printed as one JSON value, the zero value if it is none.
func AnswerOf(text string) gjson.Result {
	value, _ := JSONValue(text)
	return value
}
