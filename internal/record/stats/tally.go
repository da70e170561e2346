package stats

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/record/runlog"
	"github.com/hookrun/hookrun/protocol"
)

// tally counts calls and hooks for a summary.
type tally struct {
	Summary
	filter   Filter
	entry    *entry
	from, to time.Time               // of the calls
	hooks    []*hookTally            // in the order of their first call
	byKey    map[hookKey]*hookTally  // the same hooks
	byName   map[hookName]*hookTally // the same hooks, by the text of the lines
	late     map[string]int          // by hook: calls that got a text from the hook without a match

	blank     int             // lines that did not fit, before a line that counts them
	injecting map[string]bool // hooks with a text in the current call, minus the hooks already counted
}

type hookKey struct{ name, file string }

// hookName is a hook as named in a line. The workspace matters if source is a relative path.
type hookName struct{ name, source, workspace quoted }

// clone returns a copy that does not point into the line.
func (s hookName) clone() hookName {
	clone := func(q quoted) quoted { return quoted(strings.Clone(string(q))) }
	return hookName{clone(s.name), clone(s.source), clone(s.workspace)}
}

type hookTally struct {
	Hook
	durations histogram
	last      time.Time // of the last call
}

func newTally(f Filter) *tally {
	return &tally{
		Summary: Summary{Version: 1, Hooks: []Hook{}, NeverFired: []NeverFired{}, Blocks: []Block{}},
		filter:  f, entry: newEntry(), byKey: map[hookKey]*hookTally{}, byName: map[hookName]*hookTally{},
		late: map[string]int{}, injecting: map[string]bool{},
	}
}

// summary completes the summary.
func (t *tally) summary() *Summary {
	if t.Calls > 0 {
		t.From, t.To = stamp(t.from), stamp(t.to)
	}
	t.Missed += t.blank
	for _, h := range t.hooks {
		h.Late = t.late[h.Name]
		delete(t.late, h.Name) // only the first of several hooks with the name counts
		d := &h.durations
		h.P50, h.P95, h.Max, h.Last = d.percentile(50), d.percentile(95), d.max, stamp(h.last)
		t.Hooks = append(t.Hooks, h.Hook)
	}
	return &t.Summary
}

// line counts a line. An unfinished line counts if it is readable; otherwise the rest is still being written.
func (t *tally) line(line []byte, whole bool) error {
	if whole && line != nil && len(line) == 0 {
		t.blank++
		return nil
	}
	t.blank, t.Missed = 0, t.Missed+runlog.Missed(line)
	if t.entry.read(line) {
		t.Lines++
		t.call()
	} else if whole && !runlog.IsHeartbeat(line) {
		t.Lines++
		t.Unreadable++
	}
	return nil
}

func (t *tally) call() {
	e := t.entry
	if !t.filter.admits(e) {
		return
	}
	if t.Calls++; t.Calls == 1 || e.time.Before(t.from) {
		t.from = e.time
	}
	t.to = later(t.to, e.time)
	*t.Columns.of(e)++
	if e.err != "" {
		t.Errors++
	}
	if !e.decided {
		return
	}
	if e.stop {
		t.Stopped++
	}
	*t.Decisions.of(e.decision)++
	if e.decision != protocol.Continue {
		t.block()
	}
	for _, hook := range e.injectors {
		t.injecting[hook.clone()] = true
	}
	for i := range e.hooks {
		t.report(i)
	}
	delete(t.injecting, "") // a text from a queue
	for hook := range t.injecting {
		t.late[hook]++
	}
	clear(t.injecting)
}

func (d *Decisions) of(decision protocol.Decision) *int {
	switch decision {
	case protocol.Continue:
		return &d.Continue
	case protocol.Ask:
		return &d.Ask
	case protocol.Defer:
		return &d.Defer
	}
	return &d.Block
}

// of returns the column of a call, in this order of precedence: no verdict, the end of the loop, a decision, a failure,
// a rewrite.
func (c *Columns) of(e *entry) *int {
	switch {
	case e.err != "" || !e.decided:
		return &c.Error
	case e.stop:
		return &c.Stop
	case e.decision == protocol.Ask:
		return &c.Ask
	case e.decision == protocol.Defer:
		return &c.Defer
	case e.decision != protocol.Continue:
		return &c.Block
	case e.hasFailure():
		return &c.Failed
	case e.updatedInput != "" || e.updatedOut != "":
		return &c.Rewritten
	}
	return &c.Continue
}

// hasFailure reports whether a hook failed or an answer did not count.
func (e *entry) hasFailure() bool {
	if float64(len(e.warnings)) > e.lint {
		return true
	}
	for i, r := range e.hooks {
		switch string(r.status.text()) {
		case dialect.StatusFailed, dialect.StatusTimeout, dialect.StatusUnstarted:
			return true
		}
		if e.note(i) == dialect.NoteWarning {
			return true
		}
	}
	return false
}

// report counts the result of one hook of the call.
func (t *tally) report(i int) {
	e, r := t.entry, &t.entry.hooks[i]
	h := t.hook(r)
	h.last = later(h.last, e.time)
	if event := e.call.event.text(); event != "" && !slices.Contains(h.Events, event) {
		h.Events = append(h.Events, strings.Clone(event))
	}
	h.Matched++
	if r.limit > 0 {
		h.Limit = r.limit
	}
	status := string(r.status.text())
	*h.column(status, e.note(i), e.decision, t.injecting[h.Name])++
	delete(t.injecting, h.Name)
	switch status {
	case dialect.StatusOK, dialect.StatusBlocked, dialect.StatusObserved, dialect.StatusApproved,
		dialect.StatusFailed:
		if r.limit > 0 && r.duration >= 0.8*r.limit {
			h.Near++
		}
		fallthrough
	case dialect.StatusTimeout: // other statuses: no run to the end, or a later version of the log
		h.durations.add(r.duration)
	}
}

// column returns the counter for a call of the hook.
func (h *Hook) column(status string, note string, decision protocol.Decision, injects bool) *int {
	switch {
	case status == dialect.StatusBlocked && (note == dialect.NoteAsk || decision == protocol.Ask):
		// The hook answered ask or defer: in a call that ended with ask no hook answered block.
		return &h.Asked
	case status == dialect.StatusBlocked:
		return &h.Blocked
	case status == dialect.StatusObserved, status == dialect.StatusApproved:
		return &h.Observed
	case status == dialect.StatusTimeout:
		return &h.TimedOut
	case status == dialect.StatusUnstarted:
		return &h.Unstarted
	case status == dialect.StatusFailed, note == dialect.NoteWarning:
		return &h.Failed
	case status == dialect.StatusSkipped:
		return &h.Skipped
	case status == dialect.StatusAsync:
		return &h.Async
	case status != dialect.StatusOK:
		return &h.Other
	case note == dialect.NoteRewrite:
		return &h.Rewrote
	case injects:
		return &h.Injected
	}
	return &h.OK
}

// hook finds the hook of a report.
func (t *tally) hook(r *report) *hookTally {
	s := hookName{r.name, r.source, ""}
	if len(r.source) > 1 && r.source[1] != '/' {
		s.workspace = t.entry.workspace
	}
	if h := t.byName[s]; h != nil {
		return h
	}
	source := absolute(r.source.clone(), t.entry.workspace.text())
	key := hookKey{r.name.clone(), file(source)}
	h := t.byKey[key]
	if h == nil {
		h = &hookTally{Hook: Hook{Name: key.name, File: key.file}, last: t.entry.time}
		t.byKey[key] = h
		t.hooks = append(t.hooks, h)
	}
	t.byName[s.clone()] = h
	if altered(h.Name) {
		if h.sources == nil {
			h.sources = map[string]bool{}
		}
		h.sources[source] = true
	}
	return h
}

// absolute returns a source with an absolute path. A relative path starts at the working directory of the call: the
// workspace, or a folder above. If a folder above, the path contains the end of the workspace's path.
func absolute(source, workspace string) string {
	if source == "" || workspace == "" || filepath.IsAbs(source) {
		return source
	}
	if strings.HasSuffix(workspace, string(filepath.Separator)+filepath.Dir(source)) {
		source = filepath.Base(source)
	}
	return filepath.Join(workspace, source)
}

// file returns a source without its line number.
func file(source string) string {
	i := strings.LastIndexByte(source, ':')
	if i > 0 && i+1 < len(source) && strings.Trim(source[i+1:], "0123456789") == "" {
		return source[:i]
	}
	return source
}

// altered reports whether the writer of the log has redacted or cut a name.
func altered(name string) bool {
	return strings.Contains(name, "[redacted]") || strings.HasSuffix(name, " characters)")
}

const maxBlocks = 200

func (t *tally) block() {
	e := t.entry
	t.Blocks = append(t.Blocks[max(0, len(t.Blocks)+1-maxBlocks):], Block{
		Time: stamp(e.time), Event: e.call.event.clone(), Tool: e.call.tool.clone(), About: e.about(),
		Hook: e.decider.clone(), Cause: e.cause.clone(), Reason: e.reason.clone(), Decision: e.decision.String(),
		Session: e.session.clone(),
	})
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// stamp returns a time in the format of a log.
func stamp(at time.Time) string { return at.UTC().Format(runlog.TimeFormat) }
