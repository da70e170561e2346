package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookrun/hookrun/internal/core/canary"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/internal/core/process"
	"github.com/hookrun/hookrun/internal/lib/crash"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/secret"
	"github.com/hookrun/hookrun/protocol"
)

// Fired is the outcome of a call with further warnings and notes.
type Fired struct {
	protocol.Outcome
	Lint  []string // warnings about the style of hooks files: they concern no gate and come with every call
	Notes []string // for the run log: for each of Outcome.Hooks, details beyond its status
}

// WithLint returns the outcome with Lint appended to its warnings.
func (f Fired) WithLint() protocol.Outcome {
	f.Warnings = slices.Concat(f.Warnings, f.Lint)
	return f.Outcome
}

// maskOwn hides secrets in the words of hookrun, which may quote a call or the output of a hook. The words of hooks
// stay as they are.
func (f *Fired) maskOwn() {
	for _, texts := range [][]string{f.Warnings, f.Lint} {
		for i := range texts {
			texts[i] = secret.MaskMessage(texts[i])
		}
	}
	if f.Cause != protocol.CausePolicy {
		f.Reason = secret.MaskMessage(f.Reason)
	}
	for i := range f.Hooks {
		f.Hooks[i].Failure = secret.MaskMessage(f.Hooks[i].Failure)
	}
}

// merge merges the verdicts on a call.
func merge(c *dialect.Call, verdicts []dialect.HookVerdict) Fired {
	f := Fired{Outcome: dialect.Merge(c, verdicts)}
	for i := range verdicts {
		f.Notes = append(f.Notes, verdicts[i].Note)
	}
	return f
}

// Fire runs the hooks that match the call and merges their verdicts into an outcome. If the hooks could not be run, or
// if ctx ended, it returns an error and a block. Call.Workspace may be relative; "" is the current directory.
func (r *Runner) Fire(ctx context.Context, c dialect.Call) (Fired, error) {
	p, err := r.Plan(&c, CallSettings{})
	if err != nil {
		return failedCall(&c, nil, protocol.CauseUnstarted, err)
	}
	return p.Fire(ctx)
}

// Fire runs the hooks of the plan, as Runner.Fire does. If Reload changed the hooks after Plan, the new hooks run.
func (p *Plan) Fire(ctx context.Context) (f Fired, err error) {
	defer crash.Catch(&err) // from failedCall; the zero Outcome is a block
	if p.isZero() {
		return failedCall(&dialect.Call{}, nil, protocol.CauseUnstarted, errNotMade())
	}
	f, err, crashed := p.runOrCrash(ctx)
	if crashed != nil {
		return failedCall(&p.call, nil, protocol.CauseUnstarted, crashed)
	}
	return f, err
}

// runOrCrash is runHooks, but returns a panic as crashed.
func (p *Plan) runOrCrash(ctx context.Context) (f Fired, err, crashed error) {
	defer crash.Catch(&crashed)
	f, err = p.runHooks(ctx)
	if err == nil {
		p.countStops(&f.Outcome)
	}
	return f, err, nil
}

func (p *Plan) runHooks(ctx context.Context) (Fired, error) {
	begin := time.Now()
	r := p.runner
	if ctx.Err() != nil {
		return failedCall(&p.call, nil, protocol.CauseInterrupted, context.Cause(ctx))
	}
	set := r.hooks.Load()
	if err := r.enter(); err != nil {
		return failedCall(&p.call, nil, protocol.CauseInterrupted, err)
	}
	defer r.running.Done()
	if set.err != nil {
		return failedCall(&p.call, nil, protocol.CauseUnstarted, set.err)
	}
	if set != p.loaded {
		p.load(set)
	}
	if canary.Is(&p.call) { // whatever the hooks file says
		f := p.outcome(begin, nil)
		f.Decision, f.Cause, f.Reason = protocol.Block, protocol.CausePolicy, canary.Reason
		return f, nil
	}
	p.selectHooks()
	if err := p.pin(); err != nil {
		return failedCall(&p.call, nil, protocol.CauseUnstarted, err)
	}
	if by := &p.trust.blocks; by.Cause != "" {
		return p.blocked(begin, nil, by.Cause, by.Reason), nil
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
		return failedCall(&p.call, f.verdicts, cause, err)
	}
	if by := f.touched.Load(); by != nil {
		return p.blocked(begin, f.verdicts, by.Cause, by.Reason), nil
	}
	o := p.outcome(begin, f.verdicts)
	if o.Decision == protocol.Continue && len(f.approvals.used) > 0 {
		if err := f.takeApprovals(ctx); err != nil {
			return p.blocked(begin, f.verdicts, protocol.CausePolicy, err.Error()), nil
		}
	}
	return o, nil
}

// outcome merges the verdicts and adds the warnings and the async results.
func (p *Plan) outcome(begin time.Time, verdicts []dialect.HookVerdict) Fired {
	o := merge(&p.call, verdicts)
	o.Warnings = slices.Concat(o.Warnings, p.weakened(), p.unnamed(), p.withoutBinary(), p.skipped())
	for _, w := range p.match.Warnings() {
		if !slices.Contains(o.Warnings, w) { // the encoding of the call may have the same warning
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
	o.SystemMessages = slices.Concat(o.SystemMessages, p.trust.messages(), p.ofMainWorktree())
	p.runner.asyncResults.deliver(p.conversation(), &o.Outcome)
	o.maskOwn()
	o.Duration = protocol.Milliseconds(time.Since(begin))
	return o
}

// failedCall is the outcome of a call if not all hooks could run.
func failedCall(c *dialect.Call, verdicts []dialect.HookVerdict, cause protocol.Cause, err error) (Fired, error) {
	o := merge(c, verdicts)
	o.Decision, o.Approved, o.Cause, o.Reason, o.Hook = protocol.Block, false, cause, err.Error(), ""
	o.UpdatedInput, o.UpdatedBy, o.Texts = nil, "", nil
	dialect.Withhold(c, &o.Outcome)
	return o, err
}

// firing is a Plan while its hooks run.
type firing struct {
	*Plan
	begin     time.Time
	processes *process.Supervisor
	verdicts  []dialect.HookVerdict
	call      dialect.Call // as later hooks see it, with the rewrites of earlier hooks
	chain     chain
	stdin     encoded
	approvals approvals
	touched   atomic.Pointer[Judgment] // of a hook that changed: the hooks' answers do not count
	maxLevel  hook.Level               // only hooks with a smaller Level run, that is, of higher levels
	rewriter  hook.Level               // the lowest level at which a hook rewrote the call
	ended     bool                     // by a block
}

// runAll runs the hooks and, after a rewrite, the hooks of higher levels again.
func (f *firing) runAll(ctx context.Context) (protocol.Cause, error) {
	f.maxLevel = hook.LocalLevel + 1
	for run, again := f.run, false; len(run) > 0; run, again = f.higherHooks(), true {
		f.rewriter = hook.ManagedLevel
		before := len(f.verdicts)
		if cause, err := f.runInTurn(ctx, run); err != nil {
			return cause, err
		}
		if again {
			for i := before; i < len(f.verdicts); i++ { // the first run added the texts already
				v := &f.verdicts[i].Verdict
				if v.Context = ""; v.Status != dialect.StatusApproved && v.Status != dialect.StatusObserved {
					v.SystemMessage = ""
				}
			}
		}
	}
	return "", nil
}

// higherHooks returns the hooks of higher levels than the hook that rewrote the call. They ran before the rewrite and
// have not seen the tool's new input; without a second run a hook of the project could get a call past them.
func (f *firing) higherHooks() (run []*hook.Hook) {
	if f.rewriter == hook.ManagedLevel || f.ended || f.touched.Load() != nil {
		return nil
	}
	f.maxLevel = f.rewriter // so runAll ends
	match := hook.NewMatchContext(&f.call)
	selected, _ := selectFrom(match, f.set.candidates(match))
	return slices.DeleteFunc(selected, func(h *hook.Hook) bool { return h.Level >= f.maxLevel || h.Async })
}

// runInTurn runs hooks group by group.
func (f *firing) runInTurn(ctx context.Context, rest []*hook.Hook) (protocol.Cause, error) {
	sequential := sequential(rest)
	for len(rest) > 0 {
		group := nextGroup(rest, sequential)
		rest = rest[len(group):]
		d := group[0].Dialect
		if f.ended {
			for _, h := range group {
				f.verdicts = append(f.verdicts, dialect.Skipped(h.Name, h.Source(), d))
			}
			continue
		}
		shown := f.chain.shown(d, &f.call)
		event := f.match.Event(d)
		shown = group[0].CallFor(shown) // the hooks of a group are of one level
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
			f.ended = f.ended || d.Hooks.Ends(event, v)
			if v.Rewrite(&f.call) {
				rewritten = true
				f.rewriter = max(f.rewriter, group[i].Level) // functions are of the highest level
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
				func(h *hook.Hook) bool { return h.Level >= f.maxLevel })
		}
	}
	return "", nil
}

// hookRun is one hook that runs for a call.
type hookRun struct {
	*hook.Hook
	call     *dialect.Call // as the hook sees it
	payload  dialect.Payload
	limit    time.Duration
	waited   time.Duration // part of the limit, for a process that another call had
	of       conversation
	observes bool // the verdict has no effect on the call
	source   string
}

// runGroup runs hooks in parallel and returns their verdicts in the order of the group.
func (f *firing) runGroup(ctx context.Context, group []*hook.Hook, c *dialect.Call) ([]dialect.HookVerdict, error) {
	verdicts, errs := make([]dialect.HookVerdict, len(group)), make([]error, len(group))
	runs := make([]hookRun, len(group))
	for i, h := range group {
		limit, observes, source := f.deadline(h), h.Observes(f.begin), h.Source()
		if end, ok := ctx.Deadline(); ok && observes { // the client must not run out of time because of it
			limit = min(limit, time.Until(end)/4)
		}
		runs[i] = hookRun{Hook: h, call: c, payload: f.stdin.payload, limit: limit, of: f.conversation(),
			observes: observes, source: source}
	}
	var all sync.WaitGroup
	for i := range runs[1:] {
		all.Go(func() { verdicts[i+1], errs[i+1] = f.runHook(ctx, &runs[i+1]) })
	}
	verdicts[0], errs[0] = f.runHook(ctx, &runs[0])
	all.Wait()
	return verdicts, cmp.Or(errs...)
}

// runHook runs one hook and returns its verdict. An error is a panic in hookrun.
func (f *firing) runHook(ctx context.Context, h *hookRun) (verdict dialect.HookVerdict, err error) {
	defer crash.Catch(&err)
	return f.verdict(ctx, h), nil
}

func (f *firing) verdict(ctx context.Context, h *hookRun) (verdict dialect.HookVerdict) {
	start := time.Now()
	defer func() {
		verdict.Report.Start = protocol.Milliseconds(start.Sub(f.begin))
		verdict.Note = verdict.Verdict.Note()
		if h.observes {
			cannotTell := f.settings.CannotTell
			verdict.Observe(cannotTell != nil && cannotTell())
		} else {
			f.approve(h, &verdict)
		}
	}()
	switch by := h.Handler.(type) {
	case *hook.Rule:
		return dialect.Decided(h.Name, h.source, h.Dialect, by.Decide(h.Hook, h.call), time.Since(start), 0)
	case hook.Unsupported:
		v := dialect.Unsupported(h.Dialect, h.call, shownName(h.Hook), string(by))
		return h.answered(v, &dialect.HookResult{}, f.policies(h.Hook))
	case *hook.Function: // no file can change it
		v := h.fit(by.Run(ctx, h.call, h.limit))
		return dialect.Decided(h.Name, h.source, h.Dialect, v, time.Since(start), h.limit)
	}
	if f.isTouched(h.Hook) {
		return dialect.Skipped(h.Name, h.source, h.Dialect)
	}
	result, policies := f.result(ctx, h), f.policies(h.Hook) // of a process or a request
	result.Sent = h.payload
	f.noteRewritten(h.Hook)
	f.explainExit(h, &result)
	if result.Err != nil && !h.Async {
		if lack := process.Shortage(result.Err); lack != "" { // no failure of the hook
			result.Err = errors.New("hookrun could not start it: " + lack)
			policies = []dialect.FailurePolicy{{protocol.CauseUnstarted: protocol.Block}}
		}
	}
	return h.answered(nearmiss.Decode(h.Dialect, h.call, shownName(h.Hook), &result), &result, policies)
}

// answered returns the verdict of a hook by its policies, with the report of its process or request.
func (h *hookRun) answered(v dialect.Verdict, result *dialect.HookResult,
	policies []dialect.FailurePolicy) dialect.HookVerdict {
	v.HTTP = result.HTTP != nil
	v = h.fit(h.Dialect.ApplyFailurePolicy(h.call, v, policies...))
	report := dialect.Report(h.Name, h.source, result, &v)
	return dialect.HookVerdict{Report: report, Verdict: v, Dialect: h.Dialect}
}

// fit returns the verdict as the call's client can carry it out, with a long context in a file.
func (h *hookRun) fit(v dialect.Verdict) dialect.Verdict {
	h.call.Fit(shownName(h.Hook), &v)
	if v.Context != "" && !h.observes {
		saveContext(h.Hook, &v)
	}
	return v
}

// explainExit finds the fault of the hook's file if the exit code (126, 127) means that the file could not run.
func (f *firing) explainExit(h *hookRun, result *dialect.HookResult) {
	if result.Err != nil || result.Signal != "" || result.ExitCode != 126 && result.ExitCode != 127 {
		return
	}
	result.Fault = launch.StartFault(h.Hook, launch.Dir(h.Hook, h.call), f.runner.environ(h.Hook, h.call))
	result.Shell = result.Fault != "" || launch.RunsShell(h.Hook)
}

// shownName is the hook's name, escaped for reasons and warnings on terminals. Reports have the raw name.
func shownName(h *hook.Hook) string { return printable.Escape(h.Name) }

// result runs a hook as a request, in a persistent process, or in a process for this call.
func (f *firing) result(ctx context.Context, h *hookRun) dialect.HookResult {
	f.showInput(ctx, h)
	if request, is := h.Handler.(*hook.Request); is {
		return f.runner.post(ctx, h, request.By)
	}
	if pool := f.set.pools[h.Hook]; pool != nil && !f.runner.options.OneShot {
		return f.runner.runPersistent(ctx, pool, h)
	}
	if result, begun := f.runKept(ctx, h); begun {
		return result
	}
	return f.runner.runProcess(ctx, f.processes, h)
}

// showInput calls Options.OnInput. It also returns when ctx ends, because OnInput may close the Runner.
func (f *firing) showInput(ctx context.Context, h *hookRun) {
	on := f.runner.options.OnInput
	if on == nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer crash.Catch(new(error)) // a panic in the program's own function must not change the call
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

// encoded keeps the payload of a call for the next hook of the same dialect, because a payload can be megabytes.
type encoded struct {
	dialect *dialect.Dialect
	tools   *dialect.FileTools // the file's names for the call's tool
	payload dialect.Payload
}

// encode encodes the call, unless the payload is current. Only the first encode returns the warnings.
func (e *encoded) encode(d *dialect.Dialect, c *dialect.Call) (warnings []string, err error) {
	if e.dialect == d && e.tools == c.FileTools {
		return nil, nil
	}
	e.payload, warnings, err = d.Hooks.Encode(c)
	e.dialect, e.tools = d, c.FileTools
	return warnings, err
}
