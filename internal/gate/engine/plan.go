package engine

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/hookrun/hookrun/internal/crash"
	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/launch"
	"github.com/hookrun/hookrun/protocol"
)

// Plan is what is worked out about one call before any hook runs: which hooks match it, and why. Fire runs them. A Plan
// is for one goroutine. A nil or zero one blocks the call.
type Plan struct {
	runner   *Runner
	call     dialect.Call // complete: with an absolute workspace, and the project's names for its tool
	settings CallSettings

	loaded     *hookSet // that the runner had
	set        *hookSet // those of them that may run
	guard      guard
	match      *hook.MatchContext
	candidates []*hook.Hook // for calls of this event, agent and tool

	selected   bool         // run and duplicates are known
	run        []*hook.Hook // in the order of the files
	duplicates []duplicate
}

// PlannedHook describes one hook of a Plan.
type PlannedHook struct {
	*hook.Hook
	Runs bool
	Why  string // why it runs, or does not
	// Of a hook that runs a program or posts a request: the folder in which it runs, its deadline (0 for an async
	// hook), and how each cause of failure counts.
	Dir       string
	Timeout   time.Duration
	OnFailure dialect.FailurePolicy
}

// CallSettings change how the hooks of one call run. The zero value changes nothing.
type CallSettings struct {
	Timeout   time.Duration         // of every hook, in the place of Options.Timeout; 0: that
	OnFailure dialect.FailurePolicy // for hooks that do not say, in the place of Options.OnFailure; nil: that
	// Connection is for a program with several clients. What async hooks of a call without a SessionID answer is given
	// to a later call of the same connection, and dropped once that ends. Without it every call without a SessionID is
	// of one conversation.
	Connection context.Context
	// AsksNobody reports whether the caller can ask nobody at the call, so that to ask is to block; nil: it can ask.
	AsksNobody func() bool
}

// Plan works out which hooks run at a call. An error is one of the call: it names no event, or no tool where the event
// needs one. Call.Workspace may be relative; "" is the current directory.
func (r *Runner) Plan(c dialect.Call, settings CallSettings) (plan *Plan, err error) {
	defer crash.Catch(&err)
	if r.isZero() {
		return nil, notMade()
	}
	p := &Plan{runner: r}
	p.settings = settings
	p.settings.Timeout = cmp.Or(settings.Timeout, r.options.Timeout)
	if settings.OnFailure == nil {
		p.settings.OnFailure = r.options.OnFailure
	}
	if err := checkPolicy(p.settings.OnFailure); err != nil {
		return nil, err
	}
	if err := complete(&c); err != nil {
		return nil, err
	}
	p.call = *dialect.NewCall(c)
	set := r.hooks.Load()
	if set.err != nil {
		return nil, set.err
	}
	p.load(set)
	return p, nil
}

// isZero reports whether no Runner made the Plan.
func (p *Plan) isZero() bool { return p == nil || p.runner == nil }

// complete checks the call and completes it.
func complete(c *dialect.Call) (err error) {
	if err := registry.ResolveClient(c); err != nil {
		return err
	}
	if client := registry.ClientOf(c); client == nil || !client.Events.Has(c.Event) {
		if _, ok := registry.ParseEvent(string(c.Event)); !ok {
			return fmt.Errorf("unknown event %q", c.Event)
		}
	}
	if dialect.HasTool(c.Event) && c.Tool == "" {
		return fmt.Errorf("%s needs the name of a tool", c.Event)
	}
	c.Workspace, err = filepath.Abs(c.Workspace)
	return err
}

// load takes the hooks of a set. Whether they may run is looked at once it matters.
func (p *Plan) load(set *hookSet) {
	p.loaded, p.selected = set, false
	p.prepare(set)
}

// prepare finds the hooks that are for calls of this event, agent and tool. Arguments and result, which can be large,
// are not looked at yet.
func (p *Plan) prepare(set *hookSet) {
	set.config.NameTool(&p.call)
	p.set, p.match = set, hook.NewMatchContext(&p.call)
	p.candidates = set.candidates(p.match)
}

// choose finds the hooks that run, and those that do not since an equal one does.
func (p *Plan) choose() {
	if !p.selected {
		p.judge()
		p.run, p.duplicates = chosen(p.match, p.candidates)
		p.selected = true
	}
}

// HasHooks reports whether any hook is for calls of this event, agent and tool. Neither the arguments nor the result of
// the tool count, so they need not be known, and it takes no time. With Trust or Pin there is something to check at
// every call.
func (p *Plan) HasHooks() bool {
	return p.isZero() || len(p.candidates) > 0 || p.guarded() || len(p.runner.options.Skip) > 0
}

// Empty reports whether no hook runs at the call.
func (p *Plan) Empty() bool {
	if p.isZero() {
		return false
	}
	p.choose()
	return len(p.run) == 0
}

// largeCall is from how many bytes on the arguments and the result of a call take time to match.
const largeCall = 1 << 20

// NeedsNoProcess reports whether Fire has its outcome at once, since no hook but rules can be for the call, and the
// call is not so large that to match it takes time.
func (p *Plan) NeedsNoProcess() bool {
	if p.isZero() {
		return false
	}
	large := len(p.call.Args)+len(p.call.Result)+len(p.call.ClientInput) > largeCall
	if p.guarded() {
		return false
	}
	for _, h := range p.candidates {
		if large || h.StaticVerdict == nil {
			return false
		}
	}
	return true
}

// Hooks describes every hook, whether it runs at the call or not: the functions first, then those of the files in their
// order.
func (p *Plan) Hooks() []PlannedHook {
	if p.isZero() {
		return nil
	}
	p.choose()
	p.blockUntilAllowed()
	runs := map[*hook.Hook]bool{}
	for _, h := range p.run {
		runs[h] = true
	}
	instead := map[*hook.Hook]*hook.Hook{}
	for _, d := range p.duplicates {
		instead[d.hook] = d.runs
	}
	match := hook.NewMatchContext(&p.call) // what it spends is not the call's
	hooks := make([]PlannedHook, len(p.loaded.all))
	for i := range p.loaded.all {
		h := p.loadedHook(i)
		planned := PlannedHook{Hook: h, Runs: runs[h], Why: match.Why(h)}
		switch other := instead[h]; {
		case (planned.Runs || other != nil) && h.Unsupported != "":
			planned.Runs = false
			planned.Why = "it is of type " + h.Unsupported + ", which hookrun cannot run: the outcome has it as skipped"
		case other != nil:
			planned.Why = "the equal hook of " + other.SourceBeside(h) + " runs in its place"
		}
		if h.StaticVerdict == nil {
			p.describe(h, &planned)
		}
		if why := p.untrusted(h); why != "" {
			planned.Runs, planned.Why = false, why
		}
		hooks[i] = planned
	}
	return hooks
}

// describe fills in how a hook runs.
func (p *Plan) describe(h *hook.Hook, planned *PlannedHook) {
	planned.Dir, planned.OnFailure = launch.Dir(h, &p.call), dialect.FailurePolicy{}
	if !h.Async {
		planned.Timeout = p.deadline(h)
	}
	for _, cause := range h.Causes() {
		planned.OnFailure[cause] = p.failureDecision(h, cause)
	}
}

// Warnings are about the hooks files and about this call. The outcome has them too.
func (p *Plan) Warnings() (warnings []string) {
	if p.isZero() {
		return nil
	}
	for _, w := range p.set.config.WarnedAt(p.match) {
		warnings = append(warnings, w.Error())
	}
	if w, unknown := p.set.config.UnknownAgent(p.call.AgentID); unknown {
		warnings = append(warnings, w)
	}
	p.choose()
	if w := p.set.config.Unnamed(&p.call); w != "" {
		warnings = append(warnings, w)
	}
	warnings = append(warnings, p.guard.notices()...)
	return slices.Concat(warnings, p.weakened(), p.withoutBinary(), p.skipped(), p.match.Warnings())
}

// deadline is how long a hook may take at the call.
func (p *Plan) deadline(h *hook.Hook) time.Duration {
	if p.settings.Timeout > 0 {
		return p.settings.Timeout
	}
	return h.Deadline(p.match.Event(h.Dialect))
}

// policies say what failures of a hook mean, the first that names a cause before the others: its own, and the call's
// for hooks that do not say. Nothing that becomes of an async hook can hold a call up, so that has none.
func (p *Plan) policies(h *hook.Hook) []dialect.FailurePolicy {
	if h.Async {
		return nil
	}
	return []dialect.FailurePolicy{h.OnFailure, p.settings.OnFailure}
}

func (p *Plan) failureDecision(h *hook.Hook, cause protocol.Cause) protocol.Decision {
	if fn := p.loaded.function(h); fn != nil {
		return fn.OnFailure
	}
	return h.FailureDecision(&p.call, cause, p.policies(h)...)
}
