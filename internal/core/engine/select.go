package engine

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/process"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/protocol"
)

// hookSet is the hooks of one config, in order. It never changes: a call keeps the set that it began with.
type hookSet struct {
	config   *hookfile.Config
	clients  dialect.Clients              // of config
	hooks    []hook.Hook                  // the functions, followed by the hooks of the config
	pools    map[*hook.Hook]*process.Pool // for the persistent hooks, also of userOnly
	userOnly *hookSet                     // without the hooks of the project; nil: no file is checked
	files    *hookfile.Snapshot           // of the config; nil: it was just read
	err      error                        // why the hooks are unknown; every call is blocked
}

// NewFunction returns a function for every call of an event. Each failure blocks.
func NewFunction(name string, on protocol.Event,
	run func(ctx context.Context, c *dialect.Call, limit time.Duration) dialect.Verdict) hook.Hook {
	return hook.Hook{Name: name, Dialect: tenex.Dialect, File: "func", Events: []protocol.Event{on},
		Handler: &hook.Function{Run: run}}
}

// newHookSet makes the hook set of a config, with the set to use while the project is not allowed.
func (r *Runner) newHookSet(cfg *hookfile.Config) *hookSet {
	hs := r.buildHookSet(cfg)
	if r.requiresTrust(cfg) || r.options.Pin {
		if r.options.CheckTrust == nil {
			hs.err = errNoTrustCheck
		}
		hs.userOnly = r.buildHookSet(cfg.WithoutProject())
		maps.Copy(hs.pools, hs.userOnly.pools)
	}
	if !r.options.OneShot {
		hs.files = hookfile.NewSnapshot(cfg)
	}
	return hs
}

func (r *Runner) buildHookSet(cfg *hookfile.Config) *hookSet {
	hs := &hookSet{config: cfg, clients: cfg.Clients(), hooks: cfg.Hooks, pools: map[*hook.Hook]*process.Pool{}}
	if len(r.options.Functions) > 0 {
		hs.hooks = cfg.WithFunctions(r.options.Functions)
	}
	if len(r.options.Skip) > 0 {
		hs.hooks = withoutSkipped(hs.hooks, r.options.Skip)
	}
	for i := range hs.hooks {
		h := &hs.hooks[i]
		if by, is := h.Handler.(*hook.Process); is && by.Workers > 0 {
			hs.pools[h] = r.processes.NewPool(by.Workers, func(dir string) (process.Program, error) {
				// without further fields of the call, because the process serves other calls too
				return r.program(h, dialect.NewCall(dialect.Call{Workspace: dir}))
			})
		}
	}
	return hs
}

// candidates returns the hooks for calls of this event, agent and tool.
func (hs *hookSet) candidates(match *hook.MatchContext) (found []*hook.Hook) {
	for i := range hs.hooks {
		if h := &hs.hooks[i]; match.MatchesEvent(h) {
			found = append(found, h)
		}
	}
	return found
}

// duplicate is a hook selected by the call, and the equal hook that runs in its place.
type duplicate struct{ hook, runs *hook.Hook }

// selectFrom returns the candidates that run at the call, in file order. Of equal hooks only the last runs (or the
// first, if the dialect says FirstOfEqual), at the position of the first.
func selectFrom(match *hook.MatchContext, candidates []*hook.Hook) (run []*hook.Hook, duplicates []duplicate) {
	var positions map[string]int
	var out []*hook.Hook
	for _, h := range candidates {
		if !match.MatchesConditions(h) {
			continue
		}
		if h.DedupKey != "" {
			if at, ok := positions[h.DedupKey]; ok {
				if h.Dialect.Run.FirstOfEqual {
					out = append(out, h)
				} else {
					out = append(out, run[at])
					run[at] = h
				}
				continue
			}
			if positions == nil {
				positions = map[string]int{}
			}
			positions[h.DedupKey] = len(run)
		}
		run = append(run, h)
	}
	for _, h := range out {
		duplicates = append(duplicates, duplicate{h, run[positions[h.DedupKey]]})
	}
	return run, duplicates
}

// alsoSelected returns the hooks still to run after a rewrite: the rest, plus later hooks that match only now, because
// a guard for the tool's new input must see it. Hooks that run one after the other are dropped if they no longer match,
// because a rule would block input that is gone.
func (hs *hookSet) alsoSelected(c *dialect.Call, group, rest []*hook.Hook) (run []*hook.Hook) {
	left, now, taken := map[*hook.Hook]bool{}, map[*hook.Hook]bool{}, map[string]bool{}
	match := hook.NewMatchContext(c)
	selected, _ := selectFrom(match, hs.candidates(match))
	for _, h := range selected {
		now[h] = true
	}
	for _, h := range rest {
		left[h] = now[h] || h.Dialect.Run.Parallel
	}
	for _, h := range append(slices.Clip(group), rest...) {
		taken[h.DedupKey] = h.DedupKey != ""
	}
	behind := false
	for i := range hs.hooks {
		h := &hs.hooks[i]
		if left[h] || now[h] && behind && !taken[h.DedupKey] {
			run = append(run, h)
		}
		behind = behind || h == group[len(group)-1]
	}
	return run
}

// sequential returns the parallel dialects whose hooks run one after the other at this call, because one of their hooks
// is Sequential.
func sequential(run []*hook.Hook) (dialects []*dialect.Dialect) {
	for _, h := range run {
		if h.Sequential {
			dialects = append(dialects, h.Dialect)
		}
	}
	return dialects
}

// nextGroup returns the leading hooks to start at once: all adjacent hooks of a parallel dialect, or one hook. A group
// sees the rewrites of earlier groups.
func nextGroup(run []*hook.Hook, sequential []*dialect.Dialect) []*hook.Hook {
	n, d := 1, run[0].Dialect
	for n < len(run) && d.Run.Parallel && !slices.Contains(sequential, d) && run[n].Dialect == d {
		n++
	}
	return run[:n]
}

// chain is the call as seen by hooks of a dialect with its own Propagate (dialect.Propagator).
type chain struct {
	dialect *dialect.Dialect
	call    dialect.Call
}

// shown returns the call for hooks of a dialect. A hook of another dialect in between restarts the chain.
func (ch *chain) shown(d *dialect.Dialect, rewritten *dialect.Call) *dialect.Call {
	if _, ok := d.Hooks.(dialect.Propagator); !ok {
		ch.dialect = nil
		return rewritten
	}
	if ch.dialect != d {
		*ch = chain{d, *rewritten}
	}
	return &ch.call
}

// add propagates a verdict to later hooks, and reports whether it changed their call.
func (ch *chain) add(v *dialect.Verdict) bool {
	return ch.dialect != nil && ch.dialect.Hooks.(dialect.Propagator).Propagate(&ch.call, v)
}
