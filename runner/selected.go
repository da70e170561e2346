package runner

import (
	"fmt"
	"slices"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/all"
	"github.com/hookrun/hookrun/internal/process"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
)

// hookSet is the hooks of one config, in their order. It never changes: a call keeps to those with which it began.
type hookSet struct {
	config *projecthooks.Config
	all    []projecthooks.Hook                  // the functions, and behind them those of the config
	funcs  map[*projecthooks.Hook]*Func         // those that are functions
	pools  map[*projecthooks.Hook]*process.Pool // those whose processes stay
	unfit  error                                // a hook of no dialect: no call is answered
}

// newHookSet completes a config: nil is one without hooks.
func (r *Runner) newHookSet(cfg *projecthooks.Config) *hookSet {
	funcs := r.options.Funcs
	if cfg == nil {
		cfg = &projecthooks.Config{}
	}
	hs := &hookSet{config: cfg, all: cfg.Hooks, funcs: map[*projecthooks.Hook]*Func{}, pools: map[*projecthooks.Hook]*process.Pool{}}
	if len(funcs) > 0 {
		hs.all = nil
		for i := range funcs {
			hs.all = append(hs.all, funcs[i].hook())
		}
		hs.all = append(hs.all, cfg.Hooks...)
	}
	for i := range hs.all {
		h := &hs.all[i]
		if _, known := all.Named(h.Dialect); !known && h.Dialect != "" {
			hs.unfit = fmt.Errorf("hook %q has the dialect %q, which does not exist", h.Name, h.Dialect)
		}
		switch {
		case i < len(funcs):
			hs.funcs[h] = &funcs[i]
		case h.Persistent:
			hs.pools[h] = r.processes.NewPool(h.Workers, func(dir string) (process.Program, error) {
				return r.program(h, &protocol.Call{Workspace: dir}) // and nothing else of a call: it will see others
			})
		}
	}
	return hs
}

// any reports whether a call would run hooks at all.
func (hs *hookSet) any(asked *projecthooks.Asked) bool {
	for i := range hs.all {
		if asked.Runs(&hs.all[i]) {
			return true
		}
	}
	return false
}

// concerned reports whether any hook is for calls of this kind, see Hook.Concerns.
func (hs *hookSet) concerned(asked *projecthooks.Asked) bool {
	for i := range hs.all {
		if asked.Concerns(&hs.all[i]) {
			return true
		}
	}
	return false
}

// selected returns the hooks that run at the call, in file order. Of equal ones it is one, in the place of the first: the last,
// or where the dialect has it so the first.
func (hs *hookSet) selected(asked *projecthooks.Asked) []*projecthooks.Hook {
	run, _ := hs.chosen(asked)
	return run
}

// double is a hook that the call selects, and the equal one that runs in its place.
type double struct{ hook, runs *projecthooks.Hook }

// chosen is selected, and says which hooks are left out for an equal one.
func (hs *hookSet) chosen(asked *projecthooks.Asked) (run []*projecthooks.Hook, doubles []double) {
	var places map[string]int
	var out []*projecthooks.Hook
	for i := range hs.all {
		h := &hs.all[i]
		if !asked.Runs(h) {
			continue
		}
		if h.Same != "" {
			if place, ok := places[h.Same]; ok {
				if rulesOf(h).FirstOfSame {
					out = append(out, h)
				} else {
					out = append(out, run[place])
					run[place] = h
				}
				continue
			}
			if places == nil {
				places = map[string]int{}
			}
			places[h.Same] = len(run)
		}
		run = append(run, h)
	}
	for _, h := range out {
		doubles = append(doubles, double{h, run[places[h.Same]]})
	}
	return run, doubles
}

// alsoSelected adds to the hooks that are left those behind the group that the call as it was rewritten selects: a guard
// that the tool's new input is for must see it. Where hooks run one after the other, those go that it does not select any more: a
// rule would block what is not there.
func (hs *hookSet) alsoSelected(asked *protocol.Call, group, rest []*projecthooks.Hook) (run []*projecthooks.Hook) {
	left, now, taken := map[*projecthooks.Hook]bool{}, map[*projecthooks.Hook]bool{}, map[string]bool{}
	for _, h := range hs.selected(projecthooks.NewAsked(asked)) {
		now[h] = true
	}
	for _, h := range rest {
		left[h] = now[h] || rulesOf(h).Parallel
	}
	for _, h := range append(slices.Clip(group), rest...) {
		taken[h.Same] = h.Same != ""
	}
	behind := false
	for i := range hs.all {
		h := &hs.all[i]
		if left[h] || now[h] && behind && !taken[h.Same] {
			run = append(run, h)
		}
		behind = behind || h == group[len(group)-1]
	}
	return run
}

// inTurn returns the dialects that run their hooks at once, but not at this call: one of its hooks wants them one after the other.
func inTurn(run []*projecthooks.Hook) (dialects []*dialect.Dialect) {
	for _, h := range run {
		if h.Sequential {
			dialects = append(dialects, rulesOf(h))
		}
	}
	return dialects
}

// together returns the first hooks that are asked together: those of a dialect that follow each other, where it runs its
// hooks at once, else one. A group sees what earlier groups rewrote.
func together(run []*projecthooks.Hook, inTurn []*dialect.Dialect) []*projecthooks.Hook {
	n := 1
	for n < len(run) && rulesOf(run[0]).Parallel && !slices.Contains(inTurn, rulesOf(run[0])) && rulesOf(run[n]) == rulesOf(run[0]) {
		n++
	}
	return run[:n]
}

// chain is the call as hooks of one dialect see it that hand it on in a form of their own (Dialect.Propagate).
type chain struct {
	dialect *dialect.Dialect
	call    protocol.Call
}

// shown returns the call as hooks of a dialect see it. A hook of another one in between begins the chain anew.
func (ch *chain) shown(d *dialect.Dialect, asked *protocol.Call) *protocol.Call {
	if d.Propagate == nil {
		ch.dialect = nil
		return asked
	}
	if ch.dialect != d {
		*ch = chain{d, *asked}
	}
	return &ch.call
}

// add hands on what a hook said, and reports whether that changed anything.
func (ch *chain) add(v *dialect.Verdict) bool {
	return ch.dialect != nil && ch.dialect.Propagate(&ch.call, v)
}
