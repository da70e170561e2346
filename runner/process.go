package runner

import (
	"context"
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/process"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
)

// run runs a hook as a process for one call.
func (r *Runner) run(
	ctx context.Context, s *process.Supervisor, h *projecthooks.Hook, c *protocol.Call, payload dialect.Payload,
) (result dialect.HookResult) {
	begin, limit := time.Now(), r.Deadline(h, c)
	defer func() { result.Limit, result.Duration = limit, time.Since(begin) }()
	if err := ctx.Err(); err != nil {
		return dialect.HookResult{Err: err}
	}
	program, err := r.program(h, c)
	if err != nil {
		return dialect.HookResult{Err: err}
	}
	input := process.Input(payload)
	if h.Async && r.options.OneShot {
		err := startError(s.StartDetached(program, input))
		return dialect.HookResult{Err: err, Async: err == nil}
	}
	detach := rulesOf(h).GoesAsync
	if h.Async { // it is detached already
		detach = nil
	}
	p, err := s.Start(program, input, begin.Add(limit), detach)
	if err != nil {
		return dialect.HookResult{Err: startError(err)}
	}
	if h.Async {
		r.watch(h, *c, p, limit)
		return dialect.HookResult{Async: true}
	}
	got, ended := p.Wait(ctx)
	switch {
	case !ended && r.options.OneShot:
		got = p.Release()
	case !ended:
		r.watch(h, *c, p, limit)
		got.Detached = true
	}
	result = resultOf(&got, limit)
	if ended && result.Async && !r.options.OneShot {
		r.keepAsyncResult(h, c, result)
	}
	if ended && h.Persistent && !result.TimedOut && result.ExitCode == 0 && result.Signal == "" {
		result.ReadLine()
	}
	return result
}

// runPersistent gives the call to a persistent process of the hook.
func (r *Runner) runPersistent(
	ctx context.Context, pool *process.Pool, h *projecthooks.Hook, c *protocol.Call, payload dialect.Payload,
) (result dialect.HookResult) {
	begin, limit := time.Now(), r.Deadline(h, c)
	hasLine := false
	reply := pool.Ask(ctx, c.Workspace, process.Input(payload), limit, func(reply *process.Reply) (problem string) {
		result, hasLine = resultOf(&reply.Result, limit), true
		result.ReadLine()
		return result.ProtocolError
	})
	if !hasLine {
		result = resultOf(&reply.Result, limit)
	}
	result.Err = startError(result.Err)
	result.ProtocolError, result.NoLine = reply.Problem, reply.NoLine
	result.Duration = time.Since(begin)
	return result
}

// watch waits for a hook that its call does not wait for: to its deadline, or until Close.
func (r *Runner) watch(h *projecthooks.Hook, c protocol.Call, p *process.Process, limit time.Duration) {
	r.running.Go(func() {
		got, _ := p.Wait(r.end)
		if r.end.Err() == nil {
			r.keepAsyncResult(h, &c, resultOf(&got, limit))
		}
	})
}

// resultOf is what became of a process, as dialects read it.
func resultOf(got *process.Result, limit time.Duration) dialect.HookResult {
	return dialect.HookResult{
		Err: got.Err, TimedOut: got.TimedOut, Limit: limit, ExitCode: got.ExitCode, Signal: got.Signal,
		Stdout: dialect.Capture(got.Stdout), Stderr: dialect.Capture(got.Stderr), LeftRunning: got.Left,
		Async: got.Detached, WentAsync: got.Detached,
	}
}

// program is what a hook's process is started from.
func (r *Runner) program(h *projecthooks.Hook, c *protocol.Call) (p process.Program, err error) {
	p.Env, p.Dir = r.Environment(h, *c), Dir(h, c)
	p.Path, p.Args, err = h.Program(p.Dir, p.Env)
	return p, err
}
