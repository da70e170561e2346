package client

import (
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Clients use the last of two equal keys in an answer, so a deny in the first key is lost without a message. The
// verdict here is the same as the client's, with a warning. A policy that blocks on unreadable answers blocks on equal
// keys.

// decidingKeys are the keys of answers that block, allow or change a call, in the words of any client.
var decidingKeys = []string{"decision", "continue", "hookSpecificOutput", "permissionDecision", "behavior",
	"updatedInput", "updatedToolOutput", "updatedMCPToolOutput", "tool_input"}

// equalDecidingKey returns a deciding key that occurs twice, at the top level or inside a decision object, or "".
func equalDecidingKey(object gjson.Result) (twice string) {
	if !object.IsObject() {
		return ""
	}
	var seen []string
	for key, value := range object.ForEach {
		name := strictjson.Text(key.Raw)
		switch {
		case !slices.Contains(decidingKeys, name):
			continue
		case slices.Contains(seen, name):
			return name
		case name == "hookSpecificOutput" || name == "decision":
			if twice = equalDecidingKey(value); twice != "" {
				return twice
			}
		}
		seen = append(seen, name)
	}
	return ""
}

// DoubtEqualKeys adds a doubt or a warning to v if answer has equal deciding keys.
func DoubtEqualKeys(who string, answer gjson.Result, v dialect.Verdict) dialect.Verdict {
	key := equalDecidingKey(answer)
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

// AnswerOf parses a hook's output as one JSON value. It returns the zero value if the output is not JSON.
func AnswerOf(text string) gjson.Result {
	value, _ := JSONValue(text)
	return value
}
