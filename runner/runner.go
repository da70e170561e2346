package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/all"
	"github.com/hookrun/hookrun/internal/httphook"
	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/process"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
)

// Options change how a Runner runs its hooks. The zero value is right for a Go program that stays up and has other things
// to do.
type Options struct {
	Timeout   time.Duration          // of every hook; 0: each hook's own
	OnFailure protocol.FailurePolicy // for hooks that do not say; nil: the dialect's
	Env       []string               // that hooks get besides their own; nil: this process's environment
	Binary    string                 // path of a hookrun binary, which hooks find as $HOOKRUN; "" leaves that out
	Funcs     []Func                 // hooks that are functions; they are asked before those of the config

	// OneShot is for a process that makes one call and ends. Nothing stays between calls: a persistent hook gets its one line
	// and the end of its input, and a hook that is not to be waited for is left to itself. Close has nothing to do then.
	OneShot bool

	// Subreaper makes this process the parent of descendants that hooks orphan, so that those which hid from everything
	// else are found at a deadline (Linux). Unknown children are then taken for such orphans and reaped: it is for
	// programs that start no other children.
	Subreaper bool
}

// largeCall is from how many bytes on the arguments and the result of a call take time to match.
const largeCall = 1 << 20

// Runner runs the hooks of a Config. It is safe for concurrent use. A nil or zero Runner has no hooks. What it starts and keeps
// between calls ends with Close.
type Runner struct {
	options Options
	*shared
}

// shared is what a Runner and those that Override made of it have in common.
type shared struct {
	unfit        error // Options that cannot be used: no call is answered
	hooks        atomic.Pointer[hookSet]
	asyncResults asyncResults
	http         httphook.Client // of all HTTP hooks

	processes *process.Supervisor // of all hooks, unless Options.OneShot

	end     context.Context // by Close
	stop    context.CancelCauseFunc
	mu      sync.Mutex
	closed  bool
	closing sync.Once
	running sync.WaitGroup // calls, and hooks that are not waited for
}

// ErrClosed is the cause of a call that a closed Runner did not answer.
var ErrClosed = errors.New("the runner is closed")

// New returns a runner for the hooks of cfg; nil is no hooks. Options that cannot be used, as a Func without a function,
// make every Fire an error.
func New(cfg *projecthooks.Config, o Options) *Runner {
	r := &Runner{o, &shared{unfit: checkFuncs(o.Funcs)}}
	r.end, r.stop = context.WithCancelCause(context.Background())
	r.processes = r.newSupervisor()
	r.hooks.Store(r.newHookSet(cfg))
	return r
}

func (r *Runner) newSupervisor() *process.Supervisor {
	return &process.Supervisor{OneShot: r.options.OneShot, Subreaper: r.options.Subreaper}
}

// Override returns the same runner with another timeout of every hook, unless it is 0, and another policy for hooks that do
// not say, unless it is nil. Both are one: to close one is to close the other.
func (r *Runner) Override(timeout time.Duration, onFailure protocol.FailurePolicy) *Runner {
	if r.none() {
		return r
	}
	other := &Runner{r.options, r.shared}
	if timeout > 0 {
		other.options.Timeout = timeout
	}
	if onFailure != nil {
		other.options.OnFailure = onFailure
	}
	return other
}

// none reports whether nobody made the runner.
func (r *Runner) none() bool { return r == nil || r.shared == nil }

// Reload takes the hooks of another config from the next call on. Calls that have begun keep the old ones, whose processes
// end when those calls are over.
func (r *Runner) Reload(cfg *projecthooks.Config) {
	if r.none() || r.enter() != nil {
		return
	}
	defer r.running.Done()
	old := r.hooks.Swap(r.newHookSet(cfg))
	for _, pool := range old.pools {
		r.running.Go(pool.Close)
	}
}

// Close ends everything that the runner started: calls in flight are interrupted, their hooks and those that are not
// waited for are killed, and persistent hooks get the end of their input and half a second to go. It returns when nothing is
// left. Every later Fire is an error. Functions that do not heed their context run on.
func (r *Runner) Close() error {
	if r.none() {
		return nil
	}
	r.closing.Do(func() {
		r.mu.Lock()
		r.closed = true
		r.mu.Unlock()
		r.stop(ErrClosed)
		r.running.Wait()
		var all sync.WaitGroup
		for _, pool := range r.hooks.Load().pools {
			all.Go(pool.Close)
		}
		all.Wait()
		r.processes.Close()
		r.http.Close()
	})
	return nil
}

// enter begins something that Close waits for.
func (r *Runner) enter() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return ErrClosed
	}
	r.running.Add(1)
	return nil
}

// Any reports whether a call would run hooks at all.
func (r *Runner) Any(c protocol.Call) bool {
	if r.none() || check(&c) != nil {
		return false
	}
	set := r.hooks.Load()
	set.config.NameTool(&c)
	return set.any(projecthooks.NewAsked(&c))
}

// Concerned reports whether any hook is for calls of this event, agent and tool. Neither arguments nor result need be known, and it
// takes no time.
func (r *Runner) Concerned(c protocol.Call) bool {
	if r.none() {
		return false
	}
	set := r.hooks.Load()
	set.config.NameTool(&c)
	return set.concerned(projecthooks.NewAsked(&c))
}

// Selected returns the hooks that run at the call, in file order. Of equal ones it is one, in the place of the first. The call knows
// its tool by the project's names then.
func (r *Runner) Selected(c *protocol.Call) []*projecthooks.Hook {
	run, _ := r.selected(c)
	return run
}

// CallWarnings are what is odd about a call, which the outcome of Fire says too: equal keys in the arguments, a tool's name that differs
// from a matcher by case alone.
func (r *Runner) CallWarnings(c *protocol.Call) []string {
	_, warnings := r.selected(c)
	return warnings
}

func (r *Runner) selected(c *protocol.Call) (run []*projecthooks.Hook, warnings []string) {
	if r.none() {
		return nil, nil
	}
	set := r.hooks.Load()
	set.config.NameTool(c)
	call := *c
	if check(&call) != nil {
		return nil, nil
	}
	match := projecthooks.NewAsked(&call)
	run = set.selected(match)
	return run, match.Warnings()
}

// Fire asks the hooks that match and returns what they amount to. An error means that they could not be asked, or that
// ctx ended: the outcome is a block then. Call.Workspace may be relative; "" is the current directory.
func (r *Runner) Fire(ctx context.Context, c protocol.Call) (protocol.Outcome, error) {
	if r.none() {
		r = New(nil, Options{})
	}
	return r.fire(ctx, r.hooks.Load(), c)
}

func (r *Runner) fire(ctx context.Context, set *hookSet, c protocol.Call) (protocol.Outcome, error) {
	begin := time.Now()
	var judged []dialect.HookVerdict
	fail := func(cause protocol.Cause, err error) (protocol.Outcome, error) {
		o := dialect.Merge(&c, judged)
		o.Decision, o.Approved, o.Cause, o.Reason, o.Hook = protocol.Block, false, cause, err.Error(), ""
		o.UpdatedInput, o.UpdatedOutput, o.Inject = nil, nil, nil
		return o, err
	}
	if err := check(&c); err != nil {
		return fail(protocol.CauseUnstarted, err)
	}
	if ctx.Err() != nil {
		return fail(protocol.CauseInterrupted, context.Cause(ctx))
	}
	if err := cmp.Or(r.unfit, set.unfit); err != nil {
		return fail(protocol.CauseUnstarted, err)
	}
	if err := r.enter(); err != nil {
		return fail(protocol.CauseInterrupted, err)
	}
	defer r.running.Done()
	set.config.NameTool(&c)
	match := projecthooks.NewAsked(&c)
	rest, doubles := set.chosen(match)
	weakened := r.weakened(doubles, &c)
	if len(rest) > 0 {
		var over context.CancelCauseFunc
		ctx, over = context.WithCancelCause(ctx)
		defer over(nil)
		defer context.AfterFunc(r.end, func() { over(context.Cause(r.end)) })()
	}
	processes := r.processes
	if r.options.OneShot {
		processes = r.newSupervisor()
		defer processes.Close()
	}
	asked := c // as later hooks see it: with the rewrites of earlier ones
	var handed chain
	var stdin encoded
	ended, turns := false, inTurn(rest)
	for len(rest) > 0 {
		group := together(rest, turns)
		rest = rest[len(group):]
		d := rulesOf(group[0])
		if ended {
			for _, h := range group {
				judged = append(judged, dialect.Skipped(h.Name, h.Source(), d))
			}
			continue
		}
		shown := handed.shown(d, &asked)
		warnings, err := stdin.encode(d, shown)
		if err != nil {
			return fail(protocol.CauseUnstarted, err)
		}
		said := r.ask(ctx, set, group, shown, stdin.payload, processes)
		if ctx.Err() != nil {
			return fail(protocol.CauseInterrupted, context.Cause(ctx))
		}
		said[0].judged.Verdict.Warnings = append(warnings, said[0].judged.Verdict.Warnings...)
		rewritten, changed := false, false
		for i := range said {
			said[i].judged.Report.Start = protocol.Milliseconds(said[i].asked.Sub(begin))
			v := &said[i].judged.Verdict
			ended = ended || v.Decision == protocol.Block && d.StopsAtBlock != nil && d.StopsAtBlock(d.EventOf(&c))
			rewritten = v.Rewrite(&asked) || rewritten
			changed = handed.add(v) || changed
			judged = append(judged, said[i].judged)
		}
		if rewritten || changed {
			stdin = encoded{}
		}
		if rewritten {
			rest = set.alsoSelected(&asked, group, rest)
		}
	}
	return r.outcome(set, match, judged, weakened, begin), nil
}

// Static returns the outcome of a call of a tool and event that only rules are for, as Fire does. It waits for nothing. If there
// are hooks that may have to run, or Fire would return an error, it is false.
func (r *Runner) Static(c protocol.Call) (protocol.Outcome, bool) {
	if r.none() || r.unfit != nil {
		return protocol.Outcome{}, false
	}
	set, call := r.hooks.Load(), c
	if check(&call) != nil {
		return protocol.Outcome{}, false
	}
	set.config.NameTool(&call)
	match := projecthooks.NewAsked(&call)
	large := len(call.Args)+len(call.Result)+len(call.ClientInput) > largeCall // which takes time to match
	// By event and tool alone: fire holds the rest of the call against the hooks, once.
	for i := range set.all {
		if h := &set.all[i]; match.Concerns(h) && (large || h.Says == nil) {
			return protocol.Outcome{}, false
		}
	}
	o, err := r.fire(context.Background(), set, c)
	return o, err == nil
}

// outcome makes one outcome of what the hooks said, and of what is to be said besides. weakened are warnings about hooks that were
// left out.
func (r *Runner) outcome(set *hookSet, match *projecthooks.Asked, judged []dialect.HookVerdict, weakened []string, begin time.Time) protocol.Outcome {
	c := match.Call()
	o := dialect.Merge(c, judged)
	o.Warnings = append(o.Warnings, weakened...)
	for _, w := range match.Warnings() {
		if !slices.Contains(o.Warnings, w) { // what encoded the call said so too
			o.Warnings = append(o.Warnings, w)
		}
	}
	for _, w := range set.config.Warned() {
		text := w.Error()
		o.Warnings = append(o.Warnings, text)
		if !w.Gate {
			o.Lint = append(o.Lint, text)
		}
	}
	if w, unknown := set.config.UnknownAgent(c.AgentID); unknown {
		o.Warnings = append(o.Warnings, w)
	}
	r.asyncResults.deliver(c.SessionID, &o)
	o.Duration = protocol.Milliseconds(time.Since(begin))
	return o
}

// answer is what came of asking one hook.
type answer struct {
	asked  time.Time
	judged dialect.HookVerdict
}

// ask runs a group of hooks at once and returns their answers in its order, whichever ended first.
func (r *Runner) ask(ctx context.Context, set *hookSet, group []*projecthooks.Hook, c *protocol.Call, payload dialect.Payload, s *process.Supervisor) []answer {
	answers := make([]answer, len(group))
	var all sync.WaitGroup
	for i, h := range group[1:] {
		all.Go(func() { answers[i+1] = r.askOne(ctx, set, h, c, payload, s) })
	}
	answers[0] = r.askOne(ctx, set, group[0], c, payload, s)
	all.Wait()
	return answers
}

func (r *Runner) askOne(ctx context.Context, set *hookSet, h *projecthooks.Hook, c *protocol.Call, payload dialect.Payload, s *process.Supervisor) (a answer) {
	a.asked = time.Now()
	if h.Says != nil {
		says := *h.Says
		if says.Decision == protocol.Block {
			if doubt := projecthooks.NewAsked(c).Doubt(h); doubt != "" {
				says.Reason += " (" + doubt + ")"
			}
		}
		a.judged = dialect.Static(h.Name, h.Source(), says, rulesOf(h))
		a.judged.Report.Duration = protocol.Milliseconds(time.Since(a.asked))
		return a
	}
	var result dialect.HookResult
	var v dialect.Verdict
	if h.Unsupported != "" {
		v = dialect.Unsupported(rulesOf(h), c, shownName(h), h.Unsupported)
	} else {
		result = r.result(ctx, set, h, c, payload, s)
		if result.Shell = h.RunsShell(); result.Err == nil && result.Signal == "" && (result.ExitCode == 126 || result.ExitCode == 127) {
			if result.Fault = h.StartFault(Dir(h, c), r.Environment(h, *c)); result.Fault != "" {
				result.Shell = true
			}
		}
		v = rulesOf(h).Decode(c, shownName(h), &result)
	}
	v = h.ApplyFailurePolicy(c, v, r.Policies(h)...)
	all.FitResult(c, shownName(h), &v)
	r.saveContext(h, &v)
	a.judged = dialect.HookVerdict{Report: dialect.Report(h.Name, h.Source(), &result, &v), Verdict: v, Dialect: rulesOf(h)}
	return a
}

// shownName is the name of a hook as texts for people have it: reasons and warnings end up on terminals. Reports have it as it is.
func shownName(h *projecthooks.Hook) string { return printable.Escape(h.Name) }

// result runs a hook in its own way: a function, a request, a persistent process, or a process for this call.
func (r *Runner) result(ctx context.Context, set *hookSet, h *projecthooks.Hook, c *protocol.Call, payload dialect.Payload, s *process.Supervisor) dialect.HookResult {
	if f := set.funcs[h]; f != nil {
		return f.call(ctx, c, r.Deadline(h, c))
	}
	if h.HTTP != nil {
		return r.post(ctx, h, c, payload)
	}
	if pool := set.pools[h]; pool != nil && !r.options.OneShot {
		return r.runPersistent(ctx, pool, h, c, payload)
	}
	return r.run(ctx, s, h, c, payload)
}

// check makes sure that there is something to ask about, and completes the call.
func check(c *protocol.Call) (err error) {
	if _, ok := all.ParseEvent(string(c.Event)); !ok {
		return fmt.Errorf("unknown event %q", c.Event)
	}
	if c.Event.HasTool() && c.Tool == "" {
		return fmt.Errorf("%s needs the name of a tool", c.Event)
	}
	c.Workspace, err = filepath.Abs(c.Workspace)
	return err
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

// Policies say what failures of a hook mean, the first that names a cause before the others: its own, and the runner's for
// hooks that do not say. Nothing that becomes of an async hook can hold a call up, so that has none.
func (r *Runner) Policies(h *projecthooks.Hook) []protocol.FailurePolicy {
	if h.Async {
		return nil
	}
	return []protocol.FailurePolicy{h.OnFailure, r.options.OnFailure}
}

// Deadline is how long a hook of this runner may take at a call.
func (r *Runner) Deadline(h *projecthooks.Hook, c *protocol.Call) time.Duration {
	if r.options.Timeout > 0 {
		return r.options.Timeout
	}
	return h.Deadline(rulesOf(h).EventOf(c))
}

// rulesOf are those of a hook's dialect.
func rulesOf(h *projecthooks.Hook) *dialect.Dialect { return all.Of(h.Dialect) }
