package hooktest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Expectation is what a test says about an outcome. nil is not named.
type Expectation struct {
	decision                                 *protocol.Decision
	reason, cause, hook, stopReason, warning *text
	inject, message                          *texts
	updatedInput, updatedOutput              *value
	approved, stop                           *bool
}

var expectKeys = []string{"decision", "reason", "cause", "hook", "stop_reason", "inject", "message", "warning", "updated_input", "updated_output", "approved", "stop"}

// differences says what an outcome has otherwise than expected, and what it has that only a test that names it may pass on.
func (e *Expectation) differences(o *protocol.Outcome) (found []string) {
	differs := func(what, expected, got string) {
		found = append(found, fmt.Sprintf("%s: expected %s, got %s", what, expected, got))
	}
	decided := o.Decision.String()
	if o.Decision != protocol.Continue {
		decided += fmt.Sprintf(" by hook '%s' with the reason %s", printable.Escape(o.Hook), shown(o.Reason))
	}
	switch {
	case e.decision == nil && o.Decision != protocol.Continue:
		found = append(found, "decision: \"expect\" says nothing of it, got "+decided)
	case e.decision != nil && *e.decision != o.Decision:
		differs("decision", e.decision.String(), decided)
	}
	if o.Stop && e.stop == nil && e.stopReason == nil {
		found = append(found, "stop: \"expect\" says nothing of it, got true with the reason "+shown(o.StopReason))
	}
	for _, flag := range []struct {
		what string
		want *bool
		got  bool
	}{{"approved", e.approved, o.Approved}, {"stop", e.stop, o.Stop}} {
		if flag.want != nil && *flag.want != flag.got {
			differs(flag.what, strconv.FormatBool(*flag.want), strconv.FormatBool(flag.got))
		}
	}
	for _, one := range []struct {
		what string
		want *text
		got  string
	}{{"reason", e.reason, o.Reason}, {"cause", e.cause, string(o.Cause)}, {"hook", e.hook, o.Hook}, {"stop_reason", e.stopReason, o.StopReason}} {
		if one.want != nil && !one.want.fits(one.got) {
			differs(one.what, one.want.String(), shown(one.got))
		}
	}
	for _, several := range []struct {
		what string
		want *texts
		got  []string
	}{{"inject", e.inject, o.Texts()}, {"message", e.message, o.SystemMessages}} {
		if several.want != nil {
			found = append(found, several.want.differences(several.what, several.got)...)
		}
	}
	if e.warning != nil && !e.warning.fitsOne(o.Warnings) {
		differs("warning", e.warning.String(), shownAll(o.Warnings))
	}
	for _, json := range []struct {
		what string
		want *value
		got  json.RawMessage
	}{{"updated_input", e.updatedInput, o.UpdatedInput}, {"updated_output", e.updatedOutput, o.UpdatedOutput}} {
		if json.want != nil && !json.want.equals(json.got) {
			differs(json.what, json.want.String(), shownJSON(string(json.got)))
		}
	}
	if e.cause == nil && e.warning == nil {
		for i := range o.Hooks {
			if h := &o.Hooks[i]; silent(h) {
				found = append(found, fmt.Sprintf("hook '%s' gave no answer (%s), of which \"expect\" says nothing by \"cause\" or \"warning\"", printable.Escape(h.Name), h.Cause))
			}
		}
	}
	return found
}

// silent reports whether a hook ran or should have, and gave no answer. Of one that failed and blocks by that, the status is
// blocked.
func silent(h *protocol.HookReport) bool {
	switch h.Status {
	case protocol.StatusFailed, protocol.StatusTimeout, protocol.StatusUnstarted:
		return true
	case protocol.StatusBlocked:
		return slices.Contains(protocol.FailureCauses(), h.Cause)
	}
	return false
}

// text is what one text should be: none, found by a pattern, or equal.
type text struct {
	none    bool
	pattern *regexp.Regexp
	equal   string
}

func (t *text) fits(got string) bool {
	switch {
	case t.none:
		return got == ""
	case t.pattern != nil:
		return t.pattern.MatchString(got)
	}
	return got == t.equal
}

// fitsOne reports whether one of several texts is as it should be, or whether there are none where there should be none.
func (t *text) fitsOne(got []string) bool {
	if t.none {
		return len(got) == 0
	}
	return slices.ContainsFunc(got, t.fits)
}

func (t *text) String() string {
	switch {
	case t.none:
		return "none"
	case t.pattern != nil:
		return "a text that matches " + strconv.Quote(t.pattern.String())
	}
	return strconv.Quote(t.equal)
}

// texts is what several texts should be: all together, joined by a blank line, or one by one.
type texts struct {
	joined *text // nil: one by one
	each   []text
}

func (t *texts) differences(what string, got []string) (found []string) {
	if t.joined != nil {
		if fits := t.joined.fits(strings.Join(got, "\n\n")); !fits || t.joined.none && len(got) > 0 {
			found = append(found, fmt.Sprintf("%s: expected %s, got %s", what, t.joined, shownAll(got)))
		}
		return found
	}
	if len(got) != len(t.each) {
		return []string{fmt.Sprintf("%s: expected %d, got %d: %s", what, len(t.each), len(got), shownAll(got))}
	}
	for i := range t.each {
		if !t.each[i].fits(got[i]) {
			found = append(found, fmt.Sprintf("%s[%d]: expected %s, got %s", what, i, &t.each[i], shown(got[i])))
		}
	}
	return found
}

// maxShown is how much of a text a message cites.
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

// value is what a JSON value should be; null is none.
type value struct{ json string }

func (v *value) String() string {
	if v.json == "null" {
		return "none"
	}
	return v.json
}

func (v *value) equals(got json.RawMessage) bool {
	if v.json == "null" || len(got) == 0 {
		return v.json == "null" && len(got) == 0
	}
	return gjson.ValidBytes(got) && strictjson.Equal(gjson.ParseBytes(got), gjson.Parse(v.json))
}
