package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	return slices.ContainsFunc(r.hooks(), func(h projecthooks.Hook) bool { return h.Runs(c.Event, c.Tool) })
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
	for i := range r.hooks() {
		h := &r.config.Hooks[i]
		switch {
		case !h.Runs(c.Event, c.Tool):
			continue
		case ended:
			judged = append(judged, protocol.Skipped(h.Name, h.Source(), h.Dialect))
			continue
		}
		warnings, err := stdin.encode(h.Dialect, &asked)
		if err != nil {
			return fail(protocol.CauseUnstarted, err)
		}
		result := r.run(ctx, h, &asked, stdin.payload)
		if ctx.Err() != nil {
			return fail(protocol.CauseInterrupted, context.Cause(ctx))
		}
		v := h.Dialect.Judge(&asked, h.Name, &result)
		v = h.Dialect.Settle(&asked, v, h.OnFailure, r.options.OnFailure)
		v.Warnings = append(warnings, v.Warnings...)
		judged = append(judged, protocol.Judged{
			Report:  protocol.Report(h.Name, h.Source(), &result, &v),
			Verdict: v, Dialect: h.Dialect,
		})
		ended = v.Decision == protocol.Block && h.Dialect.StopAtBlock
		if h.Dialect.Chain && v.Rewrite(&asked) {
			stdin = encoded{}
		}
	}
	o := protocol.Merge(&c, judged)
	for _, w := range r.warnings() {
		o.Warnings = append(o.Warnings, w.Error())
	}
	o.Duration = protocol.Milliseconds(time.Since(begin))
	return o, nil
}

func (r *Runner) warnings() []projecthooks.Problem {
	if r == nil {
		return nil
	}
	return r.config.Warnings
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

// Deadline is how long a hook of this runner may take.
func (r *Runner) Deadline(h *projecthooks.Hook) time.Duration {
	if r.options.Timeout > 0 {
		return r.options.Timeout
	}
	return h.Deadline()
}

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
		"PWD=" + c.Workspace, // what a shell's pwd prints
	}
	if r.options.Binary != "" {
		ours = append(ours, "HOOKRUN="+r.options.Binary)
	}
	if c.Event.HasTool() {
		ours = append(ours, "HOOKRUN_TOOL="+c.Tool)
	}
	return merged(base, ours, h.Env)
}
