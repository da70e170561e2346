package protocol

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/strictjson"
)

// Tenex is the dialect of `.tenex-hooks.json` in its own form. Hooks run one after the other; before a tool any exit
// but 0 blocks, after it nothing but a JSON answer does. It departs from TENEX, which takes stdout for text always:
// here Claude Code's JSON answers count, so that a guard written for that client guards here.
var Tenex = &Dialect{
	Name:    "tenex",
	Events:  Events,
	Timeout: 30 * time.Second,
	Causes:  []Cause{CauseSignal, CauseUnstarted, CauseTimeout, CauseOutput, CauseExit},
	Failure: func(e Event, cause Cause) Decision {
		switch {
		case e == PostTool, e == PreExecute: // the tool ran already, or there is none
			return Continue
		case e == PreTool && cause == CauseTimeout: // TENEX: a slow hook must not hold up the agent
			return Continue
		}
		return Block // a gate that is not there, too: that is a mistake, not an approval
	},
	// A server is not a program of the project's: before a tool its silence is never an approval.
	HTTPFailure: func(e Event, _ Cause) Decision {
		if e == PreTool {
			return Block
		}
		return Continue
	},
	// Before a tool an exit code is no failure but the verdict.
	AlwaysBlocks:       func(e Event, cause Cause) bool { return e == PreTool && cause == CauseExit },
	StopsAtBlock:       func(Event) bool { return true },
	DropContextOnBlock: true,
	SilenceRevokes:     true,
	SubjectField:       tenexSubject,
	Event:              func(c *Call) Event { return c.Event.Canonical() },
	ProjectTools:       true,
	Payload:            tenexPayload,
	Judge:              tenexJudge,
}

func tenexSubject(e Event) string {
	if e.HasTool() {
		return "tool_name"
	}
	return ""
}

// tenexPayload writes TENEX's keys, then Claude Code's for the same values, and then what else the client put into its hook input, so
// that a hook written for any of them works as it is. Keys that Claude Code always sends are there when they are empty, as strings: its hooks read them unasked.
func tenexPayload(c *Call) (Payload, []string, error) {
	var o object
	var input, result []byte
	var warnings []string
	tool, post := c.Event.HasTool(), c.Event.Canonical() == PostTool

	o.text("event", string(c.Event.Canonical()))
	if tool {
		var err error
		if input, warnings, err = c.Input(); err != nil {
			return nil, nil, err
		}
		o.text("tool", c.ProjectTool())
		o.raw("args", input)
	}
	if post {
		result = jsonText(c.Result)
		o.raw("result", result)
	}
	o.text("session_id", c.SessionID)
	o.text("cwd", c.Workspace)
	if c.TranscriptPath == "" {
		o.raw("transcript_path", []byte("null"))
	} else {
		o.text("transcript_path", c.TranscriptPath)
	}
	o.text("prompt", c.Prompt)
	if c.AgentID != "" {
		o.text("agent_id", c.AgentID)
	}
	if post && c.Failed {
		// Claude Code has an event of its own for this, with the text in "error".
		o.text("hook_event_name", "PostToolUseFailure")
		o.raw("error", result)
	} else {
		o.text("hook_event_name", string(c.Event.Claude()))
	}
	if tool {
		o.text("tool_name", c.Tool)
		o.raw("tool_input", input)
	}
	if post {
		if response := gjson.Get(c.ClientInput, c.responseKey()); response.Exists() {
			result = []byte(response.Raw) // the client's hooks know it as the object that it is
		}
		o.raw("tool_response", result)
	}
	if tool {
		o.text("tool_use_id", c.ToolUseID)
	}
	o.rest(c)
	return o.end(), warnings, nil
}

// rest writes what else a client put into its hook input, as it is: its own hooks may look at any of it. A key of TENEX's that is not
// there at this event stays away.
func (o *object) rest(c *Call) {
	if c.ClientInput == "" {
		return
	}
	written := o.keys // the input has each key once
	strictjson.Members(c.ClientInput, func(key, value string) bool {
		switch name := strictjson.Text(key); {
		case slices.Contains(written, name), name == "event", name == "tool", name == "args", name == "result":
		default:
			o.raw(name, []byte(value))
		}
		return true
	})
}

// tenexJudge reads, in this order: no start, deadline, signal or exit code, output.
func tenexJudge(c *Call, hook string, r *Result) Verdict {
	who := said(c.Event.Canonical(), hook)
	switch {
	case r.Err != nil:
		return Verdict{Cause: CauseUnstarted, Status: StatusUnstarted, Problem: who + " could not run: " + r.Err.Error()}
	case r.TimedOut: // what it printed until then is no answer
		return Verdict{Cause: CauseTimeout, Status: StatusTimeout, Problem: who + " timed out after " + r.Limit.String() + r.hint()}
	case r.Garbled != "":
		return Verdict{Cause: CauseOutput, Status: StatusFailed, Problem: who + " gave an answer that cannot be read: " + r.Garbled}
	}
	if r.HTTP != nil && r.HTTP.Failure != "" {
		return tenexHTTPFailure(who, r.HTTP)
	}
	a, answered, err := parseAnswer(r.Stdout.All(), r.Stdout.LeftOut() > 0)
	if r.Signal != "" || r.ExitCode != 0 {
		return tenexFailure(c, hook, r, a, a.report || answered && (err == nil || errors.As(err, new(doubtful))))
	}
	if a.report && r.Line && err == nil { // a text has a key of its own there, so this is no other program's
		err = errors.New("it has a reason beside keys that no answer has; " + validWords)
	}
	switch {
	case err != nil: // a stop in it counts all the same: it says no
		return Verdict{Cause: CauseOutput, Status: StatusFailed, Stop: a.stop, StopReason: a.stopReason,
			Problem: who + " gave an answer that cannot be read: " + err.Error()}
	case !answered && r.HTTP != nil && r.Stdout.Text() != "":
		return Verdict{Cause: CauseOutput, Status: StatusFailed, Problem: who + " gave an answer that cannot be read: " +
			`it is no JSON object with a key of an answer, as {"decision": "block", "reason": "…"}; {} or nothing says nothing`}
	case !answered:
		v := Verdict{Decision: Continue, Status: StatusOK, Context: r.Stdout.Text(), Truncated: r.Stdout.LeftOut() > 0,
			Warnings: a.warnings(who)}
		for _, d := range a.doubts { // there is one at most
			v.Doubt = who + " " + d
		}
		return r.warnOfStderr(who, v)
	}
	return r.warnOfStderr(who, a.verdict(c, hook))
}

// tenexHTTPFailure judges a request without a good answer.
func tenexHTTPFailure(who string, r *HTTPResult) Verdict {
	v := Verdict{Cause: r.Failure, Status: StatusFailed, Problem: who + " got no answer: " + r.Why}
	if r.Failure == CauseUnstarted {
		v.Status, v.Problem = StatusUnstarted, who+" could not run: "+r.Why
	}
	return v
}

// tenexFailure judges an exit other than 0 and a death by signal. a counts only if read is true.
func tenexFailure(c *Call, hook string, r *Result, a answer, read bool) Verdict {
	who := said(c.Event.Canonical(), hook)
	stderr := r.Stderr.Text()
	denied := read && a.decision != Continue
	if r.notRunByShell() && !(denied && c.Event.Canonical() == PreTool) {
		problem := who + " could not run: " + cmp.Or(stderr, "nothing on stderr")
		if exit := " (exit " + strconv.Itoa(r.ExitCode); r.Fault != "" {
			problem += exit + "); " + r.Fault
		} else {
			problem += exit + " of its shell)"
		}
		return Verdict{Cause: CauseUnstarted, Status: StatusUnstarted, Problem: problem}
	}
	if c.Event.Canonical() != PreTool {
		v := Verdict{Cause: CauseExit, Status: StatusFailed, Problem: fmt.Sprintf("%s exited with %d", who, r.ExitCode)}
		if r.Signal != "" {
			v.Cause, v.Problem = CauseSignal, who+" was killed by "+r.Signal
		}
		if stderr != "" { // where a policy makes it block
			v.Reason = v.Problem + "\n" + stderr
		} else if r.Signal == "" {
			v.Problem += ", nothing on stderr"
		}
		return v
	}
	v := Verdict{Cause: CausePolicy, Status: StatusBlocked}
	if read { // the exit blocks whatever the JSON allows; the rest of what it says still counts
		v = a.verdict(c, hook)
		v.Decision, v.Cause, v.Status, v.Approved = Block, CausePolicy, StatusBlocked, false
		v.UpdatedInput, v.Reason = nil, ""
	}
	if r.Signal != "" && !denied { // a deny stands, however its author died
		v.Cause, v.Status, v.Problem = CauseSignal, StatusFailed, who+" was killed by "+r.Signal
	}
	v.Reason = stderr
	if read && !(a.decided && a.decision == Continue) && !blank(a.reason) { // why something is allowed is no reason here
		v.Reason = a.reason
	}
	if v.Reason == "" {
		v.Reason = blockedBy(hook)
		// Exit 2 is how hooks say no. Any other may be a fault of theirs.
		if !denied && r.Signal == "" && r.ExitCode > 0 && r.ExitCode != 2 {
			v.Reason += fmt.Sprintf(" (exit %d, nothing on stderr)", r.ExitCode)
		}
	}
	return v
}

// verdict turns an answer that was read, of a hook that ended well, into a verdict.
func (a *answer) verdict(c *Call, hook string) Verdict {
	v := Verdict{
		Decision:      a.decision,
		Status:        StatusOK,
		Reason:        a.reason,
		Stop:          a.stop,
		StopReason:    strings.TrimSpace(a.stopReason),
		SystemMessage: a.systemMessage,
		UpdatedInput:  a.updatedInput,
		UpdatedOutput: a.updatedOutput,
	}
	if !blank(a.context) {
		v.Context = a.context
	}
	v.Warnings = a.warnings(said(c.Event.Canonical(), hook))
	event := c.Event.Canonical()
	if a.decided {
		v.Cause = CausePolicy
	}
	v.Approved = a.decided && a.decision == Continue && event == PreTool
	if a.stop && blank(a.stopReason) && !a.decided { // many guards say there why
		v.StopReason = a.reason
	}
	switch {
	case a.decision == Continue:
		if !v.Approved {
			v.Reason = ""
		}
	case blank(a.reason) && !blank(a.systemMessage):
		v.Reason = a.systemMessage // many guards say there why
	case blank(a.reason):
		v.Reason = map[Decision]string{
			Block: blockedBy(hook),
			Ask:   "Project hook '" + hook + "' asks for confirmation of this tool call",
			Defer: "Project hook '" + hook + "' defers this tool call",
		}[a.decision]
	}
	if a.decision != Continue {
		v.Status = StatusBlocked
	}
	if v.UpdatedInput != nil && event != PreTool {
		v.UpdatedInput = nil
		v.Warnings = append(v.Warnings, said(c.Event.Canonical(), hook)+" answered with updatedInput, which means something at pre-tool only; ignored")
	}
	if v.UpdatedOutput != nil && event != PostTool {
		v.UpdatedOutput = nil
		v.Warnings = append(v.Warnings, said(c.Event.Canonical(), hook)+" answered with updatedToolOutput, which means something at post-tool only; ignored")
	}
	return v
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

func blockedBy(hook string) string { return "Tool call blocked by project hook '" + hook + "'" }
