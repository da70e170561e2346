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

// The words for a decision: at the top level Claude Code's first ones, in hookSpecificOutput today's.
var PermissionWords = Words{{"allow", protocol.Continue}, {"deny", protocol.Block}, {"ask", protocol.Ask},
	{"defer", protocol.Defer}}

// Words are what an answer may say for a decision.
type Words []struct {
	Word     string
	Decision protocol.Decision
}

// Decision is what a word says. The zero Decision, a block, is that of a word that is none of these.
func (words Words) Decision(word string) (d protocol.Decision, known bool) {
	for _, w := range words {
		if w.Word == word {
			return w.Decision, true
		}
	}
	return d, false
}

// Word is the first word for a decision, "" if there is none.
func (words Words) Word(d protocol.Decision) string {
	for _, w := range words {
		if w.Decision == d {
			return w.Word
		}
	}
	return ""
}

// Misplaced are keys that mean something in hookSpecificOutput only. Claude Code ignores them at the top level, and
// so the deny of a guard whose author mixed the two up.
var Misplaced = []string{"permissionDecision", "updatedInput", "updatedToolOutput"}

// ReadText and readBool take null for a key that is not there, as many JSON writers print it. Nothing else is
// converted.
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

// Field is a field of an answer or of a settings file, and its type as strictjson.CheckType names it: "reason string".
// As a text it costs nothing at start, where a table of structs would be made.
type Field string

// Key is the name of the field.
func (f Field) Key() string {
	key, _, _ := strings.Cut(string(f), " ")
	return key
}

// Type is its type.
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

// TrimJS removes white space as JavaScript has it, which counts a byte order mark.
func TrimJS(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r == '\ufeff' || r != '\u0085' && unicode.IsSpace(r) })
}

var ClaudeAnswer = []Field{"continue boolean", "suppressOutput boolean", "stopReason string", "decision approve|block",
	"reason string", "systemMessage string", "terminalSequence string", "hookSpecificOutput object"}

// ClaudeDeciding are the keys that block. One that is misspelt the client passes over, and the call goes on.
var ClaudeDeciding = []string{"continue", "decision", "hookSpecificOutput", "permissionDecision", "action", "behavior"}

// claudeWords come close to a deciding key and are words of their own.
var claudeWords = []string{"precision", "revision", "provision", "division"}

// Misspelt returns the key that blocks and that name is a slip of the pen for.
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

// Rewritten returns a value that a hook puts in the place of another, without equal keys: whoever gets it must not read
// another value than the client would.
func Rewritten(value gjson.Result) []byte {
	same, _, err := strictjson.LastOfEqual(value.Raw, "")
	if err != nil {
		same = value.Raw // it was found to be JSON before
	}
	return strictjson.Compact(nil, same)
}

// Keys of hookSpecificOutput that the answers of a client have at some event. All dialects know them, to say whose a
// key is that means nothing to them.
var (
	ClaudeKeys = []string{"additionalContext", "initialUserMessage", "sessionTitle", "watchPaths", "reloadSkills",
		"suppressOriginalPrompt", "permissionDecision", "permissionDecisionReason", "updatedInput", "decision", "retry",
		"classifierContext", "updatedToolOutput", "updatedMCPToolOutput", "displayContent", "worktreePath", "action",
		"content",
		"updatedPermissions"}
	GeminiKeys = []string{"llm_request", "llm_response", "toolConfig", "tailToolCallRequest", "clearContext"}
)

// CheckJSON returns the first fault of a text as JSON, with its position. Equal keys are none.
func CheckJSON(text string, depth int) error {
	for _, f := range strictjson.Check(text, depth) {
		if f.Kind != strictjson.Duplicate {
			line, col := strictjson.Position(text, f.Offset)
			return fmt.Errorf("line %d, column %d: %s", line, col, f.Text)
		}
	}
	return nil
}

// JSONValue reads a text as one value of JSON.
func JSONValue(text string) (value gjson.Result, is bool) {
	if CheckJSON(text, strictjson.MaxDepth) != nil {
		return gjson.Result{}, false
	}
	return gjson.Parse(text), true
}

// LastOf returns the fields of an object, the last of equal ones.
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

// StringOf is a JSON string as text, "" for all else.
func StringOf(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	return strictjson.Text(v.Raw)
}

func Blank(s string) bool { return strings.TrimSpace(s) == "" }
