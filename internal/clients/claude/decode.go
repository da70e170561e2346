package claude

import (
	"errors"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// GoesAsync reports whether the first line is {"async": true}. A line with a decision is an answer instead.
func (hooks) GoesAsync(line []byte) bool {
	return isAsync(string(line)) && len(strictjson.Check(string(line), strictjson.MaxDepth)) == 0
}

func isAsync(text string) bool {
	return strings.Contains(text, `"async"`) && asyncOnly(client.AnswerOf(text))
}

// asyncOnly reports whether an answer says "async": true and has no deciding key, not even a misspelt one.
func asyncOnly(answer gjson.Result) (async bool) {
	if !answer.IsObject() {
		return false
	}
	decides := false
	for key, value := range answer.ForEach {
		switch name := strictjson.Text(key.Raw); {
		case name == "async": // the last of equal keys counts
			async = value.Type == gjson.True
		case slices.Contains(client.ClaudeDeciding, name) || client.Misspelt(name, client.ClaudeAnswer) != "":
			decides = true
		}
	}
	return async && !decides
}

// Decode checks, in this order: the start, the timeout, the output, the exit code.
func (hooks) Decode(c *dialect.Call, hook string, r *dialect.HookResult) dialect.Verdict {
	return decode(c, events.Of(client.ClaudeEventOf(c)), hook, r)
}

func decode(c *dialect.Call, m dialect.Event, hook string, r *dialect.HookResult) dialect.Verdict {
	who := dialect.MessagePrefix(m.Name, hook)
	switch {
	case r.AsyncResult:
		return asyncResult(c, m, hook, r)
	case r.WentAsync && r.Err == nil:
		return wentAsync(m, who)
	}
	if v, ok := r.NoAnswer(who); ok {
		return v
	}
	return client.DoubtEqualKeys(who, client.AnswerOf(client.TrimJS(r.Stdout.All())), decodeEnded(c, m, hook, r))
}

// wentAsync returns the verdict of a hook that went async by its first line, although its file does not say so. In the
// client such a hook decides nothing. If hooks can block at the event, that is a failure: nobody will read the answer.
func wentAsync(m dialect.Event, who string) dialect.Verdict {
	if m.OnFailure == dialect.AlwaysOpen && m.Can&(dialect.Block|dialect.Stop) == 0 {
		return dialect.Verdict{Decision: protocol.Continue, Status: dialect.StatusAsync}
	}
	return dialect.Verdict{Cause: protocol.CauseOutput, Status: dialect.StatusAsync, Problem: who +
		` went async by its own first line, so nothing that it decides ` +
		`counts; let it answer before it ends, or say "async": true in its entry`}
}

// asyncResult reads the result of an async hook: the context and the message to the user in a JSON answer count at
// every exit code. Plain text and decisions are ignored.
func asyncResult(c *dialect.Call, m dialect.Event, hook string, r *dialect.HookResult) dialect.Verdict {
	who := "async " + dialect.MessagePrefix(m.Name, hook)
	v := dialect.Verdict{Decision: protocol.Continue, Status: dialect.StatusAsync}
	if r.TimedOut {
		v.Warnings = []string{r.TimeoutProblem(who) + " and was killed"}
		return v
	}
	text := client.TrimJS(r.Stdout.All())
	if first, rest, _ := strings.Cut(text, "\n"); hooks.GoesAsync(hooks{}, []byte(client.TrimJS(first))) {
		text = client.TrimJS(rest)
	}
	if !strings.HasPrefix(text, "{") {
		return v
	}
	a, err := readAnswer(c, m, hook, text)
	if err != nil || r.Stdout.LeftOut() > 0 {
		v.Warnings = []string{who + " gave an answer that cannot be read"}
		return v
	}
	v.Context, v.SystemMessage = a.Context, a.SystemMessage
	return v
}

// decodeEnded returns the verdict of a hook after its end.
func decodeEnded(c *dialect.Call, m dialect.Event, hook string, r *dialect.HookResult) dialect.Verdict {
	who := dialect.MessagePrefix(m.Name, hook)
	stderr := r.Stderr.All()
	text := client.TrimJS(r.Stdout.All())
	isJSON := strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}")
	v := dialect.OK()
	var unreadable error
	switch head := client.TrimJS(string(r.Stdout.Head)); {
	case r.Stdout.LeftOut() > 0 && (head == "" || strings.HasPrefix(head, "{")):
		isJSON, unreadable = true, errors.New("it is too long: "+dialect.KeptStdout)
	// on one line, an async answer never blocks
	case isJSON && r.HTTP == nil && isAsync(text) && (r.ExitCode != 2 || !strings.Contains(text, "\n")):
		return wentAsync(m, who)
	case isJSON:
		v, unreadable = readAnswer(c, m, hook, text)
	}
	failed := r.Signal != "" || r.ExitCode != 0
	switch {
	case r.HTTP != nil && r.HTTP.Failure != "": // the client has one kind of HTTP failure
		return dialect.Failed(protocol.CauseExit, who+" got no answer: "+r.HTTP.Why)
	case m.Can&dialect.Block != 0 && (r.ExitCode == 2 || failed && m.Can&allExits != 0):
		if v.Decision != protocol.Block {
			if v.Reason = stderr; stderr == "" {
				v.Reason = "No stderr output"
			}
		}
		v.Decide(protocol.Block, v.Reason)
		v.Approved, v.UpdatedInput = false, nil
		return v
	case r.HTTP != nil && !isJSON && text != "":
		return dialect.Failed(protocol.CauseOutput, who+" answered with something else than a JSON object")
	case unreadable != nil:
		return dialect.Unreadable(who, unreadable.Error())
	case failed && v.Decision == protocol.Block: // a deny counts, however the process ended
		return v
	case failed:
		v.Answered = isJSON
		if !isJSON {
			v.Status = dialect.StatusFailed
		}
		v.Cause, v.Problem = r.Ended(who)
		if r.Fault != "" {
			v.Problem += "; " + r.Fault
		}
		switch {
		case stderr == "":
		case isJSON: // the reason of the answer stays
			v.Problem += "\n" + stderr
		default:
			v.Reason = v.Problem + "\n" + stderr
		}
		return v
	case isJSON:
		return v
	case m.Name == "WorktreeCreate":
		if lines := strings.Split(text, "\n"); text != "" {
			v.Other.Set("worktreePath", strictjson.Quote(strings.TrimSpace(lines[len(lines)-1])))
		}
		return v
	case m.Can&stdoutIsContext != 0:
		v.Context, v.Truncated = text, r.Stdout.LeftOut() > 0
	}
	v.Doubt = nearmiss.MisspelledBlockInText(who, r.Stdout.All())
	return v
}
