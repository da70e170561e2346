package crush

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// validWords shows the answers that block, for messages.
const validWords = `an answer that blocks is {"decision": "deny", "reason": "…"}, or exit 2 with the reason on stderr`

// answer has the parts of a hook's JSON that the client reads.
type answer struct {
	word, reason, context string
	halts                 bool
	patch                 gjson.Result // an object with the changed keys of the tool's input
	lost                  error        // about a part that the client ignores
}

// fields are the top-level fields of an answer, and claudeFields the fields of hookSpecificOutput, which replaces them.
// One value of a wrong type makes the whole answer void.
var (
	fields = []dialect.Field{"version integer", "decision string", "halt boolean", "reason string", "context any",
		"updated_input any"}
	claudeFields = []dialect.Field{"permissionDecision string", "permissionDecisionReason string",
		"additionalContext string", "updatedInput any"}
)

// readAnswer reads an object as Go does: case does not matter, the last of equal keys counts, and null leaves a text
// unchanged. Beside hookSpecificOutput no other field counts.
func readAnswer(object gjson.Result) (a answer) {
	specific := dialect.LastOf(object)["hookSpecificOutput"]
	if specific.Exists() {
		if a.lost = ignoredBeside(object); specific.Type == gjson.Null {
			return a
		}
		in, err := readFields(specific, claudeFields)
		if err != nil {
			return answer{lost: err}
		}
		a.word, a.reason = strings.ToLower(dialect.StringOf(in["permissionDecision"])),
			dialect.StringOf(in["permissionDecisionReason"])
		a.context, a.patch = dialect.StringOf(in["additionalContext"]), in["updatedInput"]
	} else {
		in, err := readFields(object, fields)
		if err != nil {
			return answer{lost: err}
		}
		a.word, a.reason = strings.ToLower(dialect.StringOf(in["decision"])), dialect.StringOf(in["reason"])
		a.context, a.lost = contextOf(in["context"])
		a.halts, a.patch = in["halt"].Bool(), in["updated_input"]
		if text := dialect.StringOf(a.patch); text != "" {
			a.patch = gjson.Result{}
			if v, is := client.JSONValue(strings.TrimSpace(text)); is && v.IsObject() {
				a.patch = v
			} else {
				a.lost = errors.New(`"updated_input" is a text that is no JSON object`)
			}
		}
	}
	if !a.patch.IsObject() {
		if a.patch.Type != gjson.Null && a.patch.Raw != `""` {
			a.lost = errors.New("the changed input is no object")
		}
		a.patch = gjson.Result{}
	}
	return a
}

// ignoredBeside returns an error about a decision beside hookSpecificOutput, where it does not count.
func ignoredBeside(object gjson.Result) error {
	in, err := readFields(object, fields)
	if err == nil && (dialect.StringOf(in["decision"]) != "" || in["halt"].Bool()) {
		return fmt.Errorf(`it has "hookSpecificOutput", and beside that no decision counts; %s`, validWords)
	}
	return err
}

// readFields returns the known fields of an object.
func readFields(object gjson.Result, known []dialect.Field) (in map[string]gjson.Result, err error) {
	if !object.IsObject() {
		return nil, dialect.WrongType("hookSpecificOutput", "an object", object)
	}
	in = map[string]gjson.Result{}
	for key, value := range object.ForEach {
		name := strictjson.Text(key.Raw)
		at := slices.IndexFunc(known, func(f dialect.Field) bool { return strings.EqualFold(f.Key(), name) })
		switch {
		case at < 0 || value.Type == gjson.Null && known[at].Type() != "any":
		case known[at].Type() == "integer":
			if strings.Trim(value.Raw, "-0123456789") != "" {
				err = dialect.WrongType(name, "a whole number", value)
			}
		default:
			if wrong := client.CheckType(known[at], value, ""); wrong != nil {
				err = wrong
			}
			in[known[at].Key()] = value
		}
	}
	return in, err
}

// contextOf reads a text or a list of texts.
func contextOf(v gjson.Result) (text string, lost error) {
	var texts []string
	for _, line := range v.Array() {
		if v.IsArray() && line.Type != gjson.String && line.Type != gjson.Null {
			return "", dialect.WrongType("context", "a text or a list of texts", v)
		}
		if text := dialect.StringOf(line); text != "" {
			texts = append(texts, text)
		}
	}
	if v.Type != gjson.Null && v.Type != gjson.String && !v.IsArray() {
		lost = dialect.WrongType("context", "a text or a list of texts", v)
	}
	return strings.Join(texts, "\n"), lost
}

// doubt returns an error if an answer that does not block may have been meant as a block.
func (a *answer) doubt(object gjson.Result) error {
	switch {
	case a.lost != nil:
		return a.lost
	case a.word != "" && a.word != "allow":
		return fmt.Errorf("the decision %q does not exist, and the tool runs; %s", a.word, validWords)
	case a.word == "" && a.reason != "":
		return fmt.Errorf("it has a reason and no decision; %s", validWords)
	case dialect.LastOf(object)["continue"].Type == gjson.False:
		return errors.New(`"continue": false means nothing; {"halt": true, "reason": "…"} ends the turn`)
	}
	var others strictjson.Fields // without the client's own keys, which resemble other clients' keys
	seen, twice := map[int]string{}, ""
	for key, value := range object.ForEach {
		name := strictjson.Text(key.Raw)
		at := slices.IndexFunc(fields, func(f dialect.Field) bool { return strings.EqualFold(f.Key(), name) })
		switch {
		case at < 0:
			others.Set(name, []byte(value.Raw))
		case seen[at] != "" && seen[at] != name:
			twice = name
		default:
			seen[at] = name
		}
	}
	if twice != "" {
		return fmt.Errorf("it has %q once more, in other letters, and the last counts", twice)
	}
	var known []string
	for _, f := range claudeFields {
		known = append(known, f.Key())
	}
	return nearmiss.MisspelledBlock(gjson.ParseBytes(dialect.ObjectOf(others)), validWords, known...)
}
