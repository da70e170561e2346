package engine

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookrun/hookrun/internal/crash"
	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/doctor/canary"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/launch"
	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/process"
	"github.com/hookrun/hookrun/protocol"
)

// Fired is the outcome of a call, and what stands beside it.
type Fired struct {
	protocol.Outcome
	Lint  []string // warnings about how hooks files are written, which concern no gate and come with every call
	Notes []string // for the run log: what each of the Hooks did beside what its status tells
}

// WithLint returns the outcome with Lint behind its warnings.
func (f Fired) WithLint() protocol.Outcome {
	f.Warnings = slices.Concat(f.Warnings, f.Lint)
	return f.Outcome
}

// merged merges the verdicts on a call.
func merged(c *dialect.Call, verdicts []dialect.HookVerdict) Fired {
	f := Fired{Outcome: dialect.Merge(c, verdicts)}
	for i := range verdicts {
		f.Notes = append(f.Notes, verdicts[i].Note)
	}
	return f
}

// Fire runs the hooks that match and merges their verdicts into an outcome. An error means that they could not be run,
// or that ctx ended: the outcome is a block then. Call.Workspace may be relative; "" is the current directory.
func (r *Runner) Fire(ctx context.Context, c dialect.Call) (Fired, error) {
	p, err := r.Plan(c, CallSettings{})
	if err != nil {
		return failed(&c, nil, protocol.CauseUnstarted, err)
	}
	return p.Fire(ctx)
}

// Fire runs the hooks of the plan, as Runner.Fire does. Where Reload took other hooks meanwhile, those run.
func (p *Plan) Fire(ctx context.Context) (f Fired, err error) {
	defer crash.Catch(&err) // of failed; the zero Outcome is a block
	if p.isZero() {
		return failed(&dialect.Call{}, nil, protocol.CauseUnstarted, notMade())
	}
	f, err, crashed := p.fireOrCrash(ctx)
	if crashed != nil {
		return failed(&p.call, nil, protocol.CauseUnstarted, crashed)
	}
	return f, err
}

// fireOrCrash is fire. If it panics, the panic is the last result.
func (p *Plan) fireOrCrash(ctx context.Context) (f Fired, err, crashed error) {
	defer crash.Catch(&crashed)
	f, err = p.fire(ctx)
	if err == nil {
		p.countStops(&f.Outcome)
	}
	return f, err, nil
}

func (p *Plan) fire(ctx context.Context) (Fired, error) {
	begin := time.Now()
	r := p.runner
	if ctx.Err() != nil {
		return failed(&p.call, nil, protocol.CauseInterrupted, context.Cause(ctx))
	}
	set := r.hooks.Load()
	if err := r.enter(); err != nil {
		return failed(&p.call, nil, protocol.CauseInterrupted, err)
	}
	defer r.running.Done()
	if set.err != nil {
		return failed(&p.call, nil, protocol.CauseUnstarted, set.err)
	}
	if set != p.loaded {
		p.load(set)
	}
	if canary.Is(&p.call) { // whatever the hooks file has
		f := p.outcome(begin, nil)
		f.Decision, f.Cause, f.Reason = protocol.Block, protocol.CausePolicy, canary.Reason
		return f, nil
	}
	p.choose()
	if err := p.pin(); err != nil {
		return failed(&p.call, nil, protocol.CauseUnstarted, err)
	}
	p.blockUntilAllowed()
	if cause, reason := p.guard.judgment.Cause, p.guard.judgment.Reason; cause != "" {
		return p.refused(begin, nil, cause, reason), nil
	}
	if len(p.run) == 0 {
		return p.outcome(begin, nil), nil
	}
	ctx, over := context.WithCancelCause(ctx)
	defer over(nil)
	defer context.AfterFunc(r.end, func() { over(context.Cause(r.end)) })()
	f := &firing{Plan: p, begin: begin, processes: r.processes, call: p.call}
	if r.options.OneShot {
		f.processes = r.newSupervisor()
		defer f.processes.Close()
	}
	if cause, err := f.runAll(ctx); err != nil {
		return failed(&p.call, f.verdicts, cause, err)
	}
	if path := f.touched.Load(); path != nil {
		cause, reason := p.touchedReason(*path)
		return p.refused(begin, f.verdicts, cause, reason), nil
	}
	o := p.outcome(begin, f.verdicts)
	if o.Decision == protocol.Continue && len(f.approvals.used) > 0 {
		if err := f.takeApprovals(); err != nil {
			return p.refused(begin, f.verdicts, protocol.CausePolicy, err.Error()), nil
		}
	}
	return o, nil
}

// outcome merges the verdicts, and adds the warnings and the async results.
func (p *Plan) outcome(begin time.Time, verdicts []dialect.HookVerdict) Fired {
	o := merged(&p.call, verdicts)
	o.Warnings = slices.Concat(o.Warnings, p.weakened(), p.unnamed(), p.withoutBinary(), p.skipped())
	for _, w := range p.match.Warnings() {
		if !slices.Contains(o.Warnings, w) { // the encoding of the call may have it too
			o.Warnings = append(o.Warnings, w)
		}
	}
	for _, w := range p.set.config.WarnedAt(p.match) {
		text := w.Error()
		if w.Once && !p.first(text) {
			continue
		}
		if w.Gate {
			o.Warnings = append(o.Warnings, text)
		} else {
			o.Lint = append(o.Lint, text)
		}
	}
	if w, unknown := p.set.config.UnknownAgent(p.call.AgentID); unknown {
		o.Warnings = append(o.Warnings, w)
	}
	o.SystemMessages = append(o.SystemMessages, p.guard.messages()...)
	p.runner.asyncResults.deliver(p.conversation(), &o.Outcome)
	o.Duration = protocol.Milliseconds(time.Since(begin))
	return o
}

// failed is the outcome of a call whose hooks could not all be run.
func failed(c *dialect.Call, verdicts []dialect.HookVerdict, cause protocol.Cause, err error) (Fired, error) {
	o := merged(c, verdicts)
	o.Decision, o.Approved, o.Cause, o.Reason, o.Hook = protocol.Block, false, cause, err.Error(), ""
	o.UpdatedInput, o.UpdatedBy, o.Texts = nil, "", nil
	registry.Withhold(c, &o.Outcome)
	return o, err
}

// firing is a Plan whose hooks run.
type firing struct {
	*Plan
	begin     time.Time
	processes *process.Supervisor
	verdicts  []dialect.HookVerdict
	call      dialect.Call // as later hooks see it: with the rewrites of earlier ones
	chain     chain
	stdin     encoded
	approvals approvals
	touched   atomic.Pointer[string] // a file of a hook that changed while it was used: nothing the hooks say counts
	below     hook.Level             // hooks of levels above this one run
	rewriter  hook.Level             // the last of the levels at which a hook rewrote the call
	ended     bool                   // by a block
}

// runAll runs the hooks, and after a rewrite those of higher levels once more.
func (f *firing) runAll(ctx context.Context) (protocol.Cause, error) {
	f.below = hook.LocalLevel + 1
	for run, again := f.run, false; len(run) > 0; run, again = f.above(), true {
		f.rewriter = hook.ManagedLevel
		before := len(f.verdicts)
		if cause, err := f.runInTurn(ctx, run); err != nil {
			return cause, err
		}
		if again {
			for i := before; i < len(f.verdicts); i++ { // the texts are in the outcome already
				v := &f.verdicts[i].Verdict
				if v.Context = ""; v.Status != dialect.StatusApproved && v.Status != dialect.StatusObserved {
					v.SystemMessage = ""
				}
			}
		}
	}
	return "", nil
}

// above returns the hooks of higher levels than the one that rewrote the call. They ran before it, so they have not
// seen what the tool is to get now, and a hook of the project could get a call past them.
func (f *firing) above() (run []*hook.Hook) {
	if f.rewriter == hook.ManagedLevel || f.ended || f.touched.Load() != nil {
		return nil
	}
	f.below = f.rewriter // so this comes to an end
	match := hook.NewMatchContext(&f.call)
	selected, _ := chosen(match, f.set.candidates(match))
	return slices.DeleteFunc(selected, func(h *hook.Hook) bool { return h.Level >= f.below || h.Async })
}

// runInTurn runs hooks group by group.
func (f *firing) runInTurn(ctx context.Context, rest []*hook.Hook) (protocol.Cause, error) {
	sequential := sequential(rest)
	for len(rest) > 0 {
		group := together(rest, sequential)
		rest = rest[len(group):]
		d := group[0].Dialect
		if f.ended {
			for _, h := range group {
				f.verdicts = append(f.verdicts, dialect.Skipped(h.Name, h.Source(), d))
			}
			continue
		}
		shown := group[0].Seen(f.chain.shown(d, &f.call)) // hooks that run at once are of one level
		warnings, err := f.stdin.encode(d, shown)
		if err != nil {
			return protocol.CauseUnstarted, err
		}
		verdicts, err := f.runGroup(ctx, group, shown)
		if ctx.Err() != nil {
			return protocol.CauseInterrupted, context.Cause(ctx)
		}
		if err != nil {
			return protocol.CauseUnstarted, err
		}
		verdicts[0].Verdict.Warnings = append(warnings, verdicts[0].Verdict.Warnings...)
		rewritten, changed := false, false
		for i := range verdicts {
			v := &verdicts[i].Verdict
			f.ended = f.ended || d.Ends(f.match.Event(d), v)
			if v.Rewrite(&f.call) {
				rewritten = true
				if f.set.funcs[group[i]] == nil { // a function runs before all levels
					f.rewriter = max(f.rewriter, group[i].Level)
				}
			}
			changed = f.chain.add(v) || changed
		}
		f.verdicts = append(f.verdicts, verdicts...)
		if f.touched.Load() != nil {
			return "", nil
		}
		if rewritten || changed {
			f.stdin = encoded{}
		}
		if rewritten {
			rest = slices.DeleteFunc(f.set.alsoSelected(&f.call, group, rest),
				func(h *hook.Hook) bool { return h.Level >= f.below })
		}
	}
	return "", nil
}

// hookRun is one hook that runs for a call.
type hookRun struct {
	*hook.Hook
	call    *dialect.Call // as the hook sees it
	payload dialect.Payload
	limit   time.Duration
	of      conversation
}

// runGroup runs hooks at once and returns their verdicts in the order of the group, whichever ended first.
func (f *firing) runGroup(ctx context.Context, group []*hook.Hook, c *dialect.Call) ([]dialect.HookVerdict, error) {
	verdicts, errs := make([]dialect.HookVerdict, len(group)), make([]error, len(group))
	runs := make([]hookRun, len(group))
	for i, h := range group {
		limit := f.deadline(h)
		if end, ok := ctx.Deadline(); ok && h.Observe { // the client must not run out of time because of it
			limit = min(limit, time.Until(end)/4)
		}
		runs[i] = hookRun{h, c, f.stdin.payload, limit, f.conversation()}
	}
	var all sync.WaitGroup
	for i := range runs[1:] {
		all.Go(func() { verdicts[i+1], errs[i+1] = f.runHook(ctx, &runs[i+1]) })
	}
	verdicts[0], errs[0] = f.runHook(ctx, &runs[0])
	all.Wait()
	return verdicts, cmp.Or(errs...)
}

// runHook runs one hook and returns its verdict. An error is a panic of hookrun's own.
func (f *firing) runHook(ctx context.Context, h *hookRun) (verdict dialect.HookVerdict, err error) {
	defer crash.Catch(&err)
	return f.verdict(ctx, h), nil
}

func (f *firing) verdict(ctx context.Context, h *hookRun) (verdict dialect.HookVerdict) {
	start := time.Now()
	defer func() {
		verdict.Report.Start = protocol.Milliseconds(start.Sub(f.begin))
		verdict.Note = verdict.Verdict.Note()
		if h.Observe {
			verdict.Observe()
		} else {
			f.approve(h, &verdict)
		}
	}()
	if h.StaticVerdict != nil {
		verdict = dialect.Static(h.Name, h.Source(), staticVerdict(h), h.Dialect)
		verdict.Report.Duration = protocol.Milliseconds(time.Since(start))
		return verdict
	}
	if h.Unsupported == "" && f.isTouched(h.Hook) {
		return dialect.Skipped(h.Name, h.Source(), h.Dialect)
	}
	fit := func(v *dialect.Verdict) {
		registry.FitResult(h.call, shownName(h.Hook), v)
		if !h.Observe {
			saveContext(h.Hook, v)
		}
	}
	if fn := f.set.funcs[h.Hook]; fn != nil {
		v := fn.Run(ctx, h.call, h.limit)
		fit(&v)
		report := dialect.FunctionReport(h.Name, h.Source(), &v, time.Since(start), h.limit)
		return dialect.HookVerdict{Report: report, Verdict: v, Dialect: h.Dialect}
	}
	var result dialect.HookResult
	var v dialect.Verdict
	if h.Unsupported != "" {
		v = dialect.Unsupported(h.Dialect, h.call, shownName(h.Hook), h.Unsupported)
	} else {
		result = f.result(ctx, h)
		f.noteRewritten(h.Hook)
		f.explainExit(h, &result)
		v = h.Dialect.Hooks.Decode(h.call, shownName(h.Hook), &result)
	}
	v = h.ApplyFailurePolicy(h.call, v, f.policies(h.Hook)...)
	fit(&v)
	report := dialect.Report(h.Name, h.Source(), &result, &v)
	return dialect.HookVerdict{Report: report, Verdict: v, Dialect: h.Dialect}
}

// staticVerdict is the verdict of a rule on the call.
func staticVerdict(h *hookRun) dialect.Verdict {
	v := *h.StaticVerdict
	if h.Rule != nil {
		v.Reason = h.Rule.Reason(h.Name, hook.NewMatchContext(h.call).Found(h.Hook))
		return v
	}
	if v.Decision == protocol.Block {
		if doubt := hook.NewMatchContext(h.call).Doubt(h.Hook); doubt != "" {
			v.Reason += " (" + doubt + ")"
		}
	}
	return v
}

// explainExit finds out what is wrong with the hook's file where the exit code means that it could not run.
func (f *firing) explainExit(h *hookRun, result *dialect.HookResult) {
	result.Shell = launch.RunsShell(h.Hook)
	if result.Err != nil || result.Signal != "" || result.ExitCode != 126 && result.ExitCode != 127 {
		return
	}
	result.Fault = launch.StartFault(h.Hook, launch.Dir(h.Hook, h.call), f.runner.environ(h.Hook, h.call))
	if result.Fault != "" {
		result.Shell = true
	}
}

// shownName is the name of a hook as texts for people have it: reasons and warnings end up on terminals. Reports have
// it as it is.
func shownName(h *hook.Hook) string { return printable.Escape(h.Name) }

// result runs a hook in its own way: a request, a persistent process, or a process for this call.
func (f *firing) result(ctx context.Context, h *hookRun) dialect.HookResult {
	f.showInput(ctx, h)
	if h.HTTP != nil {
		return f.runner.post(ctx, h)
	}
	if pool := f.set.pools[h.Hook]; pool != nil && !f.runner.options.OneShot {
		return f.runner.runPersistent(ctx, pool, h)
	}
	return f.runner.runProcess(ctx, f.processes, h)
}

// showInput calls Options.OnInput. It returns when the call is given up too, since OnInput may close the Runner.
func (f *firing) showInput(ctx context.Context, h *hookRun) {
	on := f.runner.options.OnInput
	if on == nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer crash.Catch(new(error)) // it is the program's own function, which only looks on
		on(h.Name, h.Source(), h.payload.Bytes())
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// environ is the environment of a hook's process.
func (r *Runner) environ(h *hook.Hook, c *dialect.Call) []string {
	return launch.Environ(h, c, r.options.Env, r.binary)
}

// encoded keeps the payload of a call for the next hook of the same dialect: it can be megabytes.
type encoded struct {
	dialect *dialect.Dialect
	tools   *dialect.FileTools // by which the call's tool is named
	payload dialect.Payload
}

// encode makes the payload unless it is there. Warnings are returned once.
func (e *encoded) encode(d *dialect.Dialect, c *dialect.Call) (warnings []string, err error) {
	if e.dialect == d && e.tools == c.FileTools() {
		return nil, nil
	}
	e.payload, warnings, err = d.Hooks.Encode(c)
	e.dialect, e.tools = d, c.FileTools()
	return warnings, err
}
