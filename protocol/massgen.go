package protocol

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/nearmiss"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// MassGen is the dialect of MassGen's hook framework: a HookEvent on stdin, a HookResult on stdout. Hooks run one after the
// other, and each sees the arguments that earlier ones left. A deny ends the call; a hook that fails lets pass, unless its
// file says fail_closed, and one that cannot be found never does. Where MassGen's documents and its code differ, the documents
// count; the README has the places.
var MassGen = &Dialect{
	Name:    "massgen",
	Events:  func() []Event { return []Event{massgenPre, massgenPost} },
	Timeout: 30 * time.Second,
	Causes:  []Cause{CauseSignal, CauseUnstarted, CauseTimeout, CauseOutput, CauseExit},
	Failure: func(e Event, cause Cause) Decision {
		if e == massgenPre && cause == CauseUnstarted {
			return Block // MassGen: a configuration error
		}
		return Continue
	},
	Passes:             func(e Event) bool { return e != massgenPre },
	StopsAtBlock:       func(e Event) bool { return e == massgenPre },
	DropContextOnBlock: true,
	LastAskCounts:      true,
	SubjectField:       func(Event) string { return "tool_name" },
	Environment:        massgenEnvironment,
	Event:              massgenEvent,
	Payload:            massgenPayload,
	Judge:              massgenJudge,
}

const massgenPre, massgenPost Event = "PreToolUse", "PostToolUse"

// massgenEvent: hooks of PostToolUse are for tools that ran and did not fail.
func massgenEvent(c *Call) Event {
	switch {
	case c.Event.Canonical() != PostTool:
	case c.Blocked:
		return "" // a moment that MassGen does not have
	case c.Failed, c.Event == "PostToolUseFailure":
		return "PostToolUseFailure"
	}
	return c.Event.Claude()
}

// massgenPayload writes a HookEvent: always the same eight keys.
func massgenPayload(c *Call) (Payload, []string, error) {
	input, warnings, err := massgenInput(c)
	if err != nil {
		return nil, nil, err
	}
	var o object
	o.text("hook_type", string(massgenEvent(c)))
	o.text("session_id", c.SessionID)
	o.text("orchestrator_id", c.OrchestratorID)
	if c.AgentID == "" {
		o.raw("agent_id", []byte("null"))
	} else {
		o.text("agent_id", c.AgentID)
	}
	o.text("timestamp", massgenTime(time.Now()))
	o.text("tool_name", c.Tool)
	o.raw("tool_input", input)
	if c.Event.Canonical() == PostTool {
		o.text("tool_output", c.Result)
	} else {
		o.raw("tool_output", []byte("null"))
	}
	return o.end(), warnings, nil
}

// massgenTime writes a time as Python's datetime.isoformat does: no fraction where it is zero.
func massgenTime(t time.Time) string {
	t = t.UTC().Truncate(time.Microsecond)
	if t.Nanosecond() == 0 {
		return t.Format("2006-01-02T15:04:05-07:00")
	}
	return t.Format("2006-01-02T15:04:05.000000-07:00")
}

// massgenInput: arguments that are no JSON stand in an object of their own.
func massgenInput(c *Call) ([]byte, []string, error) {
	input, warnings, err := c.Input()
	if err != nil {
		return nil, nil, err
	}
	if input[0] == '"' && strictjson.Text(string(input)) == lossy(c.Args) {
		input = append(append([]byte(`{"raw":`), input...), '}')
	}
	return input, warnings, nil
}

func massgenEnvironment(c *Call) []string {
	if c.Event == "" { // of a process that sees many calls
		return nil
	}
	return []string{
		"MASSGEN_HOOK_TYPE=" + string(massgenEvent(c)),
		"MASSGEN_TOOL_NAME=" + c.Tool,
		"MASSGEN_SESSION_ID=" + c.SessionID,
		"MASSGEN_AGENT_ID=" + c.AgentID,
		"MASSGEN_ORCHESTRATOR_ID=" + c.OrchestratorID,
	}
}

// massgenJudge reads, in this order: no start, deadline, signal or exit code, output. What a hook that failed had printed
// counts for nothing.
func massgenJudge(c *Call, hook string, r *Result) Verdict {
	failed := func(cause Cause, format string, args ...any) Verdict {
		return Verdict{Cause: cause, Status: StatusFailed, Problem: "Hook " + hook + " failed: " + fmt.Sprintf(format, args...)}
	}
	switch {
	case r.Err != nil:
		return Verdict{Cause: CauseUnstarted, Status: StatusUnstarted, Problem: "Hook import failed: " + hook + ": " + r.Err.Error()}
	case r.TimedOut:
		return Verdict{Cause: CauseTimeout, Status: StatusTimeout, Problem: "Hook " + hook + " timed out"}
	case r.Signal != "":
		return failed(CauseSignal, "it was killed by %s", r.Signal)
	case r.ExitCode != 0:
		if line := lastLine(r.Stderr.Text()); line != "" {
			return failed(CauseExit, "it exited with %d: %s", r.ExitCode, line)
		}
		return failed(CauseExit, "it exited with %d", r.ExitCode)
	case r.Stdout.LeftOut() > 0:
		return failed(CauseOutput, "its answer is too long: 1 MiB of output is kept")
	}
	a, err := readHookResult(r.Stdout.Text())
	switch {
	case err != nil && !a.denied && !a.asks:
		return failed(CauseOutput, "%v", err)
	case err != nil: // the no can be read, and stands whatever is wrong beside it
		a = hookResult{denied: a.denied, asks: a.asks, reason: a.reason, warnings: []string{"answered with JSON that is not right: " + err.Error()}}
	case a.importError:
		return Verdict{Cause: CauseUnstarted, Status: StatusUnstarted, Problem: a.reason}
	}
	v := a.verdict(c, hook)
	if err := massgenDoubt(r.Stdout.Text()); err != nil && v.Decision == Continue {
		v.Doubt = doubted(said(massgenEvent(c), hook), "MassGen", err)
	}
	return v
}

// massgenNoResult is a key by which hookrun's own caller of Python functions says that one returned no HookResult.
const massgenNoResult = "hookrun_no_result"

// massgenKeys are those of a HookResult.
var massgenKeys = []string{"allowed", "decision", "reason", "metadata", "modified_args", "updated_input", "inject", "hook_errors"}

// massgenDoubt says what of a HookResult that allows may have been meant to deny.
func massgenDoubt(text string) error {
	decides := false
	var wrong error
	object := gjson.Parse(text)
	object.ForEach(func(key, value gjson.Result) bool {
		name := strictjson.Text(key.Raw)
		switch {
		case name == massgenNoResult:
			wrong = fmt.Errorf("the function returned %s, which is no HookResult", textOf([]byte(value.Raw)))
		case name == "allowed" && !value.IsBool(): // what is false in Python denies, and is not asked about here
			wrong = wrongType(name, "true or false", value)
		}
		decides = decides || (name == "allowed" || name == "decision") && value.Type != gjson.Null
		return true
	})
	if wrong != nil {
		return wrong
	}
	if code, _ := exitCodeIn(object); code != nil {
		return code
	}
	for _, s := range nearmiss.Scan(text) {
		switch s.Key {
		case "reason":
			if s.Place == nearmiss.Top && !decides && s.Value != `""` {
				return errors.New(`it has a reason and no decision; add "decision": "deny", or "allow"`)
			}
		case "systemMessage", "suppressOutput", "additionalContext": // nothing that says no
		default:
			if s.Place != nearmiss.Top || !slices.Contains(massgenKeys, s.Key) {
				return fmt.Errorf(`it has %s, which MassGen does not know; it says no with "decision": "deny" or "allowed": false`, s)
			}
		}
	}
	return nil
}

// lastLine is where Python says what went wrong.
func lastLine(text string) string {
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

// hookResult is MassGen's HookResult, as far as hookrun acts on it.
type hookResult struct {
	denied, asks bool
	reason       string
	args         []byte // JSON: the tool's new arguments
	inject       string
	strategy     Strategy
	errors       []string
	importError  bool // the function of the hook was not found
	warnings     []string
}

// readHookResult reads a HookResult by MassGen's rules: a key that is not there has its default, and those that are not
// known mean nothing. Decisions that do not exist are an error, where MassGen takes them for allow. Beside an error, what
// denied and asks say counts.
func readHookResult(text string) (a hookResult, err error) {
	switch {
	case text == "":
		return a, errors.New("it printed nothing; print {} to allow")
	case !strings.HasPrefix(text, "{"):
		return a, errors.New("it did not print a JSON object")
	}
	faults := strictjson.Check(text, maxInputDepth)
	if len(faults) > 0 && faults[0].Kind == strictjson.Syntax {
		if known, is := withoutNaN(text); is {
			text, err = known, errors.New("NaN and Infinity, which Python prints, are no JSON; print null or a text")
			faults = strictjson.Check(text, maxInputDepth)
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
	gjson.Parse(text).ForEach(func(key, value gjson.Result) bool {
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
		case "modified_args": // JSON in a string, and older than updated_input; it counts before that
			var args string
			if wrong = readText(name, value, &args); value.Type == gjson.String {
				a.args, modified = argsOf(args), true
			}
		case "updated_input":
			switch {
			case value.Type == gjson.Null:
			case !value.IsObject():
				wrong = wrongType(name, "an object", value)
			case !modified:
				a.args = strictjson.Compact(nil, value.Raw)
			}
		case "inject":
			a.readInject(value)
		case "hook_errors":
			for _, v := range value.Array() { // of null there are none
				a.errors = append(a.errors, textOf([]byte(v.Raw)))
			}
		}
		if err == nil {
			err = wrong
		}
		return true
	})
	if a.reason == "" {
		a.reason = metadataReason
	}
	a.importError = a.importError && a.denied && a.reason != ""
	return a, err
}

// withoutNaN writes null for the words that Python's json module reads and writes beside JSON, and reports whether there were
// any.
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

// falsy is what Python takes for false.
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

// pythonText is a text where one is expected; of what Python takes for false it is none, and any other value is JSON.
func pythonText(v gjson.Result) string {
	if !v.Exists() || falsy(v) {
		return ""
	}
	return textOf([]byte(v.Raw))
}

func (a *hookResult) decide(v gjson.Result) error {
	var word string
	if err := readText("decision", v, &word); err != nil || v.Type == gjson.Null {
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

// argsOf are a tool's arguments as a text that should be JSON. One that is not is given to the tool as it is, and an empty
// one is {} as everywhere.
func argsOf(text string) []byte {
	if strings.TrimSpace(text) == "" {
		return []byte("{}")
	}
	same, _, err := once(lossy(text), "modified_args")
	if err != nil {
		return jsonText(text)
	}
	return strictjson.Compact(nil, same)
}

func (a *hookResult) readInject(v gjson.Result) {
	if falsy(v) {
		return
	}
	content := v.Get("content")
	if !v.IsObject() || content.Exists() && content.Type != gjson.String && content.Type != gjson.Null {
		a.warnings = append(a.warnings, `answered with an "inject" that is no {"content": "…", "strategy": "…"}; ignored`)
		return
	}
	a.inject, a.strategy = strictTextOf(content), ToolResult
	switch s := v.Get("strategy"); {
	case s.Type == gjson.Null, strictTextOf(s) == string(ToolResult): // also where there is none
	case strictTextOf(s) == string(UserMessage):
		a.strategy = UserMessage
	default:
		a.warnings = append(a.warnings, fmt.Sprintf("answered with the strategy %s, which does not exist; taken for %s", s.Raw, ToolResult))
	}
}

// strictTextOf is a JSON string as text, "" for all else.
func strictTextOf(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	return strictjson.Text(v.Raw)
}

// verdict turns a HookResult into a verdict. What means something at the other event only is not done, and a warning says so.
func (a *hookResult) verdict(c *Call, hook string) Verdict {
	pre := massgenEvent(c) == massgenPre
	v := Verdict{Decision: Continue, Status: StatusOK, Warnings: a.errors}
	who := said(massgenEvent(c), hook)
	for _, w := range a.warnings {
		v.Warnings = append(v.Warnings, who+" "+w)
	}
	switch {
	case a.denied:
		v.Decision, v.Cause, v.Status, v.Reason = Block, CausePolicy, StatusBlocked, a.reason
		if a.reason == "" {
			v.Reason = "Denied by hook " + hook
		}
		if !pre { // it is on record; the others still run, and nothing of theirs is lost
			v.Decision = Continue
			v.Warnings = append(v.Warnings, who+" denied a call that had run, which changes nothing: "+v.Reason)
			v.Reason = ""
		}
	case a.asks && !pre:
		v.Warnings = append(v.Warnings, who+" asked about a call that had run, which changes nothing")
	case a.asks:
		v.Decision, v.Cause, v.Status, v.Reason = Ask, CausePolicy, StatusBlocked, a.reason
		if a.reason == "" {
			v.Reason = "Hook " + hook + " asks for confirmation of this tool call"
		}
	}
	switch {
	case a.args == nil || v.Decision == Block:
	case pre:
		if input, _, err := massgenInput(c); err != nil || string(input) != string(a.args) {
			v.UpdatedInput = a.args
		}
	default:
		v.Warnings = append(v.Warnings, who+" answered with new arguments, which mean something before the tool only; ignored")
	}
	switch {
	case a.inject == "":
	case pre:
		v.Warnings = append(v.Warnings, who+` answered with "inject", which means something after the tool only; ignored`)
	default:
		v.Context, v.Strategy = a.inject, a.strategy
	}
	return v
}
