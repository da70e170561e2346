package runner

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/all"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/process"
	"github.com/hookrun/hookrun/protocol"
)

// Fire runs the hooks that match and returns what they amount to. An error means that they could not be run, or that
// ctx ended: the outcome is a block then. Call.Workspace may be relative; "" is the current directory.
func (r *Runner) Fire(ctx context.Context, c protocol.Call, options ...CallOption) (protocol.Outcome, error) {
	p, err := r.Plan(c, options...)
	if err != nil {
		return failed(&c, nil, protocol.CauseUnstarted, err)
	}
	return p.Fire(ctx)
}

// Fire runs the hooks of the plan, as Runner.Fire does. Where Reload took other hooks meanwhile, those run.
func (p *Plan) Fire(ctx context.Context) (protocol.Outcome, error) {
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
	if set != p.set {
		p.prepare(set)
	}
	p.choose()
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
	return p.outcome(begin, f.verdicts), nil
}

// outcome makes one outcome of what the hooks said, and of what is to be said besides.
func (p *Plan) outcome(begin time.Time, verdicts []dialect.HookVerdict) protocol.Outcome {
	o := dialect.Merge(&p.call, verdicts)
	o.Warnings = append(o.Warnings, p.weakened()...)
	for _, w := range p.match.Warnings() {
		if !slices.Contains(o.Warnings, w) { // what encoded the call said so too
			o.Warnings = append(o.Warnings, w)
		}
	}
	for _, w := range p.set.config.Warned() {
		text := w.Error()
		o.Warnings = append(o.Warnings, text)
		if !w.Gate {
			o.Lint = append(o.Lint, text)
		}
	}
	if w, unknown := p.set.config.UnknownAgent(p.call.AgentID); unknown {
		o.Warnings = append(o.Warnings, w)
	}
	p.runner.asyncResults.deliver(p.call.SessionID, &o)
	o.Duration = protocol.Milliseconds(time.Since(begin))
	return o
}

// failed is the outcome of a call whose hooks could not all be run.
func failed(c *protocol.Call, verdicts []dialect.HookVerdict, cause protocol.Cause, err error) (protocol.Outcome,
	error) {
	o := dialect.Merge(c, verdicts)
	o.Decision, o.Approved, o.Cause, o.Reason, o.Hook = protocol.Block, false, cause, err.Error(), ""
	o.UpdatedInput, o.UpdatedOutput, o.Inject = nil, nil, nil
	return o, err
}

// firing is a Plan whose hooks run.
type firing struct {
	*Plan
	begin     time.Time
	processes *process.Supervisor
	verdicts  []dialect.HookVerdict
	call      protocol.Call // as later hooks see it: with the rewrites of earlier ones
	chain     chain
	stdin     encoded
}

// runAll runs the hooks, group by group.
func (f *firing) runAll(ctx context.Context) (protocol.Cause, error) {
	rest, sequential, ended := f.run, sequential(f.run), false
	for len(rest) > 0 {
		group := together(rest, sequential)
		rest = rest[len(group):]
		d := group[0].Dialect
		if ended {
			for _, h := range group {
				f.verdicts = append(f.verdicts, dialect.Skipped(h.Name, h.Source(), d))
			}
			continue
		}
		shown := f.chain.shown(d, &f.call)
		warnings, err := f.stdin.encode(d, shown)
		if err != nil {
			return protocol.CauseUnstarted, err
		}
		verdicts := f.runGroup(ctx, group, shown)
		if ctx.Err() != nil {
			return protocol.CauseInterrupted, context.Cause(ctx)
		}
		verdicts[0].Verdict.Warnings = append(warnings, verdicts[0].Verdict.Warnings...)
		rewritten, changed := false, false
		for i := range verdicts {
			v := &verdicts[i].Verdict
			ended = ended || v.Decision == protocol.Block && d.StopsAtBlock != nil && d.StopsAtBlock(f.match.Event(d))
			rewritten = v.Rewrite(&f.call) || rewritten
			changed = f.chain.add(v) || changed
		}
		f.verdicts = append(f.verdicts, verdicts...)
		if rewritten || changed {
			f.stdin = encoded{}
		}
		if rewritten {
			rest = f.set.alsoSelected(&f.call, group, rest)
		}
	}
	return "", nil
}

// hookRun is one hook that runs for a call.
type hookRun struct {
	*hookfile.Hook
	call    *protocol.Call // as the hook sees it
	payload dialect.Payload
	limit   time.Duration
}

// runGroup runs hooks at once and returns their verdicts in the order of the group, whichever ended first.
func (f *firing) runGroup(ctx context.Context, group []*hookfile.Hook, c *protocol.Call) []dialect.HookVerdict {
	verdicts := make([]dialect.HookVerdict, len(group))
	runs := make([]hookRun, len(group))
	for i, h := range group {
		runs[i] = hookRun{h, c, f.stdin.payload, f.deadline(h)}
	}
	var all sync.WaitGroup
	for i := range runs[1:] {
		all.Go(func() { verdicts[i+1] = f.runHook(ctx, &runs[i+1]) })
	}
	verdicts[0] = f.runHook(ctx, &runs[0])
	all.Wait()
	return verdicts
}

// runHook runs one hook and returns its verdict.
func (f *firing) runHook(ctx context.Context, h *hookRun) (verdict dialect.HookVerdict) {
	start := time.Now()
	defer func() { verdict.Report.Start = protocol.Milliseconds(start.Sub(f.begin)) }()
	if h.StaticVerdict != nil {
		verdict = dialect.Static(h.Name, h.Source(), staticVerdict(h), h.Dialect)
		verdict.Report.Duration = protocol.Milliseconds(time.Since(start))
		return verdict
	}
	var result dialect.HookResult
	var v dialect.Verdict
	if h.Unsupported != "" {
		v = dialect.Unsupported(h.Dialect, h.call, shownName(h.Hook), h.Unsupported)
	} else {
		result = f.result(ctx, h)
		f.explainExit(h, &result)
		v = h.Dialect.Decode(h.call, shownName(h.Hook), &result)
	}
	v = h.ApplyFailurePolicy(h.call, v, f.policies(h.Hook)...)
	all.FitResult(h.call, shownName(h.Hook), &v)
	saveContext(h.Hook, &v)
	report := dialect.Report(h.Name, h.Source(), &result, &v)
	return dialect.HookVerdict{Report: report, Verdict: v, Dialect: h.Dialect}
}

// staticVerdict is what a rule says of the call.
func staticVerdict(h *hookRun) dialect.Verdict {
	v := *h.StaticVerdict
	if v.Decision == protocol.Block {
		if doubt := hookfile.NewMatchContext(h.call).Doubt(h.Hook); doubt != "" {
			v.Reason += " (" + doubt + ")"
		}
	}
	return v
}

// explainExit finds out what is wrong with the file that was to run, where the exit code says that it could not.
func (f *firing) explainExit(h *hookRun, result *dialect.HookResult) {
	result.Shell = h.RunsShell()
	if result.Err != nil || result.Signal != "" || result.ExitCode != 126 && result.ExitCode != 127 {
		return
	}
	result.Fault = h.StartFault(h.Dir(h.call), f.runner.environ(h.Hook, h.call))
	if result.Fault != "" {
		result.Shell = true
	}
}

// shownName is the name of a hook as texts for people have it: reasons and warnings end up on terminals. Reports have
// it as it is.
func shownName(h *hookfile.Hook) string { return printable.Escape(h.Name) }

// result runs a hook in its own way: a function, a request, a persistent process, or a process for this call.
func (f *firing) result(ctx context.Context, h *hookRun) dialect.HookResult {
	if fn := f.set.funcs[h.Hook]; fn != nil {
		return fn.call(ctx, h.call, h.limit)
	}
	if h.HTTP != nil {
		return f.runner.post(ctx, h)
	}
	if pool := f.set.pools[h.Hook]; pool != nil && !f.runner.options.OneShot {
		return runPersistent(ctx, pool, h)
	}
	return f.runner.runProcess(ctx, f.processes, h)
}

// environ is the environment of a hook's process.
func (r *Runner) environ(h *hookfile.Hook, c *protocol.Call) []string {
	return h.Environ(c, r.options.Env, r.options.Binary)
}

// encoded keeps the payload of a call for the next hook of the same dialect: it can be megabytes.
type encoded struct {
	dialect *dialect.Dialect
	payload dialect.Payload
}

// encode makes the payload unless it is there. Warnings are returned once.
func (e *encoded) encode(d *dialect.Dialect, c *protocol.Call) (warnings []string, err error) {
	if e.dialect == d {
		return nil, nil
	}
	e.payload, warnings, err = d.EncodeInput(c)
	e.dialect = d
	return warnings, err
}
