package serve

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/form"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/doors/calls"
	"github.com/hookrun/hookrun/internal/lib/crash"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/lib/jsonrpc"
)

// call reads a call. It answers at once if no hook has to run and no file is written.
func (s *Server) call(
	connection context.Context, method, params string,
) (result jsonrpc.Result, later laterResult, err error) {
	began := time.Now()
	r, err := readRequest(method, s.options.Workspace, params)
	if err != nil {
		s.service.NoVerdict(began, &r.call.Call, err)
		return result, nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "%v", err)
	}
	return s.callRead(connection, r, func(f engine.Fired) ([]byte, error) { return render(&r.call, f) })
}

// renderer encodes the answer to a call.
type renderer = func(engine.Fired) ([]byte, error)

// callRead is call for a call that was read.
func (s *Server) callRead(
	connection context.Context, r request, render renderer,
) (result jsonrpc.Result, later laterResult, err error) {
	r.call.Warnings = slices.Concat(s.options.Warnings, r.call.Warnings)
	plan, err := s.service.Plan(r.call,
		engine.CallSettings{Timeout: r.timeout, OnFailure: r.onFailure, Connection: connection})
	if err != nil {
		return result, nil, noVerdict(err)
	}
	if plan.Immediate() {
		if answer, err := plan.Fire(context.Background()); err == nil {
			result.JSON, err = render(answer.Fired)
			return result, nil, err
		}
	}
	return result, func(ctx context.Context) (jsonrpc.Result, error) { return runHooks(ctx, plan, render) }, nil
}

// runHooks runs the hooks of a call.
func runHooks(ctx context.Context, plan *calls.PlannedCall, render renderer) (result jsonrpc.Result, err error) {
	defer crash.Catch(&err) // result.Written returns the call's texts to the queue
	answer, err := plan.Fire(ctx)
	if err != nil {
		return result, noVerdict(err)
	}
	result.Written = answer.Delivered
	result.JSON, err = render(answer.Fired)
	return result, err
}

// noVerdict is the error for a call without a verdict.
func noVerdict(err error) error { return jsonrpc.Errorf(codeNoVerdict, "%v", err) }

// render encodes an outcome as JSON.
func render(c *calls.Call, f engine.Fired) ([]byte, error) {
	if c.Output != nil {
		return clientResult(c.Output, &c.Call, f.Outcome)
	}
	return form.JSON(f.WithLint())
}

// warnings returns the server's own warnings for a call: of its hooks' files that changed after they were read.
func (s *Server) warnings(c *dialect.Call, files *hookfile.Snapshot) []string {
	return append(files.UntilReload(), s.otherProject(c)...)
}

// otherProject warns of a call from a folder whose project has another hooks file, which the server has not read.
func (s *Server) otherProject(c *dialect.Call) []string {
	if s.options.HooksFile == "" {
		return nil
	}
	for _, dir := range []string{c.Workspace, c.Dir} {
		if dir == "" || dir == s.options.Workspace || !filepath.IsAbs(dir) {
			continue
		}
		p, err := hookfile.FindProject(dir)
		if err != nil || !p.Found() || regular.Same(p.File, s.options.HooksFile) ||
			regular.Same(p.Workspace, s.options.Workspace) {
			continue // hooks of an unreadable folder cannot be read either
		}
		const text = "the hooks are those of %s; %s has a hooks file of its own that this server did not read; " +
			"start a server there"
		return []string{fmt.Sprintf(text, s.options.Workspace, p.Workspace)}
	}
	return nil
}
