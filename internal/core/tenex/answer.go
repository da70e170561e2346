package tenex

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// answer has the parts of Claude Code's hook output (2.1.329) that hookrun acts on.
type answer struct {
	decided       bool // the answer has decision or permissionDecision
	decision      protocol.Decision
	reason        string
	stop          bool
	stopReason    string
	systemMessage string
	context       string
	updatedInput  []byte
	updatedOutput []byte
	clientKeys    []string // keys of hookSpecificOutput that only clients know
	unknownKeys   []string // keys that no client knows
	ignoredKeys   []string // such keys beside a decision that counts, as shown in a warning
	doubts        []string // parts of plain text that may have been meant as an answer
	// the JSON is text, with the reason of another program; beside an exit code that blocks, this reason counts
	report bool
}

// decisionWords are Claude Code's older words for a decision, for the top level. hookSpecificOutput has today's words.
var decisionWords = dialect.Words{{"approve", protocol.Continue}, {"block", protocol.Block}}

// parseAnswer reads the output of a hook as an answer, by the rule of docs/reference/hook-protocol.md. isAnswer is
// false for plain text. err is nil if the text is one whole answer; the empty object is an answer without an effect. An
// error means that the hook answered, or may have tried to, and the answer cannot be understood.
//
// A deny, ask or defer counts despite unknown keys, with a warning. In an unreadable answer a stop counts.
func parseAnswer(text string, cut bool) (a answer, isAnswer bool, err error) {
	a.decision = protocol.Continue
	whole := text
	// a byte order mark is white space to Claude Code
	text = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), "\ufeff"))
	if text == "" {
		return a, false, nil
	}
	if !strings.HasPrefix(text, "{") {
		a.doubts, err = nearmiss.StrayAnswer(whole)
		return a, err != nil, err
	}
	line := text
	if strings.IndexByte(text, 0xc2) >= 0 || strings.IndexByte(text, 0xe2) >= 0 { // the first bytes of these characters
		line = strings.Map(inLine, text)
	}
	signs := nearmiss.Scan(line)
	if !slices.ContainsFunc(signs, nearmiss.Sign.CanBeginAnswer) && isOutputOfOthers(text, cut) {
		a.doubts = nearmiss.NestedKeys(signs)
		return a, false, nil
	}
	if cut {
		return a, true, errors.New("it is too long: " + dialect.KeptStdout)
	}
	if err := faultOf(text, whole); err != nil {
		return a, true, err
	}
	return a.parseObject(gjson.Parse(text), signs)
}

// faultOf returns an error if a text is not valid JSON.
func faultOf(text, whole string) error {
	faults := strictjson.Check(text, strictjson.MaxDepth)
	if len(faults) == 0 {
		return nil
	}
	line, col := strictjson.Position(text, faults[0].Offset)
	if faults[0].Kind != strictjson.Syntax {
		return fmt.Errorf("line %d, column %d: %s", line, col, faults[0].Text)
	}
	why := faults[0].Text
	if strictjson.EndOfFirst(text, strictjson.MaxDepth) > 0 {
		why = "there is something behind the JSON"
	}
	return fmt.Errorf("line %d, column %d: %s; %s", line, col, why, nearmiss.PrintAlone(whole))
}

// parseObject reads an object as an answer. signs are the signs in its text.
func (a *answer) parseObject(o gjson.Result, signs []nearmiss.Sign) (_ answer, isAnswer bool, err error) {
	keys, known, err := a.top(o)
	near := nearmiss.FirstMeaningless(signs)
	code, alone := nearmiss.ExitCodeIn(o)
	report := slices.ContainsFunc(signs, func(s nearmiss.Sign) bool { return s.Report })
	switch {
	case keys == 0:
		return *a, true, nil
	case code != nil && alone && (known == 0 || report):
		return *a, true, doubtful{code}
	case report && onlyReasons(o):
		a.doubts, a.report = nearmiss.NestedKeys(signs), true
		return *a, false, nil
	case known == 0 && near == nil && err == nil: // JSON without a word of any client
		if a.doubts = nearmiss.NestedKeys(signs); code != nil {
			a.doubts = append(a.doubts, "printed JSON that was taken for text: "+code.Error())
		}
		return *a, false, nil
	case err != nil:
		return *a, true, err
	case a.decision != protocol.Continue:
		a.noteIgnored(signs)
		return *a, true, nil
	}
	if err = a.incomplete(o, near); err != nil {
		err = doubtful{err}
	}
	return *a, true, err
}

// noteIgnored notes the ignored keys beside a decision that counts.
func (a *answer) noteIgnored(signs []nearmiss.Sign) {
	var slips []string
	for _, s := range signs {
		if s.Kind != nearmiss.Exact {
			slips = append(slips, s.Key)
			if s.Place != nearmiss.Nested {
				a.ignoredKeys = append(a.ignoredKeys, s.String())
			}
		}
	}
	for _, key := range a.unknownKeys {
		if !slices.Contains(slips, key) {
			a.ignoredKeys = append(a.ignoredKeys, fmt.Sprintf("%q", spelling.Brief(key, 40)))
		}
	}
}

// incomplete returns an error if an answer that lets the call go on is not whole. near is a key in the answer that may
// be meant as another key.
func (a *answer) incomplete(o gjson.Result, near *nearmiss.Sign) error {
	switch {
	case near != nil:
		return nearmiss.UnknownKey(*near, nearmiss.ValidWords)
	case len(a.unknownKeys) > 0:
		return fmt.Errorf("it has %q, which is no key of an answer; take it out, or print it to stderr",
			spelling.Brief(a.unknownKeys[0], 40))
	}
	if wrong := nearmiss.Incomplete(o, nearmiss.ValidWords); wrong != nil {
		return wrong
	}
	if !a.stop && !dialect.Blank(a.stopReason) {
		return errors.New(`it has a stopReason and "continue": true; write "continue": false, or leave it out`)
	}
	return nil
}

// inLine returns a blank for a character that ends a line or controls a terminal in plain text, but is a character of a
// string in JSON.
func inLine(r rune) rune {
	if r >= 0x80 && r <= 0x9f || r == '\u2028' || r == '\u2029' {
		return ' '
	}
	return r
}

// onlyReasons reports whether an object has no keys of an answer except reasons. The check needs the object, because
// package nearmiss may miss keys.
func onlyReasons(object gjson.Result) bool {
	for key := range object.ForEach {
		if name := key.String(); slices.Contains(nearmiss.Keys(), name) && name != "reason" && name != "stopReason" {
			return false
		}
	}
	return true
}

// doubtful is the error of a readable answer that leaves open whether the call may go on. Beside an exit code that
// blocks, the answer counts.
type doubtful struct{ error }

// top reads the top level of an answer. keys is the number of all keys, known of the keys that answers have.
func (a *answer) top(object gjson.Result) (keys, known int, err error) {
	lost := ""
	for key, value := range object.ForEach {
		keys++
		known++
		var wrong error
		switch name := key.String(); name {
		case "continue":
			var goOn = true
			wrong = readBool(name, value, &goOn)
			a.stop = !goOn
		case "stopReason":
			wrong = dialect.ReadText(name, value, &a.stopReason)
		case "systemMessage":
			wrong = dialect.ReadText(name, value, &a.systemMessage)
		case "reason":
			wrong = dialect.ReadText(name, value, &a.reason)
		case "suppressOutput":
			wrong = readBool(name, value, new(bool))
		case "terminalSequence":
			wrong = dialect.ReadText(name, value, new(string))
		case "decision":
			wrong = a.decide(name, value, decisionWords)
		case "hookSpecificOutput":
			wrong = a.specific(value)
		default:
			known--
			if slices.Contains(dialect.Misplaced, name) && value.Type != gjson.Null {
				lost = name
			} else if !slices.Contains(nearmiss.Keys(), name) || value.Type != gjson.Null {
				a.unknownKeys = append(a.unknownKeys, name)
			}
		}
		if err == nil {
			err = wrong
		}
	}
	if err == nil && lost != "" {
		err = fmt.Errorf("%s belongs in hookSpecificOutput", lost)
	}
	return keys, known, err
}

// specific reads hookSpecificOutput. Its hookEventName is not compared with the event, because a hook written for
// another event still means its deny.
func (a *answer) specific(object gjson.Result) (err error) {
	if object.Type == gjson.Null {
		return nil
	}
	if !object.IsObject() {
		return dialect.WrongType("hookSpecificOutput", "an object", object)
	}
	object.ForEach(func(key, value gjson.Result) bool {
		switch name := key.String(); name {
		case "hookEventName":
		case "decision":
			if value.Type != gjson.Null {
				err = errors.New("decision belongs beside hookSpecificOutput, not in it")
			}
		case "permissionDecision":
			err = a.decide(name, value, dialect.PermissionWords)
		case "permissionDecisionReason":
			var reason string
			if err = dialect.ReadText(name, value, &reason); reason != "" {
				a.reason = reason
			}
		case "additionalContext":
			err = dialect.ReadText(name, value, &a.context)
		case "updatedInput":
			if value.Type != gjson.Null && !value.IsObject() {
				err = dialect.WrongType(name, "an object", value)
			} else if value.IsObject() {
				a.updatedInput = strictjson.Compact(nil, value.Raw)
			}
		case "updatedToolOutput", "updatedMCPToolOutput":
			if value.Type != gjson.Null {
				a.updatedOutput = strictjson.Compact(nil, value.Raw)
			}
		default:
			if isClientField(name) {
				a.clientKeys = append(a.clientKeys, name)
			} else {
				a.unknownKeys = append(a.unknownKeys, name)
			}
		}
		return err == nil
	})
	return err
}

// decide reads a decision. The strictest of several decisions counts.
func (a *answer) decide(name string, value gjson.Result, known dialect.Words) error {
	var word string
	if err := dialect.ReadText(name, value, &word); err != nil || value.Type == gjson.Null {
		return err
	}
	d, ok := known.Decision(word)
	if !ok {
		return fmt.Errorf("%s %q does not exist; %s", name, word, nearmiss.ValidWords)
	}
	a.decided = true
	a.decision = min(a.decision, d)
	return nil
}

func readBool(name string, value gjson.Result, into *bool) error {
	switch value.Type {
	case gjson.Null:
	case gjson.True, gjson.False:
		*into = value.Bool()
	default:
		return dialect.WrongType(name, "true or false", value)
	}
	return nil
}

// warnings returns warnings about the ignored parts of the answer.
func (a *answer) warnings(who string) (texts []string) {
	for _, key := range a.ignoredKeys {
		texts = append(texts, fmt.Sprintf("%s has %s in its JSON; that was passed over, and the %s counts; %s", who,
			key,
			map[protocol.Decision]string{protocol.Block: "deny", protocol.Ask: "ask",
				protocol.Defer: "defer"}[a.decision], nearmiss.ValidWords))
	}
	for _, key := range a.clientKeys {
		texts = append(texts, fmt.Sprintf("%s answered with %q in hookSpecificOutput, which hookrun does not know; "+
			"ignored", who, key))
	}
	return texts
}

// isClientField reports whether some client's answers have the key in hookSpecificOutput. Keys that count here are read
// before.
func isClientField(key string) bool {
	return slices.Contains(dialect.ClaudeKeys, key) || slices.Contains(dialect.GeminiKeys, key)
}
