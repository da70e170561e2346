package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/stops"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/state"
	"github.com/hookrun/hookrun/protocol"
)

// countStops ends a turn that hooks have blocked too often in a row, with a message to the user: otherwise the hooks
// would keep the agent running for ever. Hooks of a client's own file keep that client's rule.
func (p *Plan) countStops(o *protocol.Outcome) {
	event := p.call.Event
	switch {
	case p.isPrompt:
		p.noteStopPrompt()
		return
	case !p.endsTurn:
		return
	case o.Decision == protocol.Continue:
		if store, err := p.stops(); err == nil {
			store.Clear(p.stopKey(event))
		}
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
	store, err := p.stops()
	n := 0
	if err == nil {
		goesOn := p.call.Field("stop_hook_active") == "true" // the clients that say so share the name
		n, err = store.Blocked(p.stopKey(event), level.String(), o.Reason, goesOn)
	}
	switch {
	case err != nil:
		endTurn(o, fmt.Sprintf("hookrun: hook '%s' would send the agent back to work, but how often it did cannot be "+
			"counted (%v), so the turn ends; its reason: %s", printable.Escape(o.Hook), err, reason))
	case n > most:
		store.Clear(p.stopKey(event))
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

// stopKey is the key of the counts at an event. Each level has its own count, so hooks of a lower level cannot use up
// the blocks of a higher level.
func (p *Plan) stopKey(event protocol.Event) string {
	return strings.Join([]string{p.call.Workspace, p.call.SessionID, p.call.AgentID, string(event)}, "\x00")
}

// stops returns the blocks in a row of all conversations.
func (p *Plan) stops() (*stops.Store, error) {
	if !p.runner.options.OneShot {
		return &p.runner.stops, nil
	}
	dir, err := p.runner.stateDir()
	return &stops.Store{Dir: dir}, err
}

// noteStopPrompt notes a prompt, which begins a new turn if it is not the reason of a block.
func (p *Plan) noteStopPrompt() {
	client := p.call.Sender()
	blocks := func(h hook.Hook) bool { return h.StopBlocks() > 0 }
	if client == nil || !slices.ContainsFunc(p.loaded.hooks, blocks) {
		return
	}
	store, err := p.stops()
	for _, e := range client.Events {
		if err == nil && e.Can&dialect.EndsTurn != 0 {
			store.Prompted(p.stopKey(e.Name), p.call.Prompt)
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
