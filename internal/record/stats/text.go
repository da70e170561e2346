package stats

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/printable/terminal"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// Text returns the summary for a person. No row is wider than 120 columns.
func (s *Summary) Text(p terminal.Paint) string {
	var b strings.Builder
	s.heading(&b, p)
	hookTable(&b, p, s.Hooks)
	s.neverFired(&b, p)
	slow := slices.DeleteFunc(slices.Clone(s.Hooks), func(h Hook) bool {
		return h.Near == 0 && h.TimedOut == 0
	})
	section(&b, p.As(terminal.Bold, "near their timeout"), slow, func(h Hook) string {
		limit := ""
		if h.Limit > 0 {
			limit = " of " + terminal.Duration(h.Limit)
		}
		return fmt.Sprintf("%s  %d took 80 %% or more%s, %d timed out", shortName(h.Name), h.Near, limit, h.TimedOut)
	})
	unstarted := slices.DeleteFunc(slices.Clone(s.Hooks), func(h Hook) bool { return h.Unstarted == 0 })
	section(&b, p.As(terminal.Bold, "could not be started"), unstarted, func(h Hook) string {
		return shortName(h.Name) + "  " + spelling.Count(h.Unstarted, "time")
	})
	blocks := s.Blocks[max(0, len(s.Blocks)-10):]
	section(&b, p.As(terminal.Bold, "last blocks"), blocks, func(x Block) string {
		when := x.Time
		if t, err := time.Parse(time.RFC3339Nano, x.Time); err == nil {
			when = t.Local().Format(time.DateTime)
		}
		what := strings.TrimSpace(when + "  " + terminal.Ellipsize(x.Event+" "+x.Tool, 36))
		who := terminal.Ellipsize(cmp.Or(printable.Escape(x.Hook), "hookrun"), 30)
		about := ""
		if x.About != "" {
			about = "\n      " + terminal.Ellipsize(x.About, 110)
		}
		reason := p.As(terminal.Dim, terminal.Ellipsize(x.Reason, 110))
		return fmt.Sprintf("%s: %s (%s, %s)%s\n      %s", what, p.As(terminal.Red, x.Decision), who,
			terminal.Ellipsize(x.Cause, 16), about, reason)
	})
	return b.String()
}

// neverFired writes the hooks that no call has run, below their files.
func (s *Summary) neverFired(b *strings.Builder, p terminal.Paint) {
	if len(s.NeverFired) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", p.As(terminal.Bold, "never fired"))
	shown := ""
	for _, n := range s.NeverFired {
		path := file(n.Source)
		if path != shown {
			fmt.Fprintf(b, "  %s\n", terminal.Ellipsize(path, 118))
			shown = path
		}
		about := strings.Join(n.Events, ", ")
		if line := n.Source[len(path):]; line != "" {
			about = "line " + line[1:] + ", " + about
		}
		fmt.Fprintf(b, "    %s  %s\n", shortName(n.Name), terminal.Ellipsize(about, 72))
	}
}

// shortName returns the name of a hook for a row.
func shortName(hook string) string { return terminal.Ellipsize(printable.Escape(hook), 40) }

func (s *Summary) heading(b *strings.Builder, p terminal.Paint) {
	for _, file := range s.Files {
		fmt.Fprintln(b, p.As(terminal.Bold, terminal.Ellipsize(file, 118)))
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
			counts = append(counts, p.As(colour, fmt.Sprintf("%d %s", n, what)))
		}
	}
	c := &s.Columns // their sum is the number of calls
	count(c.Continue, "went on", terminal.Green)
	count(c.Rewritten, "went on rewritten", terminal.Green)
	count(c.Failed, "went on past a failure", terminal.Yellow)
	count(c.Block, "blocked", terminal.Red)
	count(c.Ask, "to be asked about", terminal.Yellow)
	count(c.Defer, "deferred", terminal.Yellow)
	count(c.Stop, "stopped the loop", terminal.Red)
	count(c.Error, "without a verdict", terminal.Red)
	count(s.Missed, "missing, the log could not be written", terminal.Yellow)
	if s.Unreadable > 0 {
		counts = append(counts, p.As(terminal.Yellow, spelling.Count(s.Unreadable, "line")+" could not be read"))
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
	of     func(*Hook) int
	colour int
	rare   bool
}

// columns returns the columns for hooks. All but the first count results, and each call counts in exactly one of them.
func columns(hooks []Hook) []column {
	return slices.DeleteFunc([]column{
		{"matched", func(h *Hook) int { return h.Matched }, 0, false},
		{"ok", func(h *Hook) int { return h.OK }, 0, false},
		{"blocked", func(h *Hook) int { return h.Blocked }, terminal.Red, false},
		{"asked", func(h *Hook) int { return h.Asked }, terminal.Yellow, true},
		{"observed", func(h *Hook) int { return h.Observed }, terminal.Yellow, true},
		{"injected", func(h *Hook) int { return h.Injected }, terminal.Green, false},
		{"rewrote", func(h *Hook) int { return h.Rewrote }, terminal.Green, true},
		{"failed", func(h *Hook) int { return h.Failed }, terminal.Yellow, false},
		{"timed out", func(h *Hook) int { return h.TimedOut }, terminal.Yellow, false},
		{"not started", func(h *Hook) int { return h.Unstarted }, terminal.Yellow, true},
		{"skipped", func(h *Hook) int { return h.Skipped }, 0, true},
		{"async", func(h *Hook) int { return h.Async }, 0, true},
		{"other", func(h *Hook) int { return h.Other }, 0, true},
	}, func(c column) bool {
		return c.rare && !slices.ContainsFunc(hooks, func(h Hook) bool { return c.of(&h) > 0 })
	})
}

// hookTable writes the table of hooks: names, counts of results, and run times.
func hookTable(b *strings.Builder, p terminal.Paint, hooks []Hook) {
	if len(hooks) == 0 {
		return
	}
	named := map[string]int{}
	for _, h := range hooks {
		named[h.Name]++
	}
	columns := columns(hooks)
	head := []cell{{"hook", terminal.Bold}}
	for _, c := range columns {
		head = append(head, cell{c.title, terminal.Bold})
	}
	rows := [][]cell{append(head, cell{"p50", terminal.Bold}, cell{"p95", terminal.Bold}, cell{"max", terminal.Bold})}
	for i := range hooks {
		h := &hooks[i]
		name := printable.Escape(h.Name)
		if named[h.Name] > 1 {
			name += " (" + h.File + ")"
		}
		row := []cell{{terminal.Ellipsize(name, 40), 0}}
		for _, c := range columns {
			number := cell{"0", terminal.Dim}
			if n := c.of(h); n != 0 {
				number = cell{strconv.Itoa(n), c.colour}
			}
			row = append(row, number)
		}
		ran := h.OK + h.Blocked + h.Asked + h.Observed + h.Injected + h.Rewrote + h.Failed + h.TimedOut
		for _, ms := range []float64{h.P50, h.P95, h.Max} {
			took := cell{"-", terminal.Dim}
			if ran != 0 {
				took = cell{terminal.Duration(ms), 0}
			}
			row = append(row, took)
		}
		rows = append(rows, row)
	}
	b.WriteByte('\n')
	writeTable(b, p, rows)
}

// writeTable writes rows of equal length: names on the left, numbers on the right. Long names are cut.
func writeTable(b *strings.Builder, p terminal.Paint, rows [][]cell) {
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
		name := terminal.Ellipsize(row[0].text, widths[0])
		b.WriteString(p.As(row[0].colour, name) + blanks(widths[0], name))
		for i, c := range row[1:] {
			b.WriteString("  " + blanks(widths[i+1], c.text) + p.As(c.colour, c.text))
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

// Text returns a call in one line of less than 120 columns: time, event and tool, verdict, subject, and hooks. Each
// text for the model has a further line.
func (c *Call) Text(p terminal.Paint) string {
	line := c.line(p) + "\n"
	for _, text := range c.Displays {
		line += "          " + p.As(terminal.Dim, terminal.Ellipsize(text, 110)) + "\n"
	}
	return line
}

func (c *Call) line(p terminal.Paint) string {
	verdict, tint := c.Decision, terminal.Green
	switch {
	case c.Decision == "":
		verdict, tint = "no verdict: "+terminal.Ellipsize(c.Error, 50), terminal.Red
	case c.Decision != protocol.Continue.String():
		tint = terminal.Red
	}
	if c.Stop {
		verdict, tint = verdict+", stop", terminal.Red
	}
	if c.Cause != "" {
		verdict += " (" + terminal.Ellipsize(c.Cause, 16) + ")"
	}
	line := c.Time.Local().Format(time.TimeOnly)
	if what := strings.TrimSpace(terminal.Ellipsize(c.Event, 18) + " " + terminal.Ellipsize(c.Tool, 24)); what != "" {
		line += "  " + what
	}
	room := 116 - utf8.RuneCountInString(line+verdict)
	line += "  " + p.As(tint, verdict)
	if room < 20 {
		return line
	}
	about := terminal.Ellipsize(c.About, room)
	hooks := hooksText(c.Hooks, max(room-2-utf8.RuneCountInString(about), room*2/5))
	if about = terminal.Ellipsize(c.About, room-2-utf8.RuneCountInString(hooks)); about != "" {
		line += "  " + about
	}
	if hooks != "" {
		line += "  " + p.As(terminal.Dim, hooks)
	}
	return line
}

// hooksText returns the results of a call's first hooks, in at most room characters, and the number of further hooks.
func hooksText(hooks []Report, room int) (text string) {
	for i, h := range hooks {
		what := terminal.Duration(float64(h.Duration) / float64(time.Millisecond))
		if h.Status == dialect.StatusSkipped {
			what = ""
		}
		if h.Status != dialect.StatusOK {
			what = strings.TrimSpace(terminal.Ellipsize(string(h.Status), 12) + " " + what)
		}
		next := terminal.Ellipsize(printable.Escape(h.Name), 24) + ": " + what
		if i > 0 {
			next = ", " + next
		}
		rest := ""
		if more := len(hooks) - i - 1; more > 0 {
			rest = fmt.Sprintf(", %d more", more)
		}
		if i > 0 && utf8.RuneCountInString(text+next+rest) > room {
			rest = fmt.Sprintf(", %d more", len(hooks)-i)
			return terminal.Ellipsize(text, room-len(rest)) + rest
		}
		text += next
	}
	return terminal.Ellipsize(text, room)
}
