package qwen

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/internal/lib/lazy"
	"github.com/hookrun/hookrun/protocol"
)

// validWords shows the answers that the client reads, for messages.
const validWords = `an answer is {"decision": "block", "ask" or "allow", "reason": "…"}, or {"hookSpecificOutput": ` +
	`{"permissionDecision": "deny", "ask" or "allow", "permissionDecisionReason": "…"}}`

// maxRead is how many bytes of stdout, and of stderr, the client reads. A later answer does not count.
const maxRead = 1 << 20

// outputText returns the part of an output stream that the client reads, without surrounding blanks.
func outputText(c *dialect.Capture) string {
	if c.Total <= maxRead {
		return client.TrimJS(c.All())
	}
	start := dialect.Capture{Head: c.Head[:min(maxRead, len(c.Head))]}
	start.Total = int64(len(start.Head))
	return client.TrimJS(start.All())
}

// Decode checks, in this order: the start, the timeout, the text, the exit code. At exit 2 the text is stderr. At other
// exit codes the text is stdout, or stderr if stdout is blank.
func (hooks) Decode(c *dialect.Call, hook string, r *dialect.HookResult) dialect.Verdict {
	m := ruleAt(c)
	who := dialect.MessagePrefix(m.Name, hook)
	if v, ok := r.NoAnswer(who); ok {
		return v
	}
	denies := r.ExitCode == 2 && r.Signal == ""
	text, ofStdout := "", false
	if !denies {
		text = outputText(&r.Stdout)
		ofStdout = text != ""
	}
	if text == "" {
		text = outputText(&r.Stderr)
	}
	v := dialect.OK()
	if r.Stdout.Total > maxRead {
		v.Doubt = fmt.Sprintf("%s printed %d bytes, and Qwen Code reads the first %d, so an answer behind them "+
			"does not count; print less, or an answer alone", who, r.Stdout.Total, maxRead)
	}
	var a *answer
	value, isJSON := client.JSONOrQuoted(text)
	isJSON = isJSON && value.IsObject()
	switch {
	case isJSON:
		a = readAnswer(value)
		m.readRest(&v, a, value, who)
	case text == "":
	case denies:
		a = &answer{decision: "deny", reason: text}
	case strings.HasPrefix(text, "{"):
		return dialect.Unreadable(who, "it begins with { and is no JSON; "+nearmiss.PrintAlone(text))
	case r.ExitCode != 0:
		a = &answer{decision: "allow", reason: "Non-blocking error: " + text}
		if !r.NotRunByShell() { // the warning has the text
			v.SystemMessage = "Warning: " + text
		}
	default:
		a = &answer{decision: "allow", reason: "Hook executed successfully"}
		if v.SystemMessage = text; ofStdout && m.Can&stdoutIsContext != 0 {
			v.SystemMessage, v.Context = "", uncoloured(text)
		}
		v.Doubt = cmp.Or(v.Doubt, nearmiss.MisspelledBlockInText(who, text))
	}
	if a != nil {
		v.Own = a
		if decision, why := m.decide(a); decision != protocol.Continue { // a decision counts, however the process ended
			v.Doubt = ""
			v.Decide(decision, why)
			return v
		}
	}
	if v.Cause, v.Problem = r.Ended(who); v.Problem != "" {
		v.Answered = isJSON
		v.Status = dialect.StatusFailed
		switch {
		case text == "":
			v.Problem += " and printed nothing that counts, which blocks nothing; print the reason on stderr"
		case denies && m.Can&(dialect.Block|permits) == 0:
			v.Problem += ", which blocks nothing at " + string(m.Name)
		}
	}
	return client.DoubtEqualKeys(who, value, v)
}

// escapes are sequences that colour or control a terminal.
var escapes = lazy.Regexp{Text: `[\x1b\x{9b}](?:\][^\x07\x1b]*(?:\x07|\x1b\\)|[\[()#;?]*[0-9;]*[ -/]*[@-~])`}

// uncoloured returns a text without control characters and escape sequences.
func uncoloured(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, escapes.Get().ReplaceAllString(text, ""))
}
