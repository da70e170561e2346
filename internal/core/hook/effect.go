package hook

import (
	"fmt"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/protocol"
)

// Effect is what a hook does at present. Every command that shows or counts hooks takes it from here.
type Effect int

// Effects of hooks.
const (
	Acts      Effect = iota // runs, or blocks or injects as its rule says
	Asks                    // a rule that has a person asked
	OnlyLooks               // runs, and has no effect on the call
	IsOff                   // never runs
	CannotRun               // of a type that hookrun cannot run
)

// EffectAt returns the hook's effect at a time, and what keeps the hook from acting, or "".
func (h *Hook) EffectAt(now time.Time) (e Effect, why string) {
	switch last := h.LastObserved(); {
	case h.off():
		return IsOff, "switched off: " + h.Off()
	case h.Unsupported() != "":
		return CannotRun, "of a type that hookrun cannot run"
	case h.Observes(now) && last != "":
		return OnlyLooks, "only observes until " + last
	case h.Observes(now):
		return OnlyLooks, "only observes"
	case h.Rule() != nil && h.Rule().Decision == protocol.Ask:
		return Asks, "asks a person"
	}
	return Acts, ""
}

// Tally has the number of hooks with each Effect.
type Tally [CannotRun + 1]int

// Count counts the hooks from a level on: from ManagedLevel all, from ProjectLevel those that a person allows.
func Count(hooks []Hook, from Level, now time.Time) (t Tally) {
	for i := range hooks {
		if e, _ := hooks[i].EffectAt(now); hooks[i].Level >= from {
			t[e]++
		}
	}
	return t
}

// Active returns the number of hooks that run for some call.
func (t Tally) Active() int { return t[Acts] + t[Asks] + t[OnlyLooks] }

// String returns the counts for a person: "4 hooks (1 asking, 1 only observing), 1 switched off".
func (t Tally) String() string {
	part := func(e Effect, what string) string {
		if t[e] == 0 {
			return ""
		}
		return fmt.Sprintf(", %d %s", t[e], what)
	}
	text := spelling.Count(t.Active(), "hook")
	if of := part(Asks, "asking") + part(OnlyLooks, "only observing"); of != "" {
		text += " (" + strings.TrimPrefix(of, ", ") + ")"
	}
	return text + part(IsOff, "switched off") + part(CannotRun, "that hookrun cannot run")
}
