package engine

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/state"
	"github.com/hookrun/hookrun/internal/state/stops"
	"github.com/hookrun/hookrun/protocol"
)

// stopCounts counts consecutive blocks at the ends of turns, for a long-running Runner.
type stopCounts struct {
	mu sync.Mutex
	n  map[string]int
}

// maxStops bounds the number of counts. At the bound all counts start again.
const maxStops = 10_000

func (s *stopCounts) add(key string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n == nil || len(s.n) >= maxStops {
		s.n = map[string]int{}
	}
	s.n[key]++
	return s.n[key]
}

func (s *stopCounts) clear(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.n, key)
}

// countStops ends a turn that hooks have blocked too often in a row, with a message to the user: otherwise the hooks
// would keep the agent running for ever. Hooks of a client's own file keep that client's rule.
func (p *Plan) countStops(o *protocol.Outcome) {
	event := p.call.Event
	switch {
	case dialect.Canonical(event) == protocol.PreExecute: // a new turn
		p.clearStops()
		return
	case !registry.EndsTurn(event):
		return
	case o.Decision == protocol.Continue:
		p.clearStop(event)
		return
	}
	reason := printable.Escape(strings.TrimSpace(o.Reason))
	if o.Cause == protocol.CauseUntrusted || o.Cause == protocol.CauseChanged { // the agent cannot change that
		endTurn(o, "hookrun: the hooks at the end of this turn did not run: "+reason)
		return
	}
	most, level := p.maxStopBlocks(o)
	if most == 0 {
		return
	}
	n, err := p.addStop(event, level)
	switch {
	case err != nil:
		endTurn(o, fmt.Sprintf("hookrun: hook '%s' would send the agent back to work, but how often it did cannot be "+
			"counted (%v), so the turn ends; its reason: %s", printable.Escape(o.Hook), err, reason))
	case n > most:
		p.clearStop(event)
		endTurn(o, fmt.Sprintf("hookrun: hooks have sent the agent back to work %d times in a row (max_stop_blocks), "+
			"so the turn ends; hook '%s' still says: %s", most, printable.Escape(o.Hook), reason))
	}
}

// endTurn lets the turn end, with a message to the user.
func endTurn(o *protocol.Outcome, message string) {
	o.Decision, o.Reason, o.Cause, o.Hook = protocol.Continue, "", "", ""
	o.SystemMessages = append(slices.Clip(o.SystemMessages), message)
}

// maxStopBlocks returns how often in a row the blocking hook may send the agent back to work, and the hook's level. It
// returns 0 for a hook of a client's own file.
func (p *Plan) maxStopBlocks(o *protocol.Outcome) (most int, level hook.Level) {
	if o.Hook == "" {
		return hook.DefaultStopBlocks, level
	}
	for _, h := range p.run {
		said := func(r protocol.Report) bool {
			return r.Name == h.Name && r.Source == h.Source() && r.Status != dialect.StatusOK
		}
		if h.Name == o.Hook {
			most, level = h.StopBlocks(), h.Level
			if slices.ContainsFunc(o.Hooks, said) { // several hooks can have the same name
				break
			}
		}
	}
	return most, level
}

// stopKey is the key of a count. Each level has its own count, so hooks of a lower level cannot use up the blocks of a
// higher level.
func (p *Plan) stopKey(event protocol.Event, level hook.Level) string {
	key := []string{p.call.Workspace, p.call.SessionID, p.call.AgentID, string(event), level.String()}
	return strings.Join(key, "\x00")
}

func (p *Plan) addStop(event protocol.Event, level hook.Level) (int, error) {
	if !p.runner.options.OneShot {
		return p.runner.stops.add(p.stopKey(event, level)), nil
	}
	state, err := p.runner.stateDir()
	if err != nil {
		return 0, err
	}
	return stops.Add(state, p.stopKey(event, level))
}

// clearStop clears the counts of all levels.
func (p *Plan) clearStop(event protocol.Event) {
	for level := hook.ManagedLevel; level <= hook.LocalLevel; level++ {
		if !p.runner.options.OneShot {
			p.runner.stops.clear(p.stopKey(event, level))
		} else if state, err := p.runner.stateDir(); err == nil {
			stops.Clear(state, p.stopKey(event, level))
		}
	}
}

// clearStops clears the counts of a session when its next turn begins.
func (p *Plan) clearStops() {
	client := registry.ClientOf(&p.call)
	if client == nil {
		return
	}
	if slices.ContainsFunc(p.loaded.hooks, func(h hook.Hook) bool { return h.StopBlocks() > 0 }) {
		for _, e := range client.Events {
			if e.Can&dialect.EndsTurn != 0 {
				p.clearStop(e.Name)
			}
		}
	}
}

// stateDir is the folder of the user's state.
func (r *Runner) stateDir() (string, error) {
	if r.options.StateDir != "" {
		return r.options.StateDir, nil
	}
	return state.Folder()
}
