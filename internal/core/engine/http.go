package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/endpoint"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/core/process"
	"github.com/hookrun/hookrun/protocol"
)

// post runs an HTTP hook: the hook's input is the body of a request, and the body of the answer is read like a
// command's stdout. No process starts. The hook's deadline is the deadline of the request.
func (r *Runner) post(ctx context.Context, h *hookRun, by hook.Requests) (result dialect.HookResult) {
	begin := time.Now()
	result.Limit, result.HTTP = h.limit, &dialect.HTTPResult{}
	defer func() { result.Duration = time.Since(begin) }()
	if result.Err = ctx.Err(); result.Err != nil {
		return result
	}
	to, err := h.Endpoint()
	if err != nil {
		result.Err = err
		return result
	}
	ctx, cancel := context.WithDeadline(ctx, begin.Add(result.Limit))
	defer cancel()
	client := r.requests.client(by)
	if r.options.OneShot {
		defer client.CloseIdleConnections()
	}
	var env []string
	getenv := func(name string) string {
		if env == nil { // most requests name no variable
			env = r.environ(h.Hook, h.call)
		}
		return launch.Variable(env, name)
	}
	body, err := client.Post(ctx, &to, getenv, h.payload)
	if err == nil {
		if hello, again := h.Dialect.Hooks.Negotiate(h.call, body); hello != nil {
			if _, err = client.Post(ctx, &to, getenv, hello); err == nil {
				h.payload = again
				body, err = client.Post(ctx, &to, getenv, h.payload)
			}
		}
	}
	var failed *endpoint.Error
	switch {
	case err == nil:
		result.Stdout = dialect.Capture{Head: body, Total: int64(len(body))}
	case errors.As(err, &failed) && failed.Cause == protocol.CauseUnstarted && process.Shortage(err) != "":
		result.Err = err
	case failed != nil:
		result.HTTP.Failure, result.HTTP.Why = failed.Cause, failed.Text
	default: // the context ended
		result.TimedOut = true
	}
	return result
}

// requests is the client of a Runner for all HTTP hooks, made for the first of them.
type requests struct {
	mu sync.Mutex
	of hook.RequestClient
}

func (r *requests) client(by hook.Requests) hook.RequestClient {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		r.of = by.NewClient()
	}
	return r.of
}

// close closes all connections. No request is in flight, and none follows.
func (r *requests) close() {
	if r.of != nil {
		r.of.Close()
	}
}
