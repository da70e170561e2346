package cases

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Expectation is the expected outcome of a test, by the keys of "expect".
type Expectation map[string]*want

// expectKeys are the keys in the order of messages.
var expectKeys = []string{"decision", "reason", "cause", "hook", "stop_reason", "inject", "message", "warning",
	"updated_input", "updated_output", "approved", "stop"}

// want is the expected value of one field of an outcome.
type want struct {
	text    string // for messages
	matches func(got string) bool
	empty   bool    // the field must be empty
	list    bool    // each has one want per text, in order
	each    []*want // the wants of a list
}

// equal wants exactly this value.
func equal(value string) *want {
	return &want{text: value, matches: func(got string) bool { return got == value }}
}

// equalJSON wants a JSON value, in any spelling.
func equalJSON(value string) *want {
	return &want{text: value, matches: func(got string) bool {
		return gjson.Valid(got) && strictjson.Equal(gjson.Parse(got), gjson.Parse(value))
	}}
}

var wantEmpty = &want{text: "none", empty: true}

// field is a field of an outcome.
type field struct {
	key   string
	texts []string // one of them must match
	empty bool
	shown string
}

func textField(key, text string) field { return field{key, []string{text}, text == "", shown(text)} }

func valueField(key, value string) field {
	return field{key, []string{value}, value == "", shownJSON(value)}
}

// listField is a list of texts. A test expects them joined by a blank line.
func listField(key string, list []string) field {
	return field{key, []string{strings.Join(list, "\n\n")}, len(list) == 0, shownAll(list)}
}

// differences returns how an outcome differs from the expectation, with the exceptions of the package comment.
func (e Expectation) differences(o *protocol.Outcome) (found []string) {
	add := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	decided := o.Decision.String()
	if o.Decision != protocol.Continue {
		decided += fmt.Sprintf(" by hook '%s' with the reason %s", printable.Escape(o.Hook), shown(o.Reason))
		if e["decision"] == nil {
			add("decision: not in \"expect\", got %s", decided)
		}
	}
	if o.Stop && e["stop"] == nil && e["stop_reason"] == nil {
		add("stop: not in \"expect\", got true with the reason %s", shown(o.StopReason))
	}
	lists := map[string][]string{"inject": dialect.TextsOf(*o), "message": o.SystemMessages}
	for _, f := range []field{
		{"decision", []string{o.Decision.String()}, false, decided},
		valueField("approved", strconv.FormatBool(o.Approved)),
		valueField("stop", strconv.FormatBool(o.Stop)),
		textField("reason", o.Reason),
		textField("cause", string(o.Cause)),
		textField("hook", o.Hook),
		textField("stop_reason", o.StopReason),
		listField("inject", lists["inject"]),
		listField("message", lists["message"]),
		{"warning", o.Warnings, len(o.Warnings) == 0, shownAll(o.Warnings)},
		valueField("updated_input", string(o.UpdatedInput)),
		valueField("updated_output", string(o.UpdatedOutput)),
	} {
		want, got := e[f.key], lists[f.key]
		switch {
		case want == nil:
		case want.list && len(got) != len(want.each):
			add("%s: expected %d, got %d: %s", f.key, len(want.each), len(got), f.shown)
		case want.list:
			for i, one := range want.each {
				if !one.matches(got[i]) {
					add("%s[%d]: expected %s, got %s", f.key, i, one.text, shown(got[i]))
				}
			}
		case want.empty && !f.empty, !want.empty && !slices.ContainsFunc(f.texts, want.matches):
			add("%s: expected %s, got %s", f.key, want.text, f.shown)
		}
	}
	if e["cause"] == nil && e["warning"] == nil {
		for i := range o.Hooks {
			if h := &o.Hooks[i]; gaveNoAnswer(h) {
				add("hook '%s' gave no answer (%s), and \"expect\" has no \"cause\" or \"warning\"",
					printable.Escape(h.Name), h.Cause)
			}
		}
	}
	return found
}

// gaveNoAnswer reports whether a hook gave no answer although it ran or should have run. If such a failure blocks the
// call, the status is blocked.
func gaveNoAnswer(h *protocol.Report) bool {
	switch h.Status {
	case dialect.StatusFailed, dialect.StatusTimeout, dialect.StatusUnstarted:
		return true
	case dialect.StatusBlocked:
		return slices.Contains(dialect.FailureCauses(), h.Cause)
	}
	return false
}

// maxShown is how many bytes of a text a message quotes.
const maxShown = 2500

func shown(got string) string {
	if got == "" {
		return "none"
	}
	return strconv.Quote(spelling.Brief(got, maxShown))
}

func shownAll(got []string) string {
	quoted := make([]string, len(got))
	for i, g := range got {
		quoted[i] = strconv.Quote(g)
	}
	return shownJSON(strings.Join(quoted, ", "))
}

func shownJSON(got string) string {
	if got == "" {
		return "none"
	}
	return spelling.Brief(got, maxShown)
}
