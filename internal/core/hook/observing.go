package hook

import (
	"fmt"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/lib/spelling"
)

// Observes reports whether the hook only observes at a time.
func (h *Hook) Observes(at time.Time) bool {
	return h.Observe && (h.ObserveUntil.IsZero() || at.Before(h.ObserveUntil))
}

// LastObserved returns the last day on which the hook only observes, or "" without an end.
func (h *Hook) LastObserved() string {
	if !h.Observe || h.ObserveUntil.IsZero() {
		return ""
	}
	return h.ObserveUntil.AddDate(0, 0, -1).Format(time.DateOnly)
}

// Observed is a message about hooks that only observe.
type Observed struct {
	Diagnostic
	Over bool // the last day is over, so the hooks block
	Soon bool // the last day is within a week
}

// Observing describes the hooks that only observe, or did until a day, with a message for each position.
func Observing(hooks []Hook, now time.Time) (found []Observed) {
	type place struct{ source, last string }
	names, order := map[place][]string{}, []*Hook{} // the first hook of each place
	for i := range hooks {
		h := &hooks[i]
		if !h.Observe || !h.Active() {
			continue
		}
		at := place{h.Source(), h.LastObserved()}
		if names[at] == nil {
			order = append(order, h)
		}
		names[at] = append(names[at], spelling.Quote(h.Name))
	}
	for _, h := range order {
		found = append(found, h.observed(names[place{h.Source(), h.LastObserved()}], now))
	}
	return found
}

// observed returns the message about the named hooks, which have one position and one last day.
func (h *Hook) observed(names []string, now time.Time) (o Observed) {
	const most, week = 3, 7 * 24 * time.Hour
	who := "hook " + names[0]
	if len(names) > 1 {
		who = "hooks " + strings.Join(names[:min(most, len(names))], ", ")
	}
	if n := len(names) - most; n > 0 {
		who += fmt.Sprintf(" and %d more", n)
	}
	last := h.LastObserved()
	o.Over = !h.Observes(now)
	o.Soon = last != "" && !o.Over && h.ObserveUntil.Sub(now) <= week
	ending, runs, until := "s", "it runs, and blocks", ""
	if len(names) > 1 {
		ending, runs = "", "they run, and block"
	}
	if last != "" {
		until = " until " + last
	}
	text := fmt.Sprintf("%s only observe%s%s: %s nothing", who, ending, until, runs)
	switch {
	case o.Over:
		text = fmt.Sprintf(`%s observed%s, and block%s now: "observe_until" and the mode can go`, who, until, ending)
	case o.Soon:
		text += "; from " + h.ObserveUntil.Format(time.DateOnly) + " on (UTC) calls are blocked"
	}
	o.Diagnostic = h.Diagnostic(text)
	return o
}
