package engine

import (
	"context"
	"time"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/core/nearmiss"
	"github.com/hookrun/hookrun/internal/core/process"
)

// slot waits until fewer processes run than Options.MaxProcs. It returns a function that frees the slot, to call once
// the call no longer waits for the process. An async hook needs no slot, because it must not keep gates from running.
func (r *Runner) slot(ctx context.Context, h *hookRun) (free func(), err error) {
	if r.slots == nil || h.Async {
		return func() {}, ctx.Err()
	}
	select {
	case r.slots <- struct{}{}:
		return func() { <-r.slots }, ctx.Err()
	case <-ctx.Done():
		return func() {}, ctx.Err()
	}
}

// runProcess runs a hook as a process for one call.
func (r *Runner) runProcess(ctx context.Context, s *process.Supervisor, h *hookRun) (result dialect.HookResult) {
	free, err := r.slot(ctx, h)
	defer free()
	if err != nil {
		return dialect.HookResult{Err: err}
	}
	begin := time.Now().Add(-h.waited) // after the wait for a slot, so the hook keeps its whole time
	defer func() { result.Limit, result.Duration = h.limit, time.Since(begin) }()
	program, err := r.program(h.Hook, h.call)
	if err != nil {
		return dialect.HookResult{Err: err}
	}
	input, id := process.Input(h.payload), ""
	if by, is := h.Handler.(*hook.Process); is && by.Workers > 0 {
		input, id = h.line(r.lastID.Add(1))
	}
	if h.Async && r.options.OneShot {
		err := startError(s.StartDetached(program, input))
		return dialect.HookResult{Err: err, Async: err == nil}
	}
	detach := h.Dialect.AsyncLine()
	if h.Async { // already detached
		detach = nil
	}
	p, err := s.Start(program, input, begin.Add(h.limit), detach)
	if err != nil {
		return dialect.HookResult{Err: startError(err)}
	}
	if h.Async {
		r.watch(h, p)
		return dialect.HookResult{Async: true}
	}
	got, ended := p.Wait(ctx)
	switch {
	case !ended && r.options.OneShot:
		got = p.Release()
	case !ended:
		r.watch(h, p)
		got.Detached = true
	}
	result = resultOf(&got, h.limit)
	result.CallID = id
	if ended && result.Async && !r.options.OneShot {
		r.keepAsyncResult(h.of, h.Hook, h.call, result)
	}
	if ended && id != "" && !result.TimedOut && result.ExitCode == 0 && result.Signal == "" {
		nearmiss.ReadLine(&result)
	}
	return result
}

// watch waits for an async hook, until its deadline or Close.
func (r *Runner) watch(h *hookRun, p *process.Process) {
	of, hook, c, limit := h.of, h.Hook, *h.call, h.limit // does not keep the payload, which can be megabytes
	r.running.Go(func() {
		got, _ := p.Wait(r.end)
		if r.end.Err() == nil {
			r.keepAsyncResult(of, hook, &c, resultOf(&got, limit))
		}
	})
}

// resultOf converts the result of a process for the dialects.
func resultOf(got *process.Result, limit time.Duration) dialect.HookResult {
	return dialect.HookResult{
		Err: got.Err, TimedOut: got.TimedOut, Limit: limit, ExitCode: got.ExitCode, Signal: got.Signal,
		Stdout: CaptureOf(got.Stdout), Stderr: CaptureOf(got.Stderr), LeftRunning: got.Survivors,
		Unread: got.OutputHeld,
		Async:  got.Detached, WentAsync: got.Detached,
	}
}

// CaptureOf returns the output of a process for the dialects.
func CaptureOf(o process.Output) dialect.Capture {
	return dialect.Capture{Head: o.Head, Tail: o.Tail, Total: o.Total}
}

// program is the program of a hook's process, with arguments, folder and environment.
func (r *Runner) program(h *hook.Hook, c *dialect.Call) (p process.Program, err error) {
	p.Env, p.Dir = r.environ(h, c), launch.Dir(h, c)
	if p.Path, p.Args, err = launch.Program(h, p.Dir, p.Env); err != nil {
		return p, err
	}
	p.Path, p.Args, err = launch.Resolve(p.Path, p.Args, p.Dir, p.Env)
	return p, err
}
