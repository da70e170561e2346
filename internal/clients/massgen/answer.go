package massgen

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// hookResult has the parts of MassGen's HookResult that hookrun acts on.
type hookResult struct {
	denied, asks bool
	reason       string
	args         []byte // JSON: the tool's new arguments
	inject       string
	strategy     string
	errors       []string
	importError  bool // the function of the hook was not found
	warnings     []string
}

// readHookResult reads a HookResult by MassGen's rules: a missing key has its default, and unknown keys mean nothing.
// An unknown decision is an error, although MassGen takes it for allow. Beside an error, denied and asks still count.
func readHookResult(text string) (a hookResult, err error) {
	switch {
	case text == "":
		return a, errors.New("it printed nothing; print {} to allow")
	case !strings.HasPrefix(text, "{"):
		return a, errors.New("it did not print a JSON object")
	}
	faults := strictjson.Check(text, strictjson.MaxDepth)
	if len(faults) > 0 && faults[0].Kind == strictjson.Syntax {
		if known, is := withoutNaN(text); is {
			text, err = known, errors.New("NaN and Infinity, which Python prints, are no JSON; print null or a text")
			faults = strictjson.Check(text, strictjson.MaxDepth)
		}
	}
	if len(faults) > 0 {
		line, col := strictjson.Position(text, faults[0].Offset)
		err = fmt.Errorf("its answer, line %d, column %d: %s", line, col, faults[0].Text)
		if faults[len(faults)-1].Kind != strictjson.Duplicate {
			return a, err
		}
	}
	modified, metadataReason := false, ""
	for key, value := range gjson.Parse(text).ForEach {
		var wrong error
		switch name := strictjson.Text(key.Raw); name {
		case "allowed":
			a.denied = a.denied || falsy(value)
		case "decision":
			wrong = a.decide(value)
		case "reason":
			a.reason = pythonText(value)
		case "metadata":
			metadataReason = pythonText(value.Get("reason"))
			a.importError = value.Get("import_error").Type == gjson.True
		case "modified_args": // JSON in a string; older than updated_input, and overrides it
			var args string
			if wrong = dialect.ReadText(name, value, &args); value.Type == gjson.String {
				a.args, modified = argsOf(args), true
			}
		case "updated_input":
			switch {
			case value.Type == gjson.Null:
			case !value.IsObject():
				wrong = dialect.WrongType(name, "an object", value)
			case !modified:
				a.args = strictjson.Compact(nil, value.Raw)
			}
		case "inject":
			a.readInject(value)
		case "hook_errors":
			for _, v := range value.Array() { // null has no elements
				a.errors = append(a.errors, strictjson.ValueText([]byte(v.Raw)))
			}
		}
		if err == nil {
			err = wrong
		}
	}
	if a.reason == "" {
		a.reason = metadataReason
	}
	a.importError = a.importError && a.denied && a.reason != ""
	return a, err
}

// withoutNaN replaces by null the words that Python's json module reads and writes beside JSON. found reports whether
// the text had any.
func withoutNaN(text string) (plain string, found bool) {
	var b strings.Builder
	inText := false
	for i := 0; i < len(text); i++ {
		if c := text[i]; c == '"' {
			inText = !inText
		} else if c == '\\' && inText && i+1 < len(text) {
			b.WriteByte(c)
			i++
		} else if !inText {
			if word := nanWord(text[i:]); word != "" {
				b.WriteString("null")
				i += len(word) - 1
				found = true
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String(), found
}

func nanWord(text string) string {
	for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
		if strings.HasPrefix(text, word) {
			return word
		}
	}
	return ""
}

// falsy reports whether Python takes a value for false.
func falsy(v gjson.Result) bool {
	switch {
	case v.Type == gjson.Number:
		return v.Num == 0
	case v.Type == gjson.String:
		return strictjson.Text(v.Raw) == ""
	case v.Type == gjson.JSON:
		return strings.TrimSpace(v.Raw[1:len(v.Raw)-1]) == ""
	}
	return v.Type != gjson.True
}

// pythonText returns a text as it is, "" for a value that is false in Python, and any other value as JSON.
func pythonText(v gjson.Result) string {
	if !v.Exists() || falsy(v) {
		return ""
	}
	return strictjson.ValueText([]byte(v.Raw))
}

func (a *hookResult) decide(v gjson.Result) error {
	var word string
	if err := dialect.ReadText("decision", v, &word); err != nil || v.Type == gjson.Null {
		return err
	}
	switch word {
	case "deny":
		a.denied = true
	case "ask":
		a.asks = true
	case "allow":
	default:
		return fmt.Errorf("decision %q does not exist; known are allow, deny, ask", word)
	}
	return nil
}

// argsOf returns a tool's arguments from a text of JSON. Any other text becomes a JSON string, and an empty text {}.
func argsOf(text string) []byte {
	if strings.TrimSpace(text) == "" {
		return []byte("{}")
	}
	same, _, err := strictjson.LastOfEqual(strictjson.Lossy(text), "modified_args")
	if err != nil {
		return strictjson.Quote(text)
	}
	return strictjson.Compact(nil, same)
}

func (a *hookResult) readInject(v gjson.Result) {
	if falsy(v) {
		return
	}
	content := v.Get("content")
	if !v.IsObject() || content.Exists() && content.Type != gjson.String && content.Type != gjson.Null {
		a.warnings = append(a.warnings, `answered with an "inject" that is no {"content": "…", "strategy": "…"}; `+
			`ignored`)
		return
	}
	a.inject, a.strategy = dialect.StringOf(content), dialect.ToolResult
	switch s := v.Get("strategy"); {
	case s.Type == gjson.Null, dialect.StringOf(s) == dialect.ToolResult: // or missing
	case dialect.StringOf(s) == dialect.UserMessage:
		a.strategy = dialect.UserMessage
	default:
		a.warnings = append(a.warnings, fmt.Sprintf("answered with the strategy %s, which does not exist; taken for %s",
			s.Raw, dialect.ToolResult))
	}
}

// verdict turns a HookResult into a verdict. A part that counts only at the other event has no effect, with a warning.
func (a *hookResult) verdict(c *dialect.Call, hook string) dialect.Verdict {
	pre := eventOf(c) == preTool
	v := dialect.OK()
	v.Warnings = a.errors
	who := dialect.MessagePrefix(eventOf(c), hook)
	for _, w := range a.warnings {
		v.Warnings = append(v.Warnings, who+" "+w)
	}
	switch {
	case a.denied:
		v.Decide(protocol.Block, cmp.Or(a.reason, "Denied by hook "+hook))
		if !pre { // a warning records the deny; the other hooks still run and count
			v.Decision = protocol.Continue
			v.Warnings = append(v.Warnings, who+" denied a call that had run, which changes nothing: "+v.Reason)
			v.Reason = ""
		}
	case a.asks && !pre:
		v.Warnings = append(v.Warnings, who+" asked about a call that had run, which changes nothing")
	case a.asks:
		v.Decide(protocol.Ask, cmp.Or(a.reason, "Hook "+hook+" asks for confirmation of this tool call"))
	}
	switch {
	case a.args == nil || v.Decision == protocol.Block:
	case pre:
		if input, _, err := c.Input(); err != nil || string(objectOf(input, c.Args)) != string(a.args) {
			v.UpdatedInput = a.args
		}
	default:
		v.Warnings = append(v.Warnings, who+" answered with new arguments, which mean something before the tool "+
			"only; ignored")
	}
	switch {
	case a.inject == "":
	case pre:
		v.Warnings = append(v.Warnings, who+` answered with "inject", which means something after the tool only; `+
			`ignored`)
	default:
		v.Context, v.Strategy = a.inject, a.strategy
	}
	return v
}
