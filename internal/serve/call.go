package serve

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/hookrun/hookrun/internal/crash"
	"github.com/hookrun/hookrun/internal/delivery"
	"github.com/hookrun/hookrun/internal/files/regular"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/jsonrpc"
	"github.com/hookrun/hookrun/internal/runlog"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/runner"
)

// call reads a call and answers it: at once where no hook has to run for it and nothing has to be written.
func (s *Server) call(
	connection context.Context, method, params string,
) (result jsonrpc.Result, later laterResult, err error) {
	r, err := readRequest(method, s.options.Workspace, params)
	if err != nil {
		return result, nil, jsonrpc.Errorf(jsonrpc.InvalidParams, "%v", err)
	}
	began := time.Now()
	plan, err := s.options.Runner.Plan(r.call, runner.WithTimeout(r.timeout), runner.WithFailurePolicy(r.onFailure),
		runner.WithConnection(connection))
	if err != nil {
		return result, nil, s.noVerdict(began, &r, err)
	}
	if s.options.Log == nil && !delivery.Possible(&r.call) && plan.NeedsNoProcess() {
		if outcome, err := plan.Fire(context.Background()); err == nil {
			result.JSON, err = s.render(began, &r, outcome)
			return result, nil, err
		}
	}
	return result, func(ctx context.Context) (jsonrpc.Result, error) { return s.fire(ctx, plan, &r) }, nil
}

// fire runs the hooks of a call.
func (s *Server) fire(ctx context.Context, plan *runner.Plan, r *request) (result jsonrpc.Result, err error) {
	defer crash.Catch(&err) // what the call took from the queue goes back by result.Written
	began := time.Now()
	outcome, err := plan.Fire(ctx)
	if err != nil {
		return result, s.noVerdict(began, r, err)
	}
	if claim := delivery.Claim(ctx, s.options.Queue, &r.call, &outcome); claim != nil {
		if ctx.Err() != nil { // nobody reads the answer of a call that was given up
			s.logError(claim.Release(ctx))
			return result, s.noVerdict(began, r, context.Cause(ctx))
		}
		result.Written = func(written bool) { s.logError(claim.Finish(context.WithoutCancel(ctx), written)) }
	}
	result.JSON, err = s.render(began, r, outcome)
	return result, err
}

// noVerdict is the error for a call that came to no verdict. It is in the run log too.
func (s *Server) noVerdict(began time.Time, r *request, err error) error {
	s.logError(s.record(began, &r.call, nil, err))
	return jsonrpc.Errorf(codeNoVerdict, "%v", err)
}

// render writes an outcome as JSON, with the warnings that only the server has, and records the call.
func (s *Server) render(began time.Time, r *request, o protocol.Outcome) ([]byte, error) {
	o.Warnings = slices.Concat(s.options.Warnings, r.warnings, o.Warnings, s.changed(), s.otherProject(&r.call))
	if err := s.record(began, &r.call, &o, nil); err != nil {
		o.Warnings = append(o.Warnings, err.Error())
	}
	if r.client != nil {
		return clientResult(r.client, o)
	}
	return o.JSON()
}

func (s *Server) record(began time.Time, c *protocol.Call, o *protocol.Outcome, err error) error {
	return s.options.Log.Append(&runlog.Entry{Time: began, Command: "serve", Call: c, Outcome: o, Err: err})
}

// changed warns of hooks files that have changed since they were read, or were gone at a reload.
func (s *Server) changed() []string {
	s.mu.Lock()
	snapshot := s.snapshot
	s.mu.Unlock()
	return snapshot.UntilReload()
}

// otherProject warns of a call from a folder whose project has another hooks file, which the server did not read.
func (s *Server) otherProject(c *protocol.Call) []string {
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
			continue // where nobody may look, nobody could have read hooks either
		}
		const text = "the hooks are those of %s; %s has a hooks file of its own that this server did not read; " +
			"start a server there"
		return []string{fmt.Sprintf(text, s.options.Workspace, p.Workspace)}
	}
	return nil
}
