package dialect

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect/nearmiss"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// ReadLine takes the one line that a persistent hook printed, which is Stdout, for the result of a process that ran for
// this call alone. The line is a JSON object: what a hook would print, and beside it what it could not print: the "id"
// of the call, "exit_code", and "stdout" and "stderr" as texts. "stdout" stands for the whole of stdout, so there is
// nothing else in the line then.
//
// Whatever is no such line is no answer, also an empty one, and an object that has neither a key of an answer nor of a
// process: a process that reports its own failure did not approve.
func (r *HookResult) ReadLine() {
	line := strings.TrimSpace(r.Stdout.All())
	if r.Stdout.LeftOut() > 0 {
		r.ProtocolError = "its line is too long: " + KeptStdout
		return
	}
	if err := r.readLine(line); err != nil {
		r.ProtocolError = err.Error()
	}
}

func (r *HookResult) readLine(line string) error {
	switch {
	case line == "":
		return errors.New("it ended without an answer; print one line of JSON for each line of input, {} if there " +
			"is nothing to say")
	case strings.ContainsAny(line, "\n\r"):
		return errors.New("it printed more than one line for one call; other texts belong on stderr")
	case !strings.HasPrefix(line, "{"):
		return errors.New("it must be one JSON object on one line; other texts belong on stderr")
	}
	if faults := strictjson.Check(line, strictjson.MaxDepth); len(faults) > 0 {
		return fmt.Errorf("column %d: %s", faults[0].Offset+1, faults[0].Text)
	}
	var rest []byte // of the answer, without what stands for the process
	var err error
	stdout := ""
	code, hasStdout, hasRest, lineStderr := 0, false, false, false
	gjson.Parse(line).ForEach(func(key, value gjson.Result) bool {
		switch name := strictjson.Text(key.Raw); {
		case name == "id" && r.CallID != "":
			if !sameID(value, gjson.Parse(r.CallID)) {
				err = fmt.Errorf(`it has "id": %s, and the call has %s; answer each call with the id that it has`,
					spelling.Brief(value.Raw, 40), spelling.Brief(r.CallID, 40))
			}
		case name == "exit_code":
			code, err = readExitCode(value)
		case name == "stdout":
			hasStdout = value.Type != gjson.Null
			err = ReadText(name, value, &stdout)
		case name == "stderr":
			var text string
			if err = ReadText(name, value, &text); text != "" {
				r.Stderr, lineStderr = Capture{Head: []byte(text), Total: int64(len(text))}, true
			}
		default:
			if meant := lineKeyMeant(name, value); meant != "" {
				err = fmt.Errorf("it has %q, which is no key of a line; did you mean %q?", name, meant)
				return false
			}
			if hasRest {
				rest = append(rest, ',')
			}
			rest = append(append(append(rest, key.Raw...), ':'), value.Raw...)
			hasRest = true
		}
		return err == nil
	})
	switch {
	case err != nil:
		return err
	case hasStdout && hasRest:
		return errors.New(`beside "stdout" there is another answer in the line; put all of it into one of the two`)
	case hasStdout:
		r.Stdout = Capture{Head: []byte(stdout), Total: int64(len(stdout))}
	case hasRest:
		rest = append(append([]byte{'{'}, rest...), '}')
		if code == 0 && !hasAnswerKey(rest) {
			return errors.New(NoAnswerKey + `; {"stdout": "…"} is a text`)
		}
		r.Stdout, r.LineObject = Capture{Head: rest, Total: int64(len(rest))}, true
	default:
		r.Stdout = Capture{}
	}
	r.ExitCode = code
	r.Line, r.LineNote = true, lineStderr
	return nil
}

// sameID reports whether an id is that of the call, however its JSON is written.
func sameID(id, call gjson.Result) bool { return id.Type == call.Type && id.String() == call.String() }

// WarnOfStderr adds a warning about the line of a persistent hook that says something on stderr and does not fail. A
// process that ends with 0 may do so; who writes such a line may have meant the reason of a deny.
func (r *HookResult) WarnOfStderr(who string, v Verdict) Verdict {
	if r.LineNote && v.Decision == protocol.Continue && !v.Approved && r.ExitCode == 0 && r.Stderr.Text() != "" {
		v.Warnings = append(v.Warnings, who+` has "stderr" in its line and no "exit_code" but 0, which denies `+
			`nothing; `+
			`to deny add "exit_code": 2, and write notes to stderr itself`)
	}
	return v
}

// NoAnswerKey says of what a hook printed that it is no answer, where a hook that has nothing to say prints {}.
const NoAnswerKey = `it is no JSON object with a key of an answer, as {"decision": "block", "reason": "…"}; {} says ` +
	"nothing"

// lineKeys are the keys of the answers of all clients that package nearmiss does not look for. Each dialect looks for
// its own afterwards.
var lineKeys = []string{"async", "asyncTimeout", "terminalSequence", "cancel", "errorMessage", "contextModification",
	"overrideInput", "permission", "user_message", "agent_message", "updated_input", "updated_mcp_tool_output",
	"additional_context", "followup_message", "behavior", "message", "interrupt", "modifiedArgs", "modifiedResult",
	"modifiedPrompt", "inject", "metadata", "hook_errors", "args", "output", "context", "stop", "tool_input"}

// hasAnswerKey reports whether an object has a key of any client's answer, or one that may be meant so.
func hasAnswerKey(object []byte) (has bool) {
	gjson.ParseBytes(object).ForEach(func(key, _ gjson.Result) bool {
		name := strictjson.Text(key.Raw)
		has = slices.Contains(lineKeys, name) || slices.Contains(nearmiss.Keys(), name)
		return !has
	})
	return has || len(nearmiss.Scan(string(object))) > 0
}

// lineKeyMeant returns the key that stands for the process and that name may be meant for, "" if there is none.
func lineKeyMeant(name string, value gjson.Result) string {
	word := nearmiss.Letters(name)
	if isExitCode(value) {
		for _, code := range slices.Concat(codeKeys, weakCodeKeys) {
			if word == code || len(word) > 5 && spelling.Distance(word, code) <= 1 {
				return "exit_code"
			}
		}
	}
	for _, key := range []string{"exit_code", "stdout", "stderr"} {
		if spelling.Distance(word, strings.ReplaceAll(key, "_", "")) <= 1 &&
			(value.Type == gjson.String || key == "exit_code") {
			return key
		}
	}
	return ""
}

func readExitCode(value gjson.Result) (int, error) {
	code := value.Num
	switch {
	case value.Type != gjson.Number || code != float64(int(code)) || code < 0 || code > 255:
		return 0, WrongType("exit_code", "a number from 0 to 255", value)
	}
	return int(code), nil
}
