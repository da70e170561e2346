package serve

import (
	"context"
	"time"

	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/doors/calls"
	"github.com/hookrun/hookrun/internal/doors/serve/guardian"
	"github.com/hookrun/hookrun/internal/lib/jsonrpc"
	"github.com/hookrun/hookrun/protocol"
)

// guard answers an agent's request of the Agent Control Standard. A step without a verdict is denied: an agent that
// gets an error may go on.
func (s *Server) guard(
	connection context.Context, method, params string,
) (result jsonrpc.Result, later laterResult, err error) {
	began := time.Now()
	r, err := guardian.Read(method, params)
	if r.Reply != nil || err != nil {
		return jsonrpc.Result{JSON: r.Reply}, nil, err
	}
	r.Call.Workspace = s.options.Workspace
	if r.Fault != nil {
		s.service.NoVerdict(began, &r.Call, r.Fault)
		return jsonrpc.Result{JSON: r.Deny(r.Fault.Error())}, nil, nil
	}
	call := calls.Call{Call: r.Call, CannotAsk: r.CannotAsk(), Fit: r.Fit,
		Carries: func(*protocol.Outcome) bool { return false }} // no agent gives its model texts of a guardian
	result, run, err := s.callRead(connection, request{call: call},
		func(f engine.Fired) ([]byte, error) { return r.Decision(f.Outcome), nil })
	switch {
	case err != nil:
		return jsonrpc.Result{JSON: r.Deny(err.Error())}, nil, nil
	case run == nil:
		return result, nil, nil
	}
	return result, func(ctx context.Context) (jsonrpc.Result, error) {
		result, err := run(ctx)
		if err != nil {
			result.JSON = r.Deny(err.Error())
		}
		return result, nil
	}, nil
}
