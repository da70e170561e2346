package engine

import (
	"context"
	"errors"
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/httphook"
	"github.com/hookrun/hookrun/internal/launch"
	"github.com/hookrun/hookrun/internal/process"
	"github.com/hookrun/hookrun/protocol"
)

// post runs an HTTP hook: the hook's input is the body of a request, and the body of the answer is read like a
// command's stdout. No process starts. The hook's deadline is the deadline of the request.
func (r *Runner) post(ctx context.Context, h *hookRun) (result dialect.HookResult) {
	begin := time.Now()
	result.Limit, result.HTTP = h.limit, &dialect.HTTPResult{}
	defer func() { result.Duration = time.Since(begin) }()
	if result.Err = ctx.Err(); result.Err != nil {
		return result
	}
	endpoint, err := h.Endpoint()
	if err != nil {
		result.Err = err
		return result
	}
	ctx, cancel := context.WithDeadline(ctx, begin.Add(result.Limit))
	defer cancel()
	if r.options.OneShot {
		defer r.http.CloseIdleConnections()
	}
	var env []string
	getenv := func(name string) string {
		if env == nil { // most requests name no variable
			env = r.environ(h.Hook, h.call)
		}
		return launch.Variable(env, name)
	}
	body, err := r.http.Post(ctx, &endpoint, getenv, h.payload)
	if err == nil {
		if hello, again := h.Dialect.Hooks.Negotiate(h.call, body); hello != nil {
			if _, err = r.http.Post(ctx, &endpoint, getenv, hello); err == nil {
				h.payload = again
				body, err = r.http.Post(ctx, &endpoint, getenv, h.payload)
			}
		}
	}
	var failed *httphook.Error
	switch {
	case err == nil:
		result.Stdout = dialect.Capture{Head: body, Total: int64(len(body))}
	case errors.As(err, &failed) && failed.Failure == httphook.Unsent && process.Shortage(err) != "":
		result.Err = err
	case failed != nil:
		result.HTTP.Failure, result.HTTP.Why = causeOf(failed.Failure), failed.Text
	default: // the context ended
		result.TimedOut = true
	}
	return result
}

func causeOf(f httphook.Failure) protocol.Cause {
	switch f {
	case httphook.Unsent:
		return protocol.CauseUnstarted
	case httphook.NotOK:
		return protocol.CauseExit
	case httphook.Unreadable:
		return protocol.CauseOutput
	}
	return ""
}
