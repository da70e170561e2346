package massgen

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Decode checks, in this order: the start, the timeout, the signal or exit code, the output. The output of a failed
// hook does not count.
func (hooks) Decode(c *dialect.Call, hook string, r *dialect.HookResult) dialect.Verdict {
	failed := func(cause protocol.Cause, format string, args ...any) dialect.Verdict {
		return dialect.Failed(cause, "Hook "+hook+" failed: "+fmt.Sprintf(format, args...))
	}
	switch {
	case r.Err != nil:
		return dialect.Unstarted("Hook import failed: " + hook + ": " + r.Err.Error())
	case r.TimedOut:
		return dialect.Verdict{Cause: protocol.CauseTimeout, Status: dialect.StatusTimeout, Problem: "Hook " + hook +
			" timed out"}
	case r.ProtocolError != "":
		return failed(protocol.CauseOutput, "%s", r.ProtocolError)
	}
	cause, problem := r.Ended("it")
	switch line := lastLine(r.Stderr.Text()); {
	case cause == protocol.CauseExit && line != "":
		return failed(cause, "%s: %s", problem, line)
	case cause != "":
		return failed(cause, "%s", problem)
	case r.Stdout.LeftOut() > 0:
		return failed(protocol.CauseOutput, "its answer is too long: "+dialect.KeptStdout)
	}
	a, err := readHookResult(r.Stdout.Text())
	switch {
	case err != nil && !a.denied && !a.asks:
		return failed(protocol.CauseOutput, "%v", err)
	case err != nil: // the deny or ask is readable, and counts despite the error
		a = hookResult{denied: a.denied, asks: a.asks, reason: a.reason,
			warnings: []string{"answered with JSON that is not right: " + err.Error()}}
	case a.importError:
		return dialect.Unstarted(a.reason)
	}
	v := a.verdict(c, hook)
	if err := doubt(r.Stdout.Text()); err != nil && v.Decision == protocol.Continue {
		v.Doubt = dialect.Doubted(dialect.MessagePrefix(eventOf(c), hook), "MassGen", err)
	}
	return v
}

// noResult is a key by which hookrun's own caller of Python functions reports a result that is no HookResult.
const noResult = "hookrun_no_result"

// knownKeys are the keys of a HookResult.
var knownKeys = []string{"allowed", "decision", "reason", "metadata", "modified_args", "updated_input", "inject",
	"hook_errors"}

// doubt returns an error if a HookResult that allows the call may have been meant to deny it.
func doubt(text string) error {
	decides := false
	var wrong error
	object := gjson.Parse(text)
	for key, value := range object.ForEach {
		name := strictjson.Text(key.Raw)
		switch {
		case name == noResult:
			wrong = fmt.Errorf("the function returned %s, which is no HookResult",
				strictjson.ValueText([]byte(value.Raw)))
		case name == "allowed" && !value.IsBool(): // a value that is false in Python has denied already
			wrong = dialect.WrongType(name, "true or false", value)
		}
		decides = decides || (name == "allowed" || name == "decision") && value.Type != gjson.Null
	}
	if wrong != nil {
		return wrong
	}
	if code, _ := nearmiss.ExitCodeIn(object); code != nil {
		return code
	}
	for _, s := range nearmiss.Scan(text) {
		switch s.Key {
		case "reason":
			if s.Place == nearmiss.Top && !decides && s.Value != `""` {
				return errors.New(`it has a reason and no decision; add "decision": "deny", or "allow"`)
			}
		case "systemMessage", "suppressOutput", "additionalContext": // texts, which deny nothing
		default:
			if s.Place != nearmiss.Top || !slices.Contains(knownKeys, s.Key) {
				return fmt.Errorf(`it has %s, which MassGen does not know; it says no with "decision": "deny" or `+
					`"allowed": false`, s)
			}
		}
	}
	return nil
}

// lastLine returns the last line of stderr, where Python prints the error.
func lastLine(text string) string {
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}
