package copilot

import (
	"cmp"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/protocol"
)

const clientName = "Copilot CLI"

// decode checks, in this order: the start, the timeout, the signal or exit code, the output. Exit codes other than 0
// and 2 are failures, whatever was printed.
func decode(m rule, camel bool, hook string, r *dialect.HookResult) dialect.Verdict {
	event := m.Name
	if camel {
		event = camelName(event)
	}
	who := dialect.MessagePrefix(event, hook)
	if v, ok := r.NoAnswer(who); ok {
		return v
	}
	stderr := r.Stderr.Text()
	cause, problem := r.Ended(who)
	problem = strings.TrimRight(problem+"\n"+stderr, "\n")
	switch {
	case r.HTTP != nil && r.HTTP.Failure != "":
		return dialect.Failed(protocol.CauseExit, who+" got no answer: "+r.HTTP.Why)
	case cause != "" && (r.Signal != "" || r.ExitCode != 2):
		return dialect.Failed(cause, problem)
	}
	text := withoutProgress(r.Stdout.All())
	a, isJSON := client.JSONValue(text)
	isAnswer := isJSON && a.IsObject() && r.Stdout.LeftOut() == 0
	v := dialect.OK()
	switch {
	case isAnswer && !(r.ExitCode == 2 && m.Name == "PostToolUseFailure"): // the client drops this answer
		v = m.answer(who, camel, a)
	case text != "" && m.Name == "PermissionRequest" && r.ExitCode == 0:
		return dialect.Unreadable(who, "it must be one JSON object; print all else to stderr")
	case text != "" && !isAnswer:
		v.Doubt = nearmiss.MisspelledBlockInText(who, r.Stdout.All())
	}
	switch {
	case r.ExitCode == 0:
	case m.Can&denies != 0:
		v.Approved, v.UpdatedInput, v.Doubt = false, nil, ""
		v.Decide(protocol.Block, cmp.Or(reasonOf(m, a), stderr, "hook exited with code 2"))
		return v
	case m.Name == "PostToolUseFailure" && stderr != "":
		v.Context = stderr
	case v.Decision == protocol.Continue:
		v.Status, v.Cause, v.Problem, v.Answered = dialect.StatusFailed, cause, problem, true
		return v
	}
	return client.DoubtEqualKeys(who, a, v)
}

// withoutProgress returns the output without the lines that report progress, and without surrounding white space.
func withoutProgress(text string) string {
	if strings.Contains(text, "progress") {
		var rest strings.Builder
		for line := range strings.Lines(text) {
			if v, is := client.JSONValue(client.TrimJS(line)); !is || !v.IsObject() ||
				dialect.StringOf(v.Get("type")) != "progress" {
				rest.WriteString(line)
			}
		}
		text = rest.String()
	}
	return client.TrimJS(text)
}

// reasonOf returns the reason in the answer beside exit 2. The client does not look into hookSpecificOutput.
func reasonOf(m rule, a gjson.Result) string {
	key := "permissionDecisionReason"
	if m.Name == "PermissionRequest" {
		key = "message"
	}
	return textOf(dialect.LastOf(a)[key])
}
