package dialect

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// PermissionWords are the words for a decision in hookSpecificOutput. Claude Code's older words are at the top level.
var PermissionWords = Words{{"allow", protocol.Continue}, {"deny", protocol.Block}, {"ask", protocol.Ask},
	{"defer", protocol.Defer}}

// Words are the words for decisions in an answer.
type Words []struct {
	Word     string
	Decision protocol.Decision
}

// Decision returns the decision of a word. An unknown word gives the zero Decision, which is a block.
func (words Words) Decision(word string) (d protocol.Decision, known bool) {
	for _, w := range words {
		if w.Word == word {
			return w.Decision, true
		}
	}
	return d, false
}

// Word returns the first word for a decision, or "".
func (words Words) Word(d protocol.Decision) string {
	for _, w := range words {
		if w.Decision == d {
			return w.Word
		}
	}
	return ""
}

// Misplaced are keys with a meaning only in hookSpecificOutput. Claude Code ignores the keys at the top level, and so
// ignores the deny of a guard with the key at the wrong level.
var Misplaced = []string{"permissionDecision", "updatedInput", "updatedToolOutput"}

// ReadText reads a string. It treats null as a missing key, because many JSON writers print null, and converts no other
// type.
func ReadText(name string, value gjson.Result, into *string) error {
	switch value.Type {
	case gjson.Null:
	case gjson.String:
		*into = strictjson.Text(value.Raw)
	default:
		return WrongType(name, "a string", value)
	}
	return nil
}

func WrongType(name, want string, value gjson.Result) error {
	raw := value.Raw
	if len(raw) > 40 {
		raw = strictjson.Lossy(raw[:40]) + "…"
	}
	return fmt.Errorf("%s must be %s, not %s", name, want, raw)
}

// Field is a field of an answer or of a settings file, with the type as in strictjson.CheckType: "reason string". A
// string costs no time at start, unlike a table of structs.
type Field string

// Key returns the name of the field.
func (f Field) Key() string {
	key, _, _ := strings.Cut(string(f), " ")
	return key
}

// Type returns the type of the field.
func (f Field) Type() string {
	_, kind, _ := strings.Cut(string(f), " ")
	return kind
}

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

var ClaudeAnswer = []Field{"continue boolean", "suppressOutput boolean", "stopReason string", "decision approve|block",
	"reason string", "systemMessage string", "terminalSequence string", "hookSpecificOutput object"}

// ClaudeDeciding are the keys that block. If such a key is misspelt, the client ignores the key and the call continues.
var ClaudeDeciding = []string{"continue", "decision", "hookSpecificOutput", "permissionDecision", "action", "behavior"}

// claudeWords resemble a deciding key but are other words.
var claudeWords = []string{"precision", "revision", "provision", "division"}

// Misspelt returns the deciding key that name misspells, or "".
func Misspelt(name string, known []Field) string {
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

func CheckType(f Field, value gjson.Result, where string) error {
	name := f.Key()
	if where != "" {
		name = where + "." + name
	}
	if want, ok := strictjson.CheckType(value, f.Type()); !ok {
		return WrongType(name, want, value)
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

// Keys of hookSpecificOutput in the answers of a client at some event. All dialects know the keys, to name the client
// of a key that has no meaning for them.
var (
	ClaudeKeys = []string{"additionalContext", "initialUserMessage", "sessionTitle", "watchPaths", "reloadSkills",
		"suppressOriginalPrompt", "permissionDecision", "permissionDecisionReason", "updatedInput", "decision", "retry",
		"classifierContext", "updatedToolOutput", "updatedMCPToolOutput", "displayContent", "worktreePath", "action",
		"content",
		"updatedPermissions"}
	GeminiKeys = []string{"llm_request", "llm_response", "toolConfig", "tailToolCallRequest", "clearContext"}
)

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

// LastOf returns the fields of an object, the last of equal keys.
func LastOf(object gjson.Result) map[string]gjson.Result {
	fields := map[string]gjson.Result{}
	if !object.IsObject() {
		return fields
	}
	object.ForEach(func(key, value gjson.Result) bool {
		fields[strictjson.Text(key.Raw)] = value
		return true
	})
	return fields
}

// StringOf returns the text of a JSON string, or "" for other values.
func StringOf(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	return strictjson.Text(v.Raw)
}

func Blank(s string) bool { return strings.TrimSpace(s) == "" }
