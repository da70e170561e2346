package engine

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/lib/crash"
	"github.com/hookrun/hookrun/protocol"
)

// Plan lists the hooks that match one call, and why, before any hook runs. Fire runs them. A Plan is for one goroutine.
// A nil or zero Plan blocks the call.
type Plan struct {
	runner   *Runner
	call     dialect.Call // complete: with an absolute workspace, and the project's names for its tool
	isPrompt bool         // the call is at a prompt
	endsTurn bool         // its event ends a turn
	settings CallSettings

	loaded     *hookSet // all hooks of the runner
	set        *hookSet // the hooks of loaded that may run
	trust      trustState
	match      *hook.MatchContext
	candidates []*hook.Hook // for calls of this event, agent and tool
	mayWarn    bool         // hooks may not know the call's tool by its name

	selected   bool         // run and duplicates are set
	run        []*hook.Hook // in the order of the files
	duplicates []duplicate
}

// PlannedHook describes one hook of a Plan.
type PlannedHook struct {
	*hook.Hook
	Runs bool
	Why  string // why the hook runs, or does not run
	// Dir is the working directory, Timeout the deadline (0 for an async hook), and OnFailure the decision for each
	// cause of failure. Rules have none of the three.
	Dir       string
	Timeout   time.Duration
	OnFailure dialect.FailurePolicy
}

// CallSettings change how the hooks of one call run. The zero value changes nothing.
type CallSettings struct {
	Timeout   time.Duration         // of every hook; 0: Options.Timeout
	OnFailure dialect.FailurePolicy // for hooks without on_failure; nil: Options.OnFailure
	// Connection is for a program with several clients. The answers of async hooks of a call without a SessionID go to
	// a later call of the same connection, and are dropped once Connection ends. If Connection is nil, all calls
	// without a SessionID form one conversation.
	Connection context.Context
	// CannotAsk reports whether the caller cannot ask a person at this call, so an ask blocks; nil: the caller can
	// ask.
	CannotAsk func() bool
	// CannotTell reports whether a message to the user would reach the model or stop the call; nil: it would not. Hooks
	// that only observe then have no message.
	CannotTell func() bool
}

// Plan selects the hooks that run at a call. It returns an error if the call has no event, or no tool at an event that
// needs a tool. Call.Workspace may be relative; "" is the current directory. Plan finds out who sent the call and which
// event it is at; see Call.Resolve.
func (r *Runner) Plan(call *dialect.Call, settings CallSettings) (plan *Plan, err error) {
	defer crash.Catch(&err)
	if r.isZero() {
		return nil, errNotMade()
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
	set := r.hooks.Load()
	if set.err != nil {
		return nil, set.err
	}
	if err := call.Resolve(set.clients); err != nil {
		return nil, err
	}
	c := *call
	if c.IsAboutTool() && c.Tool == "" {
		return nil, fmt.Errorf("%s needs the name of a tool", c.Event)
	}
	if c.Workspace, err = filepath.Abs(c.Workspace); err != nil {
		return nil, err
	}
	if c.Dir != c.Workspace && filepath.IsAbs(c.Dir) {
		c.Worktree = hookfile.WorktreeOf(c.Workspace, c.Dir)
	}
	if c.Worktree == "" && c.Workspace == set.config.Main { // a session that has left the worktree, or that git lost
		c.Worktree = set.config.Worktree
		c.Dir = cmp.Or(c.Dir, c.Worktree)
	}
	p.call = *dialect.NewCall(c)
	p.isPrompt, p.endsTurn = p.call.Common() == protocol.PreExecute, p.call.EndsTurn()
	p.load(set)
	return p, nil
}

// isZero reports whether the Plan is nil or its zero value.
func (p *Plan) isZero() bool { return p == nil || p.runner == nil }

// load takes the hooks of a set. The trust check follows in selectHooks.
func (p *Plan) load(set *hookSet) {
	p.loaded, p.selected = set, false
	p.prepare(set)
}

// prepare finds the hooks for calls of this event, agent and tool. It does not read arguments and result, which can be
// large.
func (p *Plan) prepare(set *hookSet) {
	set.config.NameTool(&p.call)
	p.mayWarn = p.call.MayBeUnnamed()
	p.set, p.match = set, hook.NewMatchContext(&p.call)
	p.candidates = set.candidates(p.match)
}

// selectHooks finds the hooks that run, and the hooks that do not run because an equal hook does.
func (p *Plan) selectHooks() {
	if !p.selected {
		p.checkTrust()
		p.selectTrusted()
		p.selected = true
	}
}

// HasHooks reports whether any hook is for calls of this event, agent and tool, or whether trust, Pin or Skip need a
// check at every call. HasHooks is fast and ignores arguments and result, so the caller need not know them yet.
func (p *Plan) HasHooks() bool {
	return p.isZero() || len(p.candidates) > 0 || p.checksFiles() || len(p.runner.options.Skip) > 0
}

// Files returns the state of the files of the plan's hooks when they were read; nil: they were just read.
func (p *Plan) Files() *hookfile.Snapshot { return p.loaded.files }

// Empty reports whether no hook runs at the call.
func (p *Plan) Empty() bool {
	if p.isZero() {
		return false
	}
	p.selectHooks()
	return len(p.run) == 0
}

// largeCall is the size, in bytes, from which arguments and result take time to match.
const largeCall = 1 << 20

// NeedsNoProcess reports whether Fire has its outcome at once: only rules can be for the call, and the call is small
// enough to match quickly.
func (p *Plan) NeedsNoProcess() bool {
	if p.isZero() {
		return false
	}
	large := len(p.call.Args)+len(p.call.Result)+len(p.call.ClientInput) > largeCall
	if p.checksFiles() {
		return false
	}
	for _, h := range p.candidates {
		if large || h.Rule() == nil {
			return false
		}
	}
	return true
}

// Hooks describes every hook, with or without a match at the call: the functions first, then the hooks of the files in
// their order.
func (p *Plan) Hooks() []PlannedHook {
	if p.isZero() {
		return nil
	}
	p.selectHooks()
	runs := map[*hook.Hook]bool{}
	for _, h := range p.run {
		runs[h] = true
	}
	instead := map[*hook.Hook]*hook.Hook{}
	for _, d := range p.duplicates {
		instead[d.hook] = d.runs
	}
	match := hook.NewMatchContext(&p.call) // a separate context, because matching spends a budget
	hooks := make([]PlannedHook, len(p.loaded.hooks))
	for i := range p.loaded.hooks {
		h := p.loadedHook(i)
		planned := PlannedHook{Hook: h, Runs: runs[h], Why: match.Why(h)}
		switch other := instead[h]; {
		case (planned.Runs || other != nil) && h.Unsupported() != "":
			const text = "it is of type %s, which hookrun cannot run: the outcome has it as skipped"
			planned.Runs, planned.Why = false, fmt.Sprintf(text, h.Unsupported())
		case other != nil:
			planned.Why = "the equal hook of " + other.SourceNextTo(h) + " runs in its place"
		}
		if h.Rule() == nil {
			p.describe(h, &planned)
		}
		if why := p.untrustedReason(h); why != "" {
			planned.Runs, planned.Why = false, why
		} else if p.isHeld(h) {
			planned.Why += "; it has changed, so each call that it is for is blocked"
		}
		hooks[i] = planned
	}
	return hooks
}

// describe fills in the working directory, the deadline and the failure policy of a hook.
func (p *Plan) describe(h *hook.Hook, planned *PlannedHook) {
	planned.Dir, planned.OnFailure = launch.Dir(h, &p.call), dialect.FailurePolicy{}
	if !h.Async {
		planned.Timeout = p.deadline(h)
	}
	for _, cause := range h.Causes() {
		planned.OnFailure[cause] = p.failureDecision(h, cause)
	}
}

// Warnings returns warnings about the hooks files and about this call. The outcome has them too.
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
	p.selectHooks()
	for _, w := range []string{p.set.config.UnnamedToolWarning(&p.call), p.set.config.OtherServerWarning(&p.call)} {
		if w != "" {
			warnings = append(warnings, w)
		}
	}
	warnings = append(warnings, p.trust.notices()...)
	return slices.Concat(warnings, p.weakened(), p.withoutBinary(), p.skipped(), p.match.Warnings())
}

// deadline is how long a hook may run at the call.
func (p *Plan) deadline(h *hook.Hook) time.Duration {
	if p.settings.Timeout > 0 {
		return p.settings.Timeout
	}
	return h.Deadline(p.match.Event(h.Dialect))
}

// policies returns the failure policies of a hook: its own, then the call's policy for hooks without on_failure. The
// first policy with the cause counts. An async hook has no policy: its failure cannot block the call.
func (p *Plan) policies(h *hook.Hook) []dialect.FailurePolicy {
	if h.Async {
		return nil
	}
	return []dialect.FailurePolicy{h.OnFailure, p.settings.OnFailure}
}

func (p *Plan) failureDecision(h *hook.Hook, cause protocol.Cause) protocol.Decision {
	return h.FailureDecision(&p.call, cause, p.policies(h)...)
}
