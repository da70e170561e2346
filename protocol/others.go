package protocol

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/nearmiss"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// Hooks run other programs and print what these say: compilers, linters and tests, whose output is often JSON. It is text as
// long as nothing in it is an answer.

// begun reports whether one of the signs begins an answer: it stands at the top level of a value that is no report.
func begun(signs []nearmiss.Sign) bool {
	return slices.ContainsFunc(signs, func(s nearmiss.Sign) bool { return s.Place != nearmiss.Inside && !s.Report })
}

func isReport(s nearmiss.Sign) bool { return s.Report }

// isOutputOfOthers reports whether a text that begins with a brace is more than one JSON value: values behind each other or on lines of
// their own, with lines of text between them, or one that has a key twice. Each value is whole. The empty object is an answer,
// so it is none of these values. cut: something is left out in the middle, so only the first value is looked at.
func isOutputOfOthers(text string, cut bool) bool {
	for first := true; text != ""; first = false {
		end := 0
		if text[0] != '{' {
			if end = strings.IndexAny(text, "\n\r"); end < 0 {
				return true
			}
		} else if end = endOfFirst(text); end == 0 {
			return false
		} else if strings.TrimSpace(text[1:end-1]) == "" {
			return false
		}
		rest := text[end:]
		switch {
		case first && rest == "":
			return strictjson.Check(text, maxInputDepth) != nil
		case first && !strings.ContainsAny(rest[:1], " \t\r\n{"):
			return false
		case cut:
			return true
		}
		text = strings.TrimSpace(rest)
	}
	return true
}

// endOfFirst is where the JSON value ends that a text begins with; 0 if that value is broken.
func endOfFirst(text string) int {
	d := json.NewDecoder(strings.NewReader(text))
	var first json.RawMessage
	if d.Decode(&first) != nil {
		return 0
	}
	for _, fault := range strictjson.Check(string(first), maxInputDepth) {
		if fault.Kind != strictjson.Duplicate {
			return 0
		}
	}
	return int(d.InputOffset())
}

// Keys for the exit code of a process. The weak ones have other meanings, too, and count beside stderr alone.
var (
	codeKeys     = []string{"exitcode", "returncode", "exitstatus", "returnstatus", "exit", "rc"}
	weakCodeKeys = []string{"code", "status", "ret", "errorcode", "statuscode"}
	processKeys  = []string{"stdout", "stderr", "output", "reason", "message", "msg", "error", "signal"}
)

// exitCodeIn returns what is wrong with an object that has an exit code other than 0: only the line of a persistent hook can have one.
// alone: the object has nothing but what a process leaves behind, so it may have been meant as such a line.
func exitCodeIn(object gjson.Result) (wrong error, alone bool) {
	if !object.IsObject() {
		return nil, false
	}
	alone = true
	var strong, weak, shown string
	stderr := false
	object.ForEach(func(key, value gjson.Result) bool {
		name := strictjson.Text(key.Raw)
		word := letters(name)
		switch {
		case value.Type == gjson.Null:
		case slices.Contains(codeKeys, word) && failed(value):
			strong = fmt.Sprintf("%q: %s", name, spelling.Brief(value.Raw, 20))
			shown = word
		case slices.Contains(weakCodeKeys, word) && failed(value):
			weak = fmt.Sprintf("%q: %s", name, spelling.Brief(value.Raw, 20))
		case slices.Contains(processKeys, word):
			stderr = stderr || word == "stderr"
		default:
			alone = false
		}
		return true
	})
	if strong == "" && stderr && alone {
		strong = weak
	}
	if strong == "" || !alone && (shown == "exit" || shown == "rc") {
		return nil, false
	}
	return fmt.Errorf("it has %s, which means something in the line of a persistent hook alone; exit with that code, "+
		"or print an answer: %s", strong, validWords), alone
}

// failed reports whether a value is an exit code other than 0.
func failed(v gjson.Result) bool {
	switch v.Type {
	case gjson.Number:
		return v.Num != 0
	case gjson.String:
		text := strings.TrimPrefix(strictjson.Text(v.Raw), "-")
		return strings.Trim(text, "0123456789") == "" && strings.Trim(text, "0") != ""
	}
	return false
}
