package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/runlog/stats"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// logText returns the summary for a person. No row is wider than 120 columns.
func logText(s *stats.Summary, colour bool) string {
	p := paint(colour)
	var b strings.Builder
	p.heading(&b, s)
	p.hooks(&b, s.Hooks)
	section(&b, p.as(bold, "never fired"), s.NeverFired, func(n stats.NeverFired) string {
		where := n.Source + ", " + strings.Join(n.Events, ", ")
		return fmt.Sprintf("%s  %s", ellipsize(printable.Escape(n.Name), 40), ellipsize(where, 74))
	})
	slow := slices.DeleteFunc(slices.Clone(s.Hooks), func(h stats.Hook) bool {
		return h.Near == 0 && h.TimedOut == 0
	})
	section(&b, p.as(bold, "near their timeout"), slow, func(h stats.Hook) string {
		limit := ""
		if h.Limit > 0 {
			limit = " of " + duration(h.Limit)
		}
		name := ellipsize(printable.Escape(h.Name), 40)
		return fmt.Sprintf("%s  %d took 80 %% or more%s, %d timed out", name, h.Near, limit, h.TimedOut)
	})
	unstarted := slices.DeleteFunc(slices.Clone(s.Hooks), func(h stats.Hook) bool { return h.Unstarted == 0 })
	section(&b, p.as(bold, "could not be started"), unstarted, func(h stats.Hook) string {
		return fmt.Sprintf("%s  %s", ellipsize(printable.Escape(h.Name), 40), spelling.Count(h.Unstarted, "time"))
	})
	blocks := s.Blocks[max(0, len(s.Blocks)-10):]
	section(&b, p.as(bold, "last blocks"), blocks, func(x stats.Block) string {
		when := x.Time
		if t, err := time.Parse(time.RFC3339Nano, x.Time); err == nil {
			when = t.Local().Format(time.DateTime)
		}
		what := strings.TrimSpace(when + "  " + ellipsize(x.Event+" "+x.Tool, 36))
		who := ellipsize(cmp.Or(printable.Escape(x.Hook), "hookrun"), 30) + ", " + ellipsize(x.Cause, 16)
		about := ""
		if x.About != "" {
			about = "\n      " + ellipsize(x.About, 110)
		}
		reason := p.as(dim, ellipsize(x.Reason, 110))
		return fmt.Sprintf("%s: %s (%s)%s\n      %s", what, p.as(red, x.Decision), who, about, reason)
	})
	return b.String()
}

func (p paint) heading(b *strings.Builder, s *stats.Summary) {
	for _, file := range s.Files {
		fmt.Fprintln(b, p.as(bold, ellipsize(file, 118)))
	}
	if s.Calls > 0 {
		from, _ := time.Parse(time.RFC3339Nano, s.From)
		to, _ := time.Parse(time.RFC3339Nano, s.To)
		fmt.Fprintf(b, "%s from %s to %s\n",
			spelling.Count(s.Calls, "call"), from.Local().Format(time.DateTime), to.Local().Format(time.DateTime))
	} else {
		fmt.Fprintln(b, "no calls")
	}
	var counts []string
	count := func(n int, what string, colour int) {
		if n > 0 {
			counts = append(counts, p.as(colour, fmt.Sprintf("%d %s", n, what)))
		}
	}
	c := &s.Columns // their sum is the number of calls
	count(c.Continue, "went on", green)
	count(c.Rewritten, "went on rewritten", green)
	count(c.Failed, "went on past a failure", yellow)
	count(c.Block, "blocked", red)
	count(c.Ask, "to be asked about", yellow)
	count(c.Defer, "deferred", yellow)
	count(c.Stop, "stopped the loop", red)
	count(c.Error, "without a verdict", red)
	count(s.Missed, "missing, the log could not be written", yellow)
	if s.Unreadable > 0 {
		counts = append(counts, p.as(yellow, spelling.Count(s.Unreadable, "line")+" could not be read"))
	}
	if len(counts) > 0 {
		fmt.Fprintln(b, strings.Join(counts, ", "))
	}
}

// cell is a text in a table.
type cell struct {
	text   string
	colour int
}

// column is a number in the table of hooks. A rare column appears only if a hook needs it.
type column struct {
	title  string
	of     func(*stats.Hook) int
	colour int
	rare   bool
}

// columns returns the columns for hooks. All but the first count results, and each call counts in exactly one of them.
func columns(hooks []stats.Hook) []column {
	return slices.DeleteFunc([]column{
		{"matched", func(h *stats.Hook) int { return h.Matched }, 0, false},
		{"ok", func(h *stats.Hook) int { return h.OK }, 0, false},
		{"blocked", func(h *stats.Hook) int { return h.Blocked }, red, false},
		{"asked", func(h *stats.Hook) int { return h.Asked }, yellow, true},
		{"observed", func(h *stats.Hook) int { return h.Observed }, yellow, true},
		{"injected", func(h *stats.Hook) int { return h.Injected }, green, false},
		{"rewrote", func(h *stats.Hook) int { return h.Rewrote }, green, true},
		{"failed", func(h *stats.Hook) int { return h.Failed }, yellow, false},
		{"timed out", func(h *stats.Hook) int { return h.TimedOut }, yellow, false},
		{"not started", func(h *stats.Hook) int { return h.Unstarted }, yellow, true},
		{"skipped", func(h *stats.Hook) int { return h.Skipped }, 0, true},
		{"async", func(h *stats.Hook) int { return h.Async }, 0, true},
		{"other", func(h *stats.Hook) int { return h.Other }, 0, true},
	}, func(c column) bool {
		return c.rare && !slices.ContainsFunc(hooks, func(h stats.Hook) bool { return c.of(&h) > 0 })
	})
}

// hooks writes the table of hooks: names, counts of results, and run times.
func (p paint) hooks(b *strings.Builder, hooks []stats.Hook) {
	if len(hooks) == 0 {
		return
	}
	named := map[string]int{}
	for _, h := range hooks {
		named[h.Name]++
	}
	columns := columns(hooks)
	head := []cell{{"hook", bold}}
	for _, c := range columns {
		head = append(head, cell{c.title, bold})
	}
	rows := [][]cell{append(head, cell{"p50", bold}, cell{"p95", bold}, cell{"max", bold})}
	for i := range hooks {
		h := &hooks[i]
		name := printable.Escape(h.Name)
		if named[h.Name] > 1 {
			name += " (" + h.File + ")"
		}
		row := []cell{{ellipsize(name, 40), 0}}
		for _, c := range columns {
			number := cell{"0", dim}
			if n := c.of(h); n != 0 {
				number = cell{strconv.Itoa(n), c.colour}
			}
			row = append(row, number)
		}
		ran := h.OK + h.Blocked + h.Asked + h.Observed + h.Injected + h.Rewrote + h.Failed + h.TimedOut
		for _, ms := range []float64{h.P50, h.P95, h.Max} {
			took := cell{"-", dim}
			if ran != 0 {
				took = cell{duration(ms), 0}
			}
			row = append(row, took)
		}
		rows = append(rows, row)
	}
	b.WriteByte('\n')
	p.table(b, rows)
}

// table writes rows of equal length: names on the left, numbers on the right. Long names are cut.
func (p paint) table(b *strings.Builder, rows [][]cell) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, c := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(c.text))
		}
	}
	room := 120 // columns of a terminal; the names get the rest
	for _, width := range widths[1:] {
		room -= 2 + width
	}
	widths[0] = min(widths[0], max(room, 16))
	for _, row := range rows {
		name := ellipsize(row[0].text, widths[0])
		b.WriteString(p.as(row[0].colour, name) + blanks(widths[0], name))
		for i, c := range row[1:] {
			b.WriteString("  " + blanks(widths[i+1], c.text) + p.as(c.colour, c.text))
		}
		b.WriteByte('\n')
	}
}

// blanks returns the blanks that fill a column beside a text.
func blanks(width int, text string) string {
	return strings.Repeat(" ", width-utf8.RuneCountInString(text))
}

func section[T any](b *strings.Builder, title string, entries []T, line func(T) string) {
	if len(entries) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", title)
	for _, e := range entries {
		fmt.Fprintf(b, "  %s\n", line(e))
	}
}

// callText returns a call in one line of less than 120 columns: time, event and tool, verdict, subject, and hooks. Each
// text for the model has a further line.
func callText(c *stats.Call, colour bool) string {
	line := callLine(c, colour) + "\n"
	for _, text := range c.Displays {
		line += "          " + paint(colour).as(dim, ellipsize(text, 110)) + "\n"
	}
	return line
}

func callLine(c *stats.Call, colour bool) string {
	p := paint(colour)
	verdict, tint := c.Decision, green
	switch {
	case c.Decision == "":
		verdict, tint = "no verdict: "+ellipsize(c.Error, 50), red
	case c.Decision != protocol.Continue.String():
		tint = red
	}
	if c.Stop {
		verdict, tint = verdict+", stop", red
	}
	if c.Cause != "" {
		verdict += " (" + ellipsize(c.Cause, 16) + ")"
	}
	line := c.Time.Local().Format(time.TimeOnly)
	if what := strings.TrimSpace(ellipsize(c.Event, 18) + " " + ellipsize(c.Tool, 24)); what != "" {
		line += "  " + what
	}
	room := 116 - utf8.RuneCountInString(line+verdict)
	line += "  " + p.as(tint, verdict)
	if room < 20 {
		return line
	}
	about := ellipsize(c.About, room)
	hooks := hooksText(c.Hooks, max(room-2-utf8.RuneCountInString(about), room*2/5))
	if about = ellipsize(c.About, room-2-utf8.RuneCountInString(hooks)); about != "" {
		line += "  " + about
	}
	if hooks != "" {
		line += "  " + p.as(dim, hooks)
	}
	return line
}

// hooksText returns the results of a call's first hooks, in at most room characters, and the number of further hooks.
func hooksText(hooks []stats.Report, room int) (text string) {
	for i, h := range hooks {
		what := duration(float64(h.Duration) / float64(time.Millisecond))
		if h.Status == dialect.StatusSkipped {
			what = ""
		}
		if h.Status != dialect.StatusOK {
			what = strings.TrimSpace(ellipsize(string(h.Status), 12) + " " + what)
		}
		next := ellipsize(printable.Escape(h.Name), 24) + ": " + what
		if i > 0 {
			next = ", " + next
		}
		rest := ""
		if more := len(hooks) - i - 1; more > 0 {
			rest = fmt.Sprintf(", %d more", more)
		}
		if i > 0 && utf8.RuneCountInString(text+next+rest) > room {
			rest = fmt.Sprintf(", %d more", len(hooks)-i)
			return ellipsize(text, room-len(rest)) + rest
		}
		text += next
	}
	return ellipsize(text, room)
}

// ellipsize returns a text in one line of at most most characters, cut in the middle, without control characters.
func ellipsize(text string, most int) string {
	first, rest, more := strings.Cut(strings.TrimSpace(text), "\n")
	if first = strings.TrimRight(first, "\r"); more && strings.TrimSpace(rest) != "" {
		first += " …"
	}
	runes := []rune(visible(first))
	if most = max(most, 3); len(runes) > most {
		half := (most - 1) / 2
		runes = slices.Concat(runes[:most-1-half], []rune("…"), runes[len(runes)-half:])
	}
	return string(runes)
}
