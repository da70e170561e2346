package codex

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/protocol"
)

// decode reads, in this order: no start, deadline, signal or exit code, output.
func decode(c *protocol.Call, hook string, r *dialect.HookResult) dialect.Verdict {
	m := ruleOf(eventOf(c))
	who := dialect.Who(m.name, hook)
	failed := func(cause protocol.Cause, why string) dialect.Verdict {
		return dialect.Verdict{Cause: cause, Status: protocol.StatusFailed, Problem: who + " " + why}
	}
	stderr := r.Stderr.Text()
	switch {
	case r.Late:
		return asyncResult(c, hook, *r)
	case r.Err != nil:
		return dialect.Verdict{Cause: protocol.CauseUnstarted, Status: protocol.StatusUnstarted, Problem: who + " could not run: " + r.Err.Error()}
	case r.Async:
		return dialect.Verdict{Decision: protocol.Continue, Status: protocol.StatusAsync}
	case r.TimedOut: // what it printed until then is no answer
		return dialect.Verdict{Cause: protocol.CauseTimeout, Status: protocol.StatusTimeout, Problem: who + " timed out after " + r.Limit.String() + r.Hint()}
	case r.Garbled != "":
		return failed(protocol.CauseOutput, "gave an answer that cannot be read: "+r.Garbled)
	case r.Signal != "":
		return failed(protocol.CauseSignal, "was killed by "+r.Signal)
	case r.ExitCode == 2 && m.does&blocks != 0 && stderr != "": // stdout is not read
		return dialect.Verdict{Decision: protocol.Block, Cause: protocol.CausePolicy, Status: protocol.StatusBlocked, Reason: stderr}
	case r.ExitCode == 2 && m.does&blocks != 0:
		return failed(protocol.CauseExit, "exited with 2 and has nothing on stderr, where Codex looks for the reason")
	case r.ExitCode != 0 && stderr != "":
		return failed(protocol.CauseExit, fmt.Sprintf("exited with %d\n%s", r.ExitCode, stderr))
	case r.ExitCode != 0:
		return failed(protocol.CauseExit, fmt.Sprintf("exited with %d", r.ExitCode))
	}
	v, err := ended(c, m, hook, r)
	if err != nil {
		return failed(protocol.CauseOutput, "gave an answer that cannot be read: "+err.Error())
	}
	if m.does&deaf == 0 {
		v = dialect.DoubtEqualKeys(who, dialect.AnswerOf(r.Stdout.Text()), v)
	}
	return v
}

// asyncResult reads what an async hook said in the end: no decision counts any more.
func asyncResult(c *protocol.Call, hook string, r dialect.HookResult) dialect.Verdict {
	r.Late = false
	v := decode(c, hook, &r)
	late := dialect.Verdict{Decision: protocol.Continue, Status: protocol.StatusAsync, Warnings: v.Warnings}
	if v.Problem != "" {
		late.Warnings = append(late.Warnings, "async "+v.Problem)
		return late
	}
	late.Context, late.SystemMessage = v.Context, v.SystemMessage
	return late
}

// ended reads what a hook printed that ended well. An error means that it counts for nothing.
func ended(c *protocol.Call, m eventRule, hook string, r *dialect.HookResult) (dialect.Verdict, error) {
	text := r.Stdout.Text() // without white space around; a byte order mark is none
	isJSON := strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
	v := dialect.Verdict{Decision: protocol.Continue, Status: protocol.StatusOK}
	switch {
	case text == "" || m.does&deaf != 0:
		return v, nil
	case isJSON && r.Stdout.LeftOut() > 0:
		return v, errors.New("it is too long: 1 MiB of output is kept")
	case isJSON:
		v, err := readAnswer(c, m, text)
		if doubt := dialect.DoubtOf(gjson.Parse(text), validWords, m.own()...); err == nil && doubt != nil && v.Decision == protocol.Continue {
			v.Doubt = dialect.Doubted(dialect.Who(m.name, hook), "Codex", doubt)
		}
		return v, err
	case m.does&jsonOnly != 0:
		return v, fmt.Errorf("at %s it must be one JSON object, or nothing", m.name)
	case m.does&speaks != 0:
		v.Context, v.Truncated = text, r.Stdout.LeftOut() > 0
	}
	// The client lets pass, and is content with the run.
	v.Doubt = dialect.DoubtOfText(dialect.Who(m.name, hook), r.Stdout.All())
	return v, nil
}

func (f fields) has(key string) bool { _, ok := f[key]; return ok }

func (f fields) text(key string) string { return dialect.StringOf(f[key]) }

// How answers say it that know fewer words.
const validWords = `an answer that blocks is {"decision": "block", "reason": "…"}, or, before a tool, ` +
	`{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "…"}}`
