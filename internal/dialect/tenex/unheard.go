package tenex

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/process"
	"github.com/hookrun/hookrun/protocol"
)

// warnOfUnheard adds warnings to the verdict of a hook without an objection, if the hook may have said no in an unread
// place: on stderr, or in a process that the hook left behind.
func warnOfUnheard(c *dialect.Call, who string, r *dialect.HookResult, v dialect.Verdict) dialect.Verdict {
	if v.Decision != protocol.Continue || v.Stop || v.Approved {
		return v
	}
	warn := func(format string, args ...any) {
		v.Warnings = append(v.Warnings, who+" "+fmt.Sprintf(format, args...))
	}
	if !r.LineNote && deniesOnStderr(r.Stderr.Text()) {
		warn("has a JSON answer on stderr that says no, which was not read; print it to stdout")
	}
	if r.Unread {
		warn("left a process behind that holds its output, so what that prints later than %v after the hook's end is "+
			"not heard; wait for it, or close its output", process.DrainTime)
	}
	return v
}

// maxStderrRead is how many bytes of a hook's stderr are checked.
const maxStderrRead = 64 << 10

// deniesOnStderr reports whether a text, or a line of it, is an answer that blocks or stops.
func deniesOnStderr(text string) bool {
	if len(text) > maxStderrRead || !strings.Contains(text, "{") {
		return false
	}
	denies := func(text string) bool {
		if text = strings.TrimSpace(text); !strings.HasPrefix(text, "{") {
			return false
		}
		a, answered, err := parseAnswer(text, false)
		return answered && err == nil && (a.decision != protocol.Continue || a.stop)
	}
	return denies(text) || slices.ContainsFunc(strings.Split(text, "\n"), denies)
}
