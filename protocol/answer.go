package protocol

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
)

// answer is Claude Code's hook output (2.1.329), as far as hookrun acts on it.
type answer struct {
	decided       bool // decision or permissionDecision was there
	decision      Decision
	reason        string
	stop          bool
	stopReason    string
	systemMessage string
	context       string
	updatedInput  []byte
	updatedOutput []byte
	unknown       []string // keys of hookSpecificOutput
	misspelt      []string // keys that differ from one of an answer by case or by _, or mean one elsewhere
}

// The words for a decision: at the top level Claude Code's first ones, in hookSpecificOutput today's.
var (
	decisionWords   = words{{"approve", Continue}, {"block", Block}}
	permissionWords = words{{"allow", Continue}, {"deny", Block}, {"ask", Ask}, {"defer", Defer}}
)

type words []struct {
	word string
	says Decision
}

func (all words) find(word string) (d Decision, ok bool) {
	for _, w := range all {
		if w.word == word {
			return w.says, true
		}
	}
	return Block, false
}

// misplaced are keys that mean something in hookSpecificOutput only. Claude Code ignores them at the top level, and
// so the deny of a guard whose author mixed the two up.
var misplaced = []string{"permissionDecision", "updatedInput", "updatedToolOutput"}

// blocking are the keys that block.
var blocking = []string{"decision", "continue", "hookSpecificOutput", "permissionDecision"}

// parseAnswer reads what a hook printed as an answer. Text that does not start with '{', and an object without any
// key of an answer, is no answer but plain text: is is false. The empty object is an answer that says nothing.
// An error means that the hook tried to answer and cannot be understood.
// Of an answer that was cut nothing counts.
func parseAnswer(text string, cut bool) (a answer, is bool, err error) {
	a.decision = Continue
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")) // a byte order mark is white space to Claude Code
	if !strings.HasPrefix(text, "{") {
		return a, false, nil
	}
	if cut {
		return a, true, errors.New("it is too long: 1 MiB of output is kept")
	}
	if faults := strictjson.Check(text, maxInputDepth); len(faults) > 0 {
		line, col := strictjson.Position(text, faults[0].Offset)
		return a, true, fmt.Errorf("line %d, column %d: %s", line, col, faults[0].Text)
	}
	keys, known, lost := 0, 0, ""
	rewrites, echoes := false, false // as Universal Agent's hooks do; what prints a whole hook input does not
	gjson.Parse(text).ForEach(func(key, value gjson.Result) bool {
		keys++
		known++
		switch name := key.String(); name {
		case "continue":
			var goOn = true
			err = readBool(name, value, &goOn)
			a.stop = !goOn
		case "stopReason":
			err = readText(name, value, &a.stopReason)
		case "systemMessage":
			err = readText(name, value, &a.systemMessage)
		case "reason":
			err = readText(name, value, &a.reason)
		case "suppressOutput":
			err = readBool(name, value, new(bool))
		case "terminalSequence":
			err = readText(name, value, new(string))
		case "decision":
			err = a.decide(name, value, decisionWords)
		case "hookSpecificOutput":
			err = a.specific(value)
		default:
			known--
			if slices.Contains(misplaced, name) {
				lost = name
			}
			rewrites = rewrites || name == "tool_input"
			echoes = echoes || name == "hook_event_name"
			letters := strings.ReplaceAll(name, "_", "")
			if i := slices.IndexFunc(blocking, func(key string) bool { return strings.EqualFold(key, letters) }); i >= 0 {
				a.misspelt = append(a.misspelt, fmt.Sprintf("%q for %q", name, blocking[i]))
			}
		}
		return err == nil
	})
	if rewrites && !echoes {
		a.misspelt = append(a.misspelt, `"tool_input" for "updatedInput" in "hookSpecificOutput"`)
	}
	switch {
	case err != nil:
		return a, true, err
	case lost != "":
		return a, true, fmt.Errorf("%s belongs in hookSpecificOutput", lost)
	}
	return a, known > 0 || keys == 0, nil
}

// specific reads hookSpecificOutput. Its hookEventName is not compared with the event: a hook that was written for
// another moment and still says deny means it.
func (a *answer) specific(object gjson.Result) (err error) {
	if object.Type == gjson.Null {
		return nil
	}
	if !object.IsObject() {
		return wrongType("hookSpecificOutput", "an object", object)
	}
	object.ForEach(func(key, value gjson.Result) bool {
		switch name := key.String(); name {
		case "hookEventName":
		case "decision":
			err = errors.New("decision belongs at the top level, not in hookSpecificOutput")
		case "permissionDecision":
			err = a.decide(name, value, permissionWords)
		case "permissionDecisionReason":
			var reason string
			if err = readText(name, value, &reason); reason != "" {
				a.reason = reason
			}
		case "additionalContext":
			err = readText(name, value, &a.context)
		case "updatedInput":
			if value.Type != gjson.Null && !value.IsObject() {
				err = wrongType(name, "an object", value)
			} else if value.IsObject() {
				a.updatedInput = strictjson.Compact(nil, value.Raw)
			}
		case "updatedToolOutput", "updatedMCPToolOutput":
			if value.Type != gjson.Null {
				a.updatedOutput = strictjson.Compact(nil, value.Raw)
			}
		default:
			a.unknown = append(a.unknown, name)
		}
		return err == nil
	})
	return err
}

// decide takes a decision; of several the strictest counts.
func (a *answer) decide(name string, value gjson.Result, known words) error {
	var word string
	if err := readText(name, value, &word); err != nil || value.Type == gjson.Null {
		return err
	}
	d, ok := known.find(word)
	if !ok {
		return fmt.Errorf("%s %q does not exist", name, word)
	}
	a.decided = true
	a.decision = min(a.decision, d)
	return nil
}

// readText and readBool take null for a key that is not there, as many JSON writers print it. Nothing else is converted.
func readText(name string, value gjson.Result, into *string) error {
	switch value.Type {
	case gjson.Null:
	case gjson.String:
		*into = strictjson.Text(value.Raw)
	default:
		return wrongType(name, "a string", value)
	}
	return nil
}

func readBool(name string, value gjson.Result, into *bool) error {
	switch value.Type {
	case gjson.Null:
	case gjson.True, gjson.False:
		*into = value.Bool()
	default:
		return wrongType(name, "true or false", value)
	}
	return nil
}

func wrongType(name, want string, value gjson.Result) error {
	raw := value.Raw
	if len(raw) > 40 {
		raw = lossy(raw[:40]) + "…"
	}
	return fmt.Errorf("%s must be %s, not %s", name, want, raw)
}

// warnings say what of the answer was not read.
func (a *answer) warnings(who string) (texts []string) {
	for _, m := range a.misspelt {
		texts = append(texts, who+" has "+m+" in its JSON, which was therefore not read")
	}
	for _, key := range a.unknown {
		texts = append(texts, fmt.Sprintf("%s answered with %q in hookSpecificOutput, which hookrun does not know; ignored", who, key))
	}
	return texts
}
