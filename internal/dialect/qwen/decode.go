package qwen

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/lazy"
	"github.com/hookrun/hookrun/protocol"
)

// validWords is how an answer says yes and no.
const validWords = `an answer is {"decision": "block", "ask" or "allow", "reason": "…"}, or {"hookSpecificOutput": ` +
	`{"permissionDecision": "deny", "ask" or "allow", "permissionDecisionReason": "…"}}`

// mostRead is how much of a hook's stdout and of its stderr the client reads. An answer behind that does not count.
const mostRead = 1 << 20

// outputText returns what the client reads of an output stream, without the blanks around it.
func outputText(c *dialect.Capture) string {
	if c.Total <= mostRead {
		return dialect.TrimJS(c.All())
	}
	start := dialect.Capture{Head: c.Head[:min(mostRead, len(c.Head))]}
	start.Total = int64(len(start.Head))
	return dialect.TrimJS(start.All())
}

// Decode reads, in this order: no start, deadline, text, exit code. The text is at exit 2 stderr, else stdout, or
// stderr where stdout is blank.
func (hooks) Decode(c *dialect.Call, hook string, r *dialect.HookResult) dialect.Verdict {
	m := ruleAt(c)
	who := dialect.Who(m.Name, hook)
	if v, none := r.NoAnswer(who); none {
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
	if r.Stdout.Total > mostRead {
		v.Doubt = fmt.Sprintf("%s printed %d bytes, and Qwen Code reads the first %d, so an answer behind them "+
			"does not count; print less, or an answer alone", who, r.Stdout.Total, mostRead)
	}
	var a *answer
	value, isJSON := dialect.JSONOrQuoted(text)
	isJSON = isJSON && value.IsObject()
	switch {
	case isJSON:
		a = read(value)
		m.heed(&v, a, value, who)
	case text == "":
	case denies:
		a = &answer{decision: "deny", reason: text}
	case strings.HasPrefix(text, "{"):
		return dialect.Unreadable(who, "it begins with { and is no JSON; "+dialect.PrintAlone(text))
	case r.ExitCode != 0:
		a = &answer{decision: "allow", reason: "Non-blocking error: " + text}
		if !r.NotRunByShell() { // the warning says it
			v.SystemMessage = "Warning: " + text
		}
	default:
		a = &answer{decision: "allow", reason: "Hook executed successfully"}
		if v.SystemMessage = text; ofStdout && m.Can&speaks != 0 {
			v.SystemMessage, v.Context = "", uncoloured(text)
		}
		v.Doubt = cmp.Or(v.Doubt, dialect.DoubtOfText(who, text))
	}
	if a != nil {
		v.Own = a
		if decision, why := m.decide(a); decision != protocol.Continue { // it stands, however its author ended
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
			v.Problem += ", which holds nothing up at " + string(m.Name)
		}
	}
	return dialect.DoubtEqualKeys(who, value, v)
}

// escapes are sequences that colour a terminal or steer it.
var escapes = lazy.Regexp{Text: `[\x1b\x{9b}](?:\][^\x07\x1b]*(?:\x07|\x1b\\)|[\[()#;?]*[0-9;]*[ -/]*[@-~])`}

// uncoloured is a text without what is for a terminal alone.
func uncoloured(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, escapes.Get().ReplaceAllString(text, ""))
}
