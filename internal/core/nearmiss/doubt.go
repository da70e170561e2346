package nearmiss

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// ValidWords shows the valid forms of an answer, for messages.
const ValidWords = `an answer is {"decision": "block" or "approve", "reason": "…"}, or {"hookSpecificOutput": ` +
	`{"permissionDecision": "deny", "ask", "defer" or "allow", "permissionDecisionReason": "…"}}`

// PrintAlone returns the advice for output with text around an answer.
func PrintAlone(text string) string {
	if strings.ContainsRune(text, 0) {
		return "print it in UTF-8, not UTF-16"
	}
	return "print nothing but the JSON, and all else to stderr"
}

// UnknownKey returns an error with the probable meaning of an unknown key in an answer.
func UnknownKey(s Sign, words string) error {
	key := spelling.Brief(s.Key, 40)
	switch {
	case s.Kind == Exact: // at the wrong level
		return fmt.Errorf("it has %q at a place where that means nothing; %s", key, words)
	case s.Intended == "updatedInput" || s.Intended == "updatedToolOutput":
		return fmt.Errorf(`it has %q, which is no key of an answer; did you mean %q in "hookSpecificOutput"?`, key,
			s.Intended)
	case s.Kind == Misspelling:
		return fmt.Errorf("it has %q, which is no key of an answer; did you mean %q? %s", key, s.Intended, words)
	}
	return fmt.Errorf("it has %s, which is no decision: %s", strings.TrimSuffix(s.String(), ` for "decision"`), words)
}

// Keys of answers with a meaning at only one of the two levels.
var (
	specificOnly = []string{"permissionDecision", "permissionDecisionReason", "additionalContext",
		"updatedInput", "updatedToolOutput", "updatedMCPToolOutput"}
	topOnly = []string{"reason", "continue", "stopReason", "systemMessage", "suppressOutput", "hookSpecificOutput"}
)

// FirstMeaningless returns the first key without meaning in an answer (misspelt, unknown or at a wrong level), or nil.
func FirstMeaningless(signs []Sign) *Sign {
	for i, s := range signs {
		switch {
		case !s.CanBeginAnswer():
		case s.Kind != Exact,
			s.Place == Top && slices.Contains(specificOnly, s.Key),
			s.Place == Specific && slices.Contains(topOnly, s.Key):
			return &signs[i]
		}
	}
	return nil
}

// MisspelledBlock returns an error if an answer that the client treats as "allow" looks like a misspelled block. words
// shows the valid answers of the client; known are keys of the client's own in hookSpecificOutput.
func MisspelledBlock(object gjson.Result, words string, known ...string) error {
	signs := slices.DeleteFunc(Scan(object.Raw), func(s Sign) bool {
		text := s.Kind == Exact && slices.Contains([]string{"additionalContext", "systemMessage",
			"suppressOutput"}, s.Key)
		return text || s.Place == Specific && slices.Contains(known, s.Key)
	})
	if s := FirstMeaningless(signs); s != nil {
		return UnknownKey(*s, words)
	}
	if err := Incomplete(object, words); err != nil {
		return err
	}
	if err, _ := ExitCodeIn(object); err != nil {
		return err
	}
	for _, inside := range NestedKeys(signs) {
		return errors.New(inside)
	}
	return nil
}

// MisspelledBlockInText is MisspelledBlock for output other than a JSON object.
func MisspelledBlockInText(who, text string) string {
	stray, unreadable, _ := strayAnswer(text)
	for _, s := range stray {
		return who + " " + s
	}
	if unreadable == nil && strings.HasPrefix(strings.TrimSpace(text), "{") {
		unreadable = errors.New("it begins with { and is no JSON; " + PrintAlone(text))
	}
	if unreadable != nil {
		return who + " printed text around a JSON answer, which was therefore not read: " + unreadable.Error()
	}
	return ""
}

// NestedKeys describes decision keys that do not count because they are nested in other JSON or beside unknown keys.
func NestedKeys(signs []Sign) []string {
	for _, s := range signs {
		if s.Report && !s.AfterText {
			return []string{fmt.Sprintf("printed JSON that has %s beside keys that no answer has, so it was taken "+
				"for text; "+
				"an answer has a decision and no other keys", fmt.Sprintf("%q", spelling.Brief(s.Key, 40)))}
		}
		if s.Place == Nested {
			return []string{fmt.Sprintf("printed JSON that has %s inside, where it was not read; print the answer "+
				"alone", s)}
		}
	}
	return nil
}

// StrayAnswer looks for an answer in output that is not an answer as a whole. If a line begins an answer, or if a whole
// object behind other text denies, unreadable is set. stray describes other text that looks like an answer after other
// text on a line or deep in other JSON.
func StrayAnswer(text string) (stray []string, unreadable error) {
	stray, unreadable, no := strayAnswer(text)
	if no != nil && unreadable == nil {
		return nil, no
	}
	return stray, unreadable
}

// strayAnswer is StrayAnswer for a client that takes a denial behind other text for text: no is the error for it.
func strayAnswer(text string) (stray []string, unreadable, no error) {
	found := scan(text)
	if s := found.denial; s.Key != "" {
		no = fmt.Errorf("line %d has %s: %s of an answer behind other text; %s; a text that only shows such JSON "+
			`belongs in "additionalContext"`, s.Line, s, s.Value, PrintAlone(text))
	}
	for _, s := range found.signs {
		if !s.AfterText && s.CanBeginAnswer() {
			return nil, fmt.Errorf("line %d has %s of an answer, and the output is not that answer alone; %s",
				s.Line, s, PrintAlone(text)), no
		}
	}
	for _, s := range found.signs {
		if s.AfterText && s.Decides() {
			lost := fmt.Sprintf("printed text before a JSON answer on line %d, which was therefore not read; %s",
				s.Line, PrintAlone(text))
			return []string{lost}, nil, no
		}
	}
	return NestedKeys(found.signs), nil, no
}

// Incomplete returns an error if an answer has a reason but no decision.
func Incomplete(object gjson.Result, words string) error {
	top := dialect.LastOf(object)
	within := dialect.LastOf(top["hookSpecificOutput"])
	hasAny := func(fields map[string]gjson.Result, keys ...string) bool {
		return slices.ContainsFunc(keys, func(key string) bool { return fields[key].Type != gjson.Null })
	}
	hasText := func(fields map[string]gjson.Result, key string) bool {
		return fields[key].Type == gjson.String && !dialect.Blank(strictjson.Text(fields[key].Raw))
	}
	changes := hasAny(within, "updatedInput", "updatedToolOutput", "updatedMCPToolOutput", "tool_input", "action")
	decides := hasAny(within, "permissionDecision", "decision")
	switch {
	case hasText(within, "permissionDecisionReason") && !decides && !changes:
		return fmt.Errorf("it has a permissionDecisionReason and no permissionDecision; %s", words)
	case hasText(top, "reason") && !hasAny(top, "decision", "continue") && !decides && !changes:
		return fmt.Errorf("it has a reason and no decision; %s; a reason that goes with exit 2 belongs on stderr",
			words)
	case hasText(top, "stopReason") && !hasAny(top, "continue"):
		return errors.New(`it has a stopReason and does not stop; add "continue": false, or leave it out`)
	}
	return nil
}

// Keys for the exit code of a process. weakCodeKeys have other meanings too, so they count only together with stderr.
var (
	codeKeys     = []string{"exitcode", "returncode", "exitstatus", "returnstatus", "exit", "rc"}
	weakCodeKeys = []string{"code", "status", "ret", "errorcode", "statuscode"}
	processKeys  = []string{"stdout", "stderr", "output", "reason", "message", "msg", "error", "signal"}
)

// ExitCodeIn returns an error if an object has an exit code other than 0, which only the line of a persistent hook may
// have. alone reports whether all keys are typical of a process result, so the object may be meant as such a line.
func ExitCodeIn(object gjson.Result) (wrong error, alone bool) {
	if !object.IsObject() {
		return nil, false
	}
	alone = true
	var strong, weak, shown string
	stderr := false
	for key, value := range object.ForEach {
		name := strictjson.Text(key.Raw)
		word := Letters(name)
		switch {
		case value.Type == gjson.Null:
		case slices.Contains(codeKeys, word) && nonZero(value):
			strong = fmt.Sprintf("%q: %s", name, spelling.Brief(value.Raw, 20))
			shown = word
		case slices.Contains(weakCodeKeys, word) && nonZero(value):
			weak = fmt.Sprintf("%q: %s", name, spelling.Brief(value.Raw, 20))
		case slices.Contains(processKeys, word):
			stderr = stderr || word == "stderr"
		default:
			alone = false
		}
	}
	if strong == "" && stderr && alone {
		strong = weak
	}
	if strong == "" || !alone && (shown == "exit" || shown == "rc") {
		return nil, false
	}
	return fmt.Errorf("it has %s, which means something in the line of a persistent hook alone; exit with that code, "+
		"or print an answer: %s", strong, ValidWords), alone
}

// isExitCode reports whether a value is a number from 0 to 255, or a string of digits.
func isExitCode(v gjson.Result) bool {
	if v.Type == gjson.String {
		text := strictjson.Text(v.Raw)
		return text != "" && strings.Trim(text, "0123456789") == ""
	}
	return v.Type == gjson.Number && v.Num == float64(int(v.Num)) && v.Num >= 0 && v.Num <= 255
}

// nonZero reports whether a value is an exit code other than 0.
func nonZero(v gjson.Result) bool {
	switch v.Type {
	case gjson.Number:
		return v.Num != 0
	case gjson.String:
		text := strings.TrimPrefix(strictjson.Text(v.Raw), "-")
		return strings.Trim(text, "0123456789") == "" && strings.Trim(text, "0") != ""
	}
	return false
}
