package dialect

import (
	"slices"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
)

// decidingKeys are the keys of answers that hold a call up, let it go on or change it, in any client's words.
var decidingKeys = []string{"decision", "continue", "hookSpecificOutput", "permissionDecision", "behavior", "updatedInput", "updatedToolOutput", "updatedMCPToolOutput", "tool_input"}

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
