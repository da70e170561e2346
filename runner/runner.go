package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
)

// Options change how a Runner runs its hooks. The zero value is right for a Go program that has other things to do.
type Options struct {
	Timeout   time.Duration          // of every hook; 0: each hook's own
	OnFailure protocol.FailurePolicy // for hooks that do not say; nil: the dialect's
	Env       []string               // that hooks get besides their own; nil: this process's environment
	Binary    string                 // path of a hookrun binary, which hooks find as $HOOKRUN; "" leaves that out

	// Subreaper makes this process the parent of descendants that hooks orphan, so that those which hid from everything
	// else are found at a deadline (Linux). Unknown children are then taken for such orphans and reaped: it is for
	// programs that start no other children.
	Subreaper bool
}

// Runner runs the hooks of a Config. It keeps no state between calls and is safe for concurrent use. A nil Runner has
// no hooks.
type Runner struct {
	config  *projecthooks.Config
	options Options
}

// New returns a runner for the hooks of cfg; nil is no hooks.
func New(cfg *projecthooks.Config, o Options) *Runner {
	if cfg == nil {
		cfg = &projecthooks.Config{}
	}
	if o.Subreaper && len(cfg.Hooks) > 0 {
		becomeSubreaper()
	}
	return &Runner{config: cfg, options: o}
}

// hooks returns all hooks in file order.
func (r *Runner) hooks() []projecthooks.Hook {
	if r == nil {
		return nil
	}
	return r.config.Hooks
}

// Any reports whether a call would run hooks at all.
func (r *Runner) Any(c protocol.Call) bool {
	return slices.ContainsFunc(r.hooks(), func(h projecthooks.Hook) bool { return h.Runs(&c) })
}

// Fire asks the hooks that match and returns what they amount to. An error means that they could not be asked, or that
// ctx ended: the outcome is a block then. Call.Workspace may be relative; "" is the current directory.
func (r *Runner) Fire(ctx context.Context, c protocol.Call) (protocol.Outcome, error) {
	begin := time.Now()
	var judged []protocol.Judged
	fail := func(cause protocol.Cause, err error) (protocol.Outcome, error) {
		o := protocol.Merge(&c, judged)
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
	asked := c // as later hooks see it: with the rewrites of earlier ones
	var stdin encoded
	ended := false
	for rest := r.Selected(&c); len(rest) > 0; {
		group := together(rest)
		rest = rest[len(group):]
		d := group[0].Dialect
		if ended {
			for _, h := range group {
				judged = append(judged, protocol.Skipped(h.Name, h.Source(), d))
			}
			continue
		}
		warnings, err := stdin.encode(d, &asked)
		if err != nil {
			return fail(protocol.CauseUnstarted, err)
		}
		said := r.ask(ctx, group, &asked, stdin.payload)
		if ctx.Err() != nil {
			return fail(protocol.CauseInterrupted, context.Cause(ctx))
		}
		said[0].judged.Verdict.Warnings = append(warnings, said[0].judged.Verdict.Warnings...)
		rewritten := false
		for i := range said {
			if said[i].err != nil {
				return fail(protocol.CauseUnsupported, said[i].err)
			}
			v := &said[i].judged.Verdict
			ended = ended || v.Decision == protocol.Block && d.StopAtBlock
			rewritten = v.Rewrite(&asked) || rewritten
			judged = append(judged, said[i].judged)
		}
		if rewritten {
			stdin = encoded{}
			rest = r.alsoSelected(&asked, group, rest)
		}
	}
	o := protocol.Merge(&c, judged)
	for _, w := range r.warnings() {
		o.Warnings = append(o.Warnings, w.Error())
	}
	o.Duration = protocol.Milliseconds(time.Since(begin))
	return o, nil
}

// Selected returns the hooks that run at the call, in file order. Of equal ones it is the last, in the place of the first.
func (r *Runner) Selected(c *protocol.Call) (hooks []*projecthooks.Hook) {
	var places map[string]int
	all := r.hooks()
	for i := range all {
		h := &all[i]
		if !h.Runs(c) {
			continue
		}
		if h.Same != "" {
			if place, ok := places[h.Same]; ok {
				hooks[place] = h
				continue
			}
			if places == nil {
				places = map[string]int{}
			}
			places[h.Same] = len(hooks)
		}
		hooks = append(hooks, h)
	}
	return hooks
}

// alsoSelected adds to the hooks that are left those behind the group that the call as it was rewritten selects: a guard
// that the tool's new input is for must see it.
func (r *Runner) alsoSelected(asked *protocol.Call, group, rest []*projecthooks.Hook) (hooks []*projecthooks.Hook) {
	const left, now = 1, 2
	selected, taken := map[*projecthooks.Hook]int{}, map[string]bool{}
	for _, h := range r.Selected(asked) {
		selected[h] = now
	}
	for _, h := range rest {
		selected[h] = left
	}
	for _, h := range append(slices.Clip(group), rest...) {
		taken[h.Same] = h.Same != ""
	}
	all, behind := r.hooks(), false
	for i := range all {
		h := &all[i]
		if selected[h] == left || selected[h] == now && behind && !taken[h.Same] {
			hooks = append(hooks, h)
		}
		behind = behind || h == group[len(group)-1]
	}
	return hooks
}

// together returns the first hooks that are asked together: those of a dialect that follow each other, where it runs its
// hooks at once, else one. A group sees what earlier groups rewrote.
func together(hooks []*projecthooks.Hook) []*projecthooks.Hook {
	n := 1
	for n < len(hooks) && hooks[0].Dialect.Parallel && hooks[n].Dialect == hooks[0].Dialect {
		n++
	}
	return hooks[:n]
}

// answer is what came of asking one hook. err: hookrun itself could not ask it.
type answer struct {
	judged protocol.Judged
	err    error
}

// ask runs a group of hooks at once and returns their answers in its order, whichever ended first.
func (r *Runner) ask(ctx context.Context, group []*projecthooks.Hook, c *protocol.Call, payload protocol.Payload) []answer {
	answers := make([]answer, len(group))
	g := &guard{}
	defer g.end()
	var all sync.WaitGroup
	for i, h := range group[1:] {
		all.Go(func() { answers[i+1] = r.askOne(ctx, h, c, payload, g) })
	}
	answers[0] = r.askOne(ctx, group[0], c, payload, g)
	all.Wait()
	return answers
}

func (r *Runner) askOne(ctx context.Context, h *projecthooks.Hook, c *protocol.Call, payload protocol.Payload, g *guard) (a answer) {
	var result protocol.Result
	var v protocol.Verdict
	if h.Unsupported != "" {
		v = protocol.Unsupported(h.Dialect, c, h.Name, h.Unsupported)
	} else {
		result = r.run(ctx, h, c, payload, g)
		if errors.Is(result.Err, projecthooks.ErrNoPoster) {
			a.err = fmt.Errorf("%s: %w", h.Source(), result.Err)
		}
		v = h.Dialect.Judge(c, h.Name, &result)
	}
	v = h.Dialect.Settle(c, v, r.Policies(h)...)
	r.spill(h, &v)
	a.judged = protocol.Judged{Report: protocol.Report(h.Name, h.Source(), &result, &v), Verdict: v, Dialect: h.Dialect}
	return a
}

func (r *Runner) warnings() []projecthooks.Problem {
	if r == nil {
		return nil
	}
	return r.config.Warned()
}

// check makes sure that there is something to ask about, and completes the call.
func check(c *protocol.Call) (err error) {
	if _, ok := protocol.ParseEvent(string(c.Event)); !ok {
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
	dialect *protocol.Dialect
	payload protocol.Payload
}

// encode makes the payload unless it is there. Warnings are returned once.
func (e *encoded) encode(d *protocol.Dialect, c *protocol.Call) (warnings []string, err error) {
	if e.dialect == d {
		return nil, nil
	}
	e.payload, warnings, err = d.Payload(c)
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
	return h.Deadline(h.Dialect.EventOf(c))
}

// Dir is where a hook runs: in the workspace, or where its dialect has it so in the session's current directory, if that is
// still there.
func Dir(h *projecthooks.Hook, c *protocol.Call) string {
	if h.Dialect.FollowsDir && filepath.IsAbs(c.Dir) {
		if info, err := os.Stat(c.Dir); err == nil && info.IsDir() {
			return c.Dir
		}
	}
	return c.Workspace
}

// maxVariable is how long the name of a tool may be to stand in the environment. With one that the system refuses no hook
// would start, and so no guard.
const maxVariable = 4 << 10

// Environment is what a hook gets: the caller's variables, the hook's own, and HOOKRUN_*. A name occurs once, since
// programs differ in whether the first or the last of two counts.
func (r *Runner) Environment(h *projecthooks.Hook, c protocol.Call) []string {
	base := r.options.Env
	if base == nil {
		base = os.Environ()
	}
	ours := []string{
		"HOOKRUN_EVENT=" + string(c.Event.Canonical()),
		"HOOKRUN_HOOK=" + h.Name,
		"HOOKRUN_WORKSPACE=" + c.Workspace,
		"PWD=" + Dir(h, &c), // what a shell's pwd prints
	}
	var last []string // what no file may set
	if name := h.Dialect.WorkspaceVariable; name != "" {
		last = append(last, name+"="+c.Workspace)
	}
	for _, hidden := range h.Dialect.HiddenVariables {
		base = slices.DeleteFunc(slices.Clone(base), func(v string) bool { return strings.HasPrefix(v, hidden) })
	}
	if r.options.Binary != "" {
		ours = append(ours, "HOOKRUN="+r.options.Binary)
	}
	if c.Event.HasTool() && len(c.Tool) <= maxVariable && !strings.ContainsRune(c.Tool, 0) {
		ours = append(ours, "HOOKRUN_TOOL="+c.Tool)
	}
	return merged(base, ours, h.Environment(), last)
}
