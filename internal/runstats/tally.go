package runstats

import (
	"maps"
	"path/filepath"
	"strings"
	"time"

	"github.com/hookrun/hookrun/protocol"
)

// tally is what one goroutine has counted. Of what depends on the order of the lines it knows where in the log it was, so that
// the sum of several tallies is the same whoever read which line.
type tally struct {
	filter                              filter
	lines, unreadable                   int
	calls, errors, stopped              int
	continued, blocked, asked, deferred int
	columns                             Columns
	from, to                            int64 // of the calls
	hooks                               map[hookKey]*hookTally
	spelled                             map[spelling]*hookTally // the same, as lines have them
	strays                              map[string]int          // by hook: calls into which it injected without having been asked there
	blocks                              []placedBlock           // the last; from 200 on each takes the place of the one at oldest
	oldest                              int

	entry     entry
	injecting map[string]bool // hooks that inject into the call at hand and were not found in it yet
}

type hookKey struct{ name, file string }

// spelling is a hook as a line has it: by the workspace where it is by that which file the source is.
type spelling struct{ name, source, workspace string }

type hookTally struct {
	hookKey
	first                                                                int64 // place of the first call
	order                                                                int   // of that call's hooks
	events                                                               map[string]int64
	sources                                                              map[string]bool // with their lines, if the name is altered
	matched, ok, blocked, injected, failed, timedOut, unstarted, skipped int
	async, near, asked, rewrote, other                                   int
	durations                                                            histogram
	limit                                                                float64
	limitAt                                                              int64 // place of the call that had it
	last                                                                 int64 // time of the last call
}

type placedBlock struct {
	at int64
	Block
}

func newTally(f filter) *tally {
	return &tally{filter: f, hooks: map[hookKey]*hookTally{}, spelled: map[spelling]*hookTally{}, strays: map[string]int{}, injecting: map[string]bool{}}
}

// line counts a line, which begins at that byte of the log.
func (t *tally) line(line []byte, at int64) {
	t.lines++
	if len(line) > maxLine || !t.entry.read(line) {
		t.unreadable++
		return
	}
	t.call(at)
}

// torn counts a last line without an end, if it is whole. If it is not, somebody is about to write the rest.
func (t *tally) torn(line []byte, at int64) {
	if t.entry.read(line) {
		t.lines++
		t.call(at)
	}
}

func (t *tally) call(at int64) {
	e := &t.entry
	if !t.filter.admits(e) {
		return
	}
	if t.calls == 0 {
		t.from, t.to = e.time, e.time
	}
	t.calls++
	t.from, t.to = min(t.from, e.time), max(t.to, e.time)
	*t.columns.of(e)++
	if e.err != "" {
		t.errors++
	}
	if !e.outcome {
		return
	}
	if e.stop {
		t.stopped++
	}
	switch e.decision {
	case protocol.Continue:
		t.continued++
	case protocol.Ask:
		t.asked++
	case protocol.Defer:
		t.deferred++
	default:
		t.blocked++
	}
	if e.decision != protocol.Continue {
		t.block(at)
	}
	e.injecting(func(hook string) { t.injecting[text(hook)] = true })
	order := 0
	e.reports(func(r report) {
		t.report(&r, at, order)
		order++
	})
	for hook := range t.injecting {
		if hook != "" { // "" is a text of a queue
			t.strays[hook]++
		}
	}
	clear(t.injecting)
}

// of is the column of a call. What ended it comes before what it was like: no verdict, the end of the loop, a decision, a failure,
// a rewrite.
func (c *Columns) of(e *entry) *int {
	switch {
	case e.err != "" || !e.outcome:
		return &c.Error
	case e.stop:
		return &c.Stop
	case e.decision == protocol.Ask:
		return &c.Ask
	case e.decision == protocol.Defer:
		return &c.Defer
	case e.decision != protocol.Continue:
		return &c.Block
	case e.troubled():
		return &c.Failed
	case e.updatedInput != "" || e.updatedOut != "":
		return &c.Rewritten
	}
	return &c.Continue
}

// troubled reports whether a gate of the call did not count, or something else of it.
func (e *entry) troubled() (is bool) {
	warnings := 0.0
	texts(e.warnings, func(string) { warnings++ })
	is = warnings > e.lint
	e.reports(func(r report) {
		switch protocol.Status(unquoted(r.status)) {
		case protocol.StatusFailed, protocol.StatusTimeout, protocol.StatusUnstarted:
			is = true
		}
	})
	for i := range min(e.count, len(e.notes)) {
		is = is || e.notes[i] == protocol.NoteWarning
	}
	return is
}

// add adds what another one counted.
func (c *Columns) add(o *Columns) {
	c.Continue += o.Continue
	c.Rewritten += o.Rewritten
	c.Failed += o.Failed
	c.Ask += o.Ask
	c.Defer += o.Defer
	c.Block += o.Block
	c.Stop += o.Stop
	c.Error += o.Error
}

func (t *tally) report(r *report, at int64, order int) {
	h := t.hook(r, at, order)
	e := &t.entry
	h.last = max(h.last, e.time)
	if event := unquoted(e.event); event != "" {
		if _, known := h.events[event]; !known {
			h.events[strings.Clone(event)] = at
		}
	}
	injects := len(t.injecting) > 0 && t.injecting[h.name]
	if injects {
		delete(t.injecting, h.name)
	}
	h.matched++
	if r.limit > 0 {
		h.limit, h.limitAt = r.limit, at
	}
	*h.column(e, r, e.note(order), injects)++
	switch protocol.Status(unquoted(r.status)) {
	case protocol.StatusOK, protocol.StatusBlocked, protocol.StatusFailed:
	case protocol.StatusTimeout:
		h.durations.add(r.duration)
		return
	default: // it did not run to its end, or is of a later version
		return
	}
	h.durations.add(r.duration)
	if r.limit > 0 && r.duration >= 0.8*r.limit {
		h.near++
	}
}

// column is the count that a call of the hook is in.
func (h *hookTally) column(e *entry, r *report, note protocol.Note, injects bool) *int {
	switch status := protocol.Status(unquoted(r.status)); {
	case status == protocol.StatusBlocked && (note == protocol.NoteAsk || e.decision == protocol.Ask): // or defer; nothing milder holds up
		return &h.asked
	case status == protocol.StatusBlocked:
		return &h.blocked
	case status == protocol.StatusTimeout:
		return &h.timedOut
	case status == protocol.StatusUnstarted:
		return &h.unstarted
	case status == protocol.StatusFailed, note == protocol.NoteWarning:
		return &h.failed
	case status == protocol.StatusSkipped:
		return &h.skipped
	case status == protocol.StatusAsync:
		return &h.async
	case status != protocol.StatusOK:
		return &h.other
	case note == protocol.NoteRewrite:
		return &h.rewrote
	case injects:
		return &h.injected
	}
	return &h.ok
}

// hook finds the hook of a report.
func (t *tally) hook(r *report, at int64, order int) *hookTally {
	s := spelling{r.name, r.source, ""}
	if len(r.source) > 1 && r.source[1] != '/' {
		s.workspace = t.entry.workspace
	}
	if h := t.spelled[s]; h != nil {
		return h
	}
	key := hookKey{text(r.name), file(absolute(text(r.source), text(t.entry.workspace)))}
	h := t.hooks[key]
	if h == nil {
		h = &hookTally{hookKey: key, first: at, order: order, events: map[string]int64{}, last: t.entry.time, limitAt: -1}
		t.hooks[key] = h
	}
	t.spelled[spelling{strings.Clone(s.name), strings.Clone(s.source), strings.Clone(s.workspace)}] = h
	if altered(h.name) {
		if h.sources == nil {
			h.sources = map[string]bool{}
		}
		h.sources[absolute(text(r.source), text(t.entry.workspace))] = true
	}
	return h
}

// absolute is a source by its absolute path. One that is not was named from the folder where the call was made. That is mostly the
// workspace, or else one above it from which the workspace was named too.
func absolute(source, workspace string) string {
	if source == "" || workspace == "" || filepath.IsAbs(source) {
		return source
	}
	if strings.HasSuffix(workspace, string(filepath.Separator)+filepath.Dir(source)) {
		source = filepath.Base(source)
	}
	return filepath.Join(workspace, source)
}

// file is a source without its line.
func file(source string) string {
	i := strings.LastIndexByte(source, ':')
	if i > 0 && i+1 < len(source) && strings.Trim(source[i+1:], "0123456789") == "" {
		return source[:i]
	}
	return source
}

// altered reports whether a name is one that the writer of the log took something out of, or cut.
func altered(name string) bool {
	return strings.Contains(name, "[redacted]") || strings.HasSuffix(name, " characters)")
}

const maxBlocks = 200

func (t *tally) block(at int64) {
	e := &t.entry
	b := placedBlock{at, Block{
		Time: stamp(e.time), Event: text(e.event), Tool: text(e.tool), Hook: text(e.hook), Cause: text(e.cause), Reason: text(e.reason),
		Decision: e.decision.String(), Session: text(e.session),
	}}
	if len(t.blocks) < maxBlocks {
		t.blocks = append(t.blocks, b)
		return
	}
	t.blocks[t.oldest] = b
	t.oldest = (t.oldest + 1) % maxBlocks
}

// merge adds what another goroutine has counted.
func (t *tally) merge(o *tally) {
	if t.calls == 0 {
		t.from, t.to = o.from, o.to
	} else if o.calls > 0 {
		t.from, t.to = min(t.from, o.from), max(t.to, o.to)
	}
	t.lines += o.lines
	t.unreadable += o.unreadable
	t.calls += o.calls
	t.errors += o.errors
	t.stopped += o.stopped
	t.continued += o.continued
	t.blocked += o.blocked
	t.asked += o.asked
	t.deferred += o.deferred
	t.columns.add(&o.columns)
	t.blocks = append(t.blocks, o.blocks...)
	for hook, n := range o.strays {
		t.strays[hook] += n
	}
	for key, more := range o.hooks {
		h := t.hooks[key]
		if h == nil {
			t.hooks[key] = more
			continue
		}
		if more.first < h.first {
			h.first, h.order = more.first, more.order
		}
		h.last = max(h.last, more.last)
		for event, at := range more.events {
			if first, known := h.events[event]; !known || at < first {
				h.events[event] = at
			}
		}
		if h.sources != nil {
			maps.Copy(h.sources, more.sources)
		}
		if more.limitAt > h.limitAt {
			h.limit, h.limitAt = more.limit, more.limitAt
		}
		h.matched += more.matched
		h.ok += more.ok
		h.blocked += more.blocked
		h.injected += more.injected
		h.failed += more.failed
		h.timedOut += more.timedOut
		h.unstarted += more.unstarted
		h.skipped += more.skipped
		h.async += more.async
		h.asked += more.asked
		h.rewrote += more.rewrote
		h.other += more.other
		h.near += more.near
		h.durations.merge(&more.durations)
	}
}

// stamp is a time as a log has it.
func stamp(micros int64) string {
	return time.UnixMicro(micros).UTC().Format("2006-01-02T15:04:05.000000Z")
}
