package runner

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/hookrun/hookrun/internal/dialect/all"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/protocol"
)

// Plan is what is worked out about one call before any hook runs: which hooks there are for it, and why. Fire runs
// them. A Plan is for one goroutine.
type Plan struct {
	runner   *Runner
	call     protocol.Call // complete: with an absolute workspace, and the project's names for its tool
	settings callSettings

	set        *hookSet
	match      *hookfile.MatchContext
	candidates []*hookfile.Hook // for calls of this event, agent and tool

	selected   bool             // run and duplicates are known
	run        []*hookfile.Hook // in the order of the files
	duplicates []duplicate
}

// PlannedHook is what a Plan says of one hook.
type PlannedHook struct {
	Name   string
	Source string // file:line
	Runs   bool
	Why    string // why it runs, or does not
	// Of a hook that runs a program or posts a request: where it runs, its deadline, which is 0 where the call does not
	// wait for it, and what each way to fail means.
	Dir       string
	Timeout   time.Duration
	OnFailure protocol.FailurePolicy
}

// CallOption changes how the hooks of one call run.
type CallOption func(*callSettings)

type callSettings struct {
	timeout   time.Duration
	onFailure protocol.FailurePolicy
}

// WithTimeout sets the deadline of every hook, in the place of Options.Timeout; 0 changes nothing.
func WithTimeout(d time.Duration) CallOption {
	return func(s *callSettings) {
		if d > 0 {
			s.timeout = d
		}
	}
}

// WithFailurePolicy says what a failure means for hooks that do not say, in the place of Options.OnFailure; nil changes
// nothing.
func WithFailurePolicy(p protocol.FailurePolicy) CallOption {
	return func(s *callSettings) {
		if p != nil {
			s.onFailure = p
		}
	}
}

// Plan works out which hooks run at a call. An error is one of the call: it names no event, or no tool where the event
// needs one. Call.Workspace may be relative; "" is the current directory.
func (r *Runner) Plan(c protocol.Call, options ...CallOption) (*Plan, error) {
	if r.isZero() {
		r = newRunner(Options{})
		r.hooks.Store(r.newHookSet(nil))
	}
	p := &Plan{runner: r, call: c}
	p.settings = callSettings{r.options.Timeout, r.options.OnFailure}
	for _, option := range options {
		option(&p.settings)
	}
	if err := complete(&p.call); err != nil {
		return nil, err
	}
	p.prepare(r.hooks.Load())
	return p, nil
}

// complete makes sure that there is something to ask about, and completes the call.
func complete(c *protocol.Call) (err error) {
	if _, ok := all.ParseEvent(string(c.Event)); !ok {
		return fmt.Errorf("unknown event %q", c.Event)
	}
	if c.Event.HasTool() && c.Tool == "" {
		return fmt.Errorf("%s needs the name of a tool", c.Event)
	}
	c.KeepInput()
	c.Workspace, err = filepath.Abs(c.Workspace)
	return err
}

// prepare finds the hooks that are for calls of this event, agent and tool. Arguments and result, which can be large,
// are not looked at yet.
func (p *Plan) prepare(set *hookSet) {
	set.config.NameTool(&p.call)
	p.set, p.match, p.selected = set, hookfile.NewMatchContext(&p.call), false
	p.candidates = set.candidates(p.match)
}

// choose finds the hooks that run, and those that an equal one stands for.
func (p *Plan) choose() {
	if !p.selected {
		p.run, p.duplicates = chosen(p.match, p.candidates)
		p.selected = true
	}
}

// HasHooks reports whether any hook is for calls of this event, agent and tool. Neither the arguments nor the result of
// the tool count, so they need not be known, and it takes no time.
func (p *Plan) HasHooks() bool { return len(p.candidates) > 0 }

// Empty reports whether no hook runs at the call.
func (p *Plan) Empty() bool {
	p.choose()
	return len(p.run) == 0
}

// largeCall is from how many bytes on the arguments and the result of a call take time to match.
const largeCall = 1 << 20

// NeedsNoProcess reports whether Fire has its outcome at once, since no hook but rules can be for the call, and the
// call is not so large that to match it takes time.
func (p *Plan) NeedsNoProcess() bool {
	large := len(p.call.Args)+len(p.call.Result)+len(p.call.ClientInput) > largeCall
	for _, h := range p.candidates {
		if large || h.StaticVerdict == nil {
			return false
		}
	}
	return true
}

// Hooks says of every hook whether it runs at the call, and why: the functions first, then those of the files in their
// order.
func (p *Plan) Hooks() []PlannedHook {
	p.choose()
	runs := map[*hookfile.Hook]bool{}
	for _, h := range p.run {
		runs[h] = true
	}
	instead := map[*hookfile.Hook]*hookfile.Hook{}
	for _, d := range p.duplicates {
		instead[d.hook] = d.runs
	}
	match := hookfile.NewMatchContext(&p.call) // what it spends is not the call's
	hooks := make([]PlannedHook, len(p.set.all))
	for i := range p.set.all {
		h := &p.set.all[i]
		planned := PlannedHook{Name: h.Name, Source: h.Source(), Runs: runs[h], Why: match.Why(h)}
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
		hooks[i] = planned
	}
	return hooks
}

// describe says how a hook runs.
func (p *Plan) describe(h *hookfile.Hook, planned *PlannedHook) {
	planned.Dir, planned.OnFailure = h.Dir(&p.call), protocol.FailurePolicy{}
	if !h.Async {
		planned.Timeout = p.deadline(h)
	}
	for _, cause := range h.Causes() {
		planned.OnFailure[cause] = p.failureDecision(h, cause)
	}
}

// ProjectTools are the names that the project has for the tool of a client's call, none where it has no others.
func (p *Plan) ProjectTools() []string { return p.call.ProjectTools() }

// Warnings are what is odd about the hooks files, and about this call. The outcome has them too.
func (p *Plan) Warnings() (warnings []string) {
	for _, w := range p.set.config.Warned() {
		warnings = append(warnings, w.Error())
	}
	if w, unknown := p.set.config.UnknownAgent(p.call.AgentID); unknown {
		warnings = append(warnings, w)
	}
	p.choose()
	return append(append(warnings, p.weakened()...), p.match.Warnings()...)
}

// deadline is how long a hook may take at the call.
func (p *Plan) deadline(h *hookfile.Hook) time.Duration {
	if p.settings.timeout > 0 {
		return p.settings.timeout
	}
	return h.Deadline(p.match.Event(h.Dialect))
}

// policies say what failures of a hook mean, the first that names a cause before the others: its own, and the call's
// for hooks that do not say. Nothing that becomes of an async hook can hold a call up, so that has none.
func (p *Plan) policies(h *hookfile.Hook) []protocol.FailurePolicy {
	if h.Async {
		return nil
	}
	return []protocol.FailurePolicy{h.OnFailure, p.settings.onFailure}
}

func (p *Plan) failureDecision(h *hookfile.Hook, cause protocol.Cause) protocol.Decision {
	return h.FailureDecision(&p.call, cause, p.policies(h)...)
}
