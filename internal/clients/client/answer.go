package client

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

func ToolResponse(result string) []byte {
	if start := strings.TrimSpace(result); strings.HasPrefix(start, "{") || strings.HasPrefix(start, "[") {
		if same, warnings, err := strictjson.LastOfEqual(strictjson.Lossy(result), "the result"); err == nil &&
			warnings == nil {
			return strictjson.Compact(nil, same)
		}
	}
	return strictjson.Quote(result)
}

// TrimJS removes white space as JavaScript does, including a byte order mark.
func TrimJS(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r == '\ufeff' || r != '\u0085' && unicode.IsSpace(r) })
}

// ClaudeAnswer are the keys of Claude Code's answer.
var ClaudeAnswer = []dialect.Field{"continue boolean", "suppressOutput boolean", "stopReason string",
	"decision approve|block", "reason string", "systemMessage string", "terminalSequence string",
	"hookSpecificOutput object"}

// ClaudeDeciding are the keys that block. If such a key is misspelt, the client ignores the key and the call continues.
var ClaudeDeciding = []string{"continue", "decision", "hookSpecificOutput", "permissionDecision", "action", "behavior"}

// claudeWords resemble a deciding key but are other words.
var claudeWords = []string{"precision", "revision", "provision", "division"}

// Misspelt returns the deciding key that name misspells, or "".
func Misspelt(name string, known []dialect.Field) string {
	var deciding []string
	for _, f := range known {
		if slices.Contains(ClaudeDeciding, f.Key()) {
			deciding = append(deciding, f.Key())
		}
	}
	if near := spelling.Near(name, deciding); len(near) > 0 && name != "hookEventName" && !slices.Contains(claudeWords,
		name) {
		return near[0]
	}
	return ""
}

func CheckType(f dialect.Field, value gjson.Result, where string) error {
	name := f.Key()
	if where != "" {
		name = where + "." + name
	}
	if want, ok := strictjson.CheckType(value, f.Type()); !ok {
		return dialect.WrongType(name, want, value)
	}
	return nil
}

// Rewritten returns a hook's replacement for a value, without equal keys, because every reader must read the same value
// as the client.
func Rewritten(value gjson.Result) []byte {
	same, _, err := strictjson.LastOfEqual(value.Raw, "")
	if err != nil {
		same = value.Raw // value was valid JSON before
	}
	return strictjson.Compact(nil, same)
}

// CheckJSON returns the first JSON syntax error of a text, with the position. Equal keys are not an error.
func CheckJSON(text string, depth int) error {
	for _, f := range strictjson.Check(text, depth) {
		if f.Kind != strictjson.Duplicate {
			line, col := strictjson.Position(text, f.Offset)
			return fmt.Errorf("line %d, column %d: %s", line, col, f.Text)
		}
	}
	return nil
}

// JSONValue parses a text as one JSON value.
func JSONValue(text string) (value gjson.Result, is bool) {
	if CheckJSON(text, strictjson.MaxDepth) != nil {
		return gjson.Result{}, false
	}
	return gjson.Parse(text), true
}
