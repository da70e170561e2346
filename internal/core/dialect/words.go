package dialect

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/lib/strictjson"
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

// LastOf returns the fields of an object, the last of equal keys.
func LastOf(object gjson.Result) map[string]gjson.Result {
	fields := map[string]gjson.Result{}
	if !object.IsObject() {
		return fields
	}
	for key, value := range object.ForEach {
		fields[strictjson.Text(key.Raw)] = value
	}
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
