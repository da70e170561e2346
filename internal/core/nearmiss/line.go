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
	"github.com/hookrun/hookrun/protocol"
)

// ReadLine replaces a persistent hook's line in Stdout by the result that a process for this call alone would have had.
// The line is a JSON object with the keys of an answer and, optionally, "id" (of the call), "exit_code", and "stdout"
// and "stderr" as strings. "stdout" stands for the whole output, so a line with "stdout" has no keys of an answer.
//
// For any other line, including an empty line and an object with only unknown keys, ReadLine sets ProtocolError,
// because a process that reports its own failure did not approve.
func ReadLine(r *dialect.HookResult) {
	line := strings.TrimSpace(r.Stdout.All())
	if r.Stdout.LeftOut() > 0 {
		r.ProtocolError = "its line is too long: " + dialect.KeptStdout
		return
	}
	if err := readLine(r, line); err != nil {
		r.ProtocolError = err.Error()
	}
}

func readLine(r *dialect.HookResult, line string) error {
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
	var rest []byte // of the line, without the keys of the process
	var err error
	stdout := ""
	code, hasStdout, hasRest, lineStderr := 0, false, false, false
	for key, value := range gjson.Parse(line).ForEach {
		switch name := strictjson.Text(key.Raw); {
		case name == "id" && r.CallID != "":
			if id := gjson.Parse(r.CallID); id.Type != value.Type || id.String() != value.String() {
				err = fmt.Errorf(`it has "id": %s, and the call has %s; answer each call with the id that it has`,
					spelling.Brief(value.Raw, 40), spelling.Brief(r.CallID, 40))
			}
		case name == "exit_code":
			code, err = readExitCode(value)
		case name == "stdout":
			hasStdout = value.Type != gjson.Null
			err = dialect.ReadText(name, value, &stdout)
		case name == "stderr":
			var text string
			if err = dialect.ReadText(name, value, &text); text != "" {
				r.Stderr, lineStderr = dialect.Capture{Head: []byte(text), Total: int64(len(text))}, true
			}
		default:
			if meant := suggestLineKey(name, value); meant != "" {
				return fmt.Errorf("it has %q, which is no key of a line; did you mean %q?", name, meant)
			}
			if hasRest {
				rest = append(rest, ',')
			}
			rest = append(append(append(rest, key.Raw...), ':'), value.Raw...)
			hasRest = true
		}
		if err != nil {
			return err
		}
	}
	switch {
	case hasStdout && hasRest:
		return errors.New(`beside "stdout" there is another answer in the line; put all of it into one of the two`)
	case hasStdout:
		r.Stdout = dialect.Capture{Head: []byte(stdout), Total: int64(len(stdout))}
	case hasRest:
		rest = append(append([]byte{'{'}, rest...), '}')
		if code == 0 && !hasAnswerKey(rest) {
			return errors.New(NoAnswerKey + `; {"stdout": "…"} is a text`)
		}
		r.Stdout, r.LineObject = dialect.Capture{Head: rest, Total: int64(len(rest))}, true
	default:
		r.Stdout = dialect.Capture{}
	}
	r.ExitCode = code
	r.Line, r.LineNote = true, lineStderr
	return nil
}

// WarnOfStderr warns if a persistent hook's line, with LineNote, has "stderr" and exit code 0. A process may write to
// stderr and exit with 0, but the author of such a line may have meant the reason of a deny.
func WarnOfStderr(r *dialect.HookResult, who string, v dialect.Verdict) dialect.Verdict {
	if v.Decision == protocol.Continue && !v.Approved && r.ExitCode == 0 && r.Stderr.Text() != "" {
		v.Warnings = append(v.Warnings, who+` has "stderr" in its line and no "exit_code" but 0, which denies `+
			`nothing; `+
			`to deny add "exit_code": 2, and write notes to stderr itself`)
	}
	return v
}

// NoAnswerKey is the message for output without a key of an answer. A hook without anything to say prints {}.
const NoAnswerKey = `it is no JSON object with a key of an answer, as {"decision": "block", "reason": "…"}; {} says ` +
	"nothing"

// lineKeys are the answer keys of all clients that package nearmiss does not look for. Each dialect looks for its own
// keys afterwards.
var lineKeys = []string{"async", "asyncTimeout", "terminalSequence", "cancel", "errorMessage", "contextModification",
	"overrideInput", "permission", "user_message", "agent_message", "updated_input", "updated_mcp_tool_output",
	"additional_context", "followup_message", "behavior", "message", "interrupt", "modifiedArgs", "modifiedResult",
	"modifiedPrompt", "inject", "metadata", "hook_errors", "args", "output", "context", "stop", "tool_input"}

// hasAnswerKey reports whether an object has an answer key of any client, or a similar key.
func hasAnswerKey(object []byte) bool {
	for key := range gjson.ParseBytes(object).ForEach {
		if name := strictjson.Text(key.Raw); slices.Contains(lineKeys, name) || slices.Contains(Keys(), name) {
			return true
		}
	}
	return len(Scan(string(object))) > 0
}

// suggestLineKey returns the process key that name resembles, or "".
func suggestLineKey(name string, value gjson.Result) string {
	word := Letters(name)
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
		return 0, dialect.WrongType("exit_code", "a number from 0 to 255", value)
	}
	return int(code), nil
}
