package engine

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/process"
	"github.com/hookrun/hookrun/protocol"
)

// hookSet is the hooks of one config, in their order. It never changes: a call keeps to those with which it began.
type hookSet struct {
	config *hookfile.Config
	all    []hook.Hook                  // the functions, and behind them those of the config
	funcs  map[*hook.Hook]*Function     // those that are functions
	pools  map[*hook.Hook]*process.Pool // the persistent ones, and those of ofUser
	ofUser *hookSet                     // without the hooks of the project; nil: those run untrusted
	files  *hookfile.Snapshot           // nil where the config was just read, or nobody looks after it
	err    error                        // why nobody knows which hooks there are; every call is blocked
}

// Function is a hook that is a Go function.
type Function struct {
	hook.Hook
	OnFailure protocol.Decision // of each failure: Block or Continue
	// Run gives the verdict on the call as the hook sees it, after limit at the latest. What a failure means is in it.
	Run func(ctx context.Context, c *dialect.Call, limit time.Duration) dialect.Verdict
}

// NewFunction returns a function for every call of an event, of which each failure blocks.
func NewFunction(name string, on protocol.Event,
	run func(ctx context.Context, c *dialect.Call, limit time.Duration) dialect.Verdict) Function {
	of := hook.Hook{Name: name, Dialect: registry.Project(), File: "func", Events: []protocol.Event{on}}
	return Function{Hook: of, Run: run}
}

func (r *Runner) functions() (hooks []hook.Hook) {
	for i := range r.options.Functions {
		hooks = append(hooks, r.options.Functions[i].Hook)
	}
	return hooks
}

// newHookSet completes a config.
func (r *Runner) newHookSet(cfg *hookfile.Config) *hookSet {
	hs := r.completed(cfg)
	if r.requiresTrust(cfg) {
		hs.ofUser = r.completed(cfg.WithoutProject())
		maps.Copy(hs.pools, hs.ofUser.pools)
	}
	if !r.options.OneShot && (hs.ofUser != nil || r.options.Pin) {
		hs.files = hookfile.NewSnapshot(cfg)
	}
	return hs
}

func (r *Runner) completed(cfg *hookfile.Config) *hookSet {
	hs := &hookSet{config: cfg, all: cfg.Hooks}
	hs.funcs, hs.pools = map[*hook.Hook]*Function{}, map[*hook.Hook]*process.Pool{}
	if len(r.options.Functions) > 0 {
		hs.all = cfg.InFront(r.functions())
	}
	if len(r.options.Skip) > 0 {
		hs.all = withoutSkipped(hs.all, r.options.Skip)
	}
	for i := range hs.all {
		switch h := &hs.all[i]; {
		case i < len(r.options.Functions):
			hs.funcs[h] = &r.options.Functions[i]
		case h.Persistent:
			hs.pools[h] = r.processes.NewPool(h.Workers, func(dir string) (process.Program, error) {
				// and nothing else of a call: it will see others
				return r.program(h, dialect.NewCall(dialect.Call{Workspace: dir}))
			})
		}
	}
	return hs
}

// function returns the function that a hook of the set is; nil: it is none.
func (hs *hookSet) function(h *hook.Hook) *Function {
	if fn := hs.funcs[h]; fn != nil || hs.ofUser == nil {
		return fn
	}
	return hs.ofUser.funcs[h]
}

// candidates are the hooks that are for calls of this event, agent and tool.
func (hs *hookSet) candidates(match *hook.MatchContext) (found []*hook.Hook) {
	for i := range hs.all {
		if h := &hs.all[i]; match.Concerns(h) {
			found = append(found, h)
		}
	}
	return found
}

// duplicate is a hook that the call selects, and the equal one that runs in its place.
type duplicate struct{ hook, runs *hook.Hook }

// chosen returns those of the candidates that run at the call, in file order. Of equal ones only one runs, at the
// position of the first: the last, or where the dialect has it so the first.
func chosen(match *hook.MatchContext, candidates []*hook.Hook) (run []*hook.Hook, duplicates []duplicate) {
	var positions map[string]int
	var out []*hook.Hook
	for _, h := range candidates {
		if !match.Selects(h) {
			continue
		}
		if h.DedupKey != "" {
			if at, ok := positions[h.DedupKey]; ok {
				if h.Dialect.Run.FirstOfSame {
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

// alsoSelected adds to the hooks that are left those behind the group that the rewritten call selects: a guard that the
// tool's new input is for must see it. Where hooks run one after the other, those go that it does not select any more:
// a rule would block what is not there.
func (hs *hookSet) alsoSelected(c *dialect.Call, group, rest []*hook.Hook) (run []*hook.Hook) {
	left, now, taken := map[*hook.Hook]bool{}, map[*hook.Hook]bool{}, map[string]bool{}
	match := hook.NewMatchContext(c)
	selected, _ := chosen(match, hs.candidates(match))
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
	for i := range hs.all {
		h := &hs.all[i]
		if left[h] || now[h] && behind && !taken[h.DedupKey] {
			run = append(run, h)
		}
		behind = behind || h == group[len(group)-1]
	}
	return run
}

// sequential returns the dialects that run their hooks at once, but not at this call: one of its hooks wants them one
// after the other.
func sequential(run []*hook.Hook) (dialects []*dialect.Dialect) {
	for _, h := range run {
		if h.Sequential {
			dialects = append(dialects, h.Dialect)
		}
	}
	return dialects
}

// together returns the first hooks that run together: those of a dialect that follow each other, where it runs its
// hooks at once, else one. A group sees what earlier groups rewrote.
func together(run []*hook.Hook, sequential []*dialect.Dialect) []*hook.Hook {
	n, d := 1, run[0].Dialect
	for n < len(run) && d.Run.Parallel && !slices.Contains(sequential, d) && run[n].Dialect == d {
		n++
	}
	return run[:n]
}

// chain is the call as hooks of a dialect see it that propagates verdicts in a way of its own (dialect.Propagator).
type chain struct {
	dialect *dialect.Dialect
	call    dialect.Call
}

// shown returns the call as hooks of a dialect see it. A hook of another one in between begins the chain anew.
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

// add propagates a verdict to later hooks, and reports whether that changed anything.
func (ch *chain) add(v *dialect.Verdict) bool {
	return ch.dialect != nil && ch.dialect.Hooks.(dialect.Propagator).Propagate(&ch.call, v)
}
