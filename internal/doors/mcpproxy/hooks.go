package mcpproxy

import (
	"context"
	"strings"
	"sync"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/form"
	"github.com/hookrun/hookrun/internal/doors/calls"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/printable/terminal"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/internal/texts/ipc"
	"github.com/hookrun/hookrun/protocol"
)

// maxFiring is the maximum number of calls whose hooks run at once.
const maxFiring = 256

// Hooks runs the hooks for the calls of a server's tools.
type Hooks struct {
	Call    dialect.Call // common to all calls
	Service *calls.Service
	MassGen *ipc.Reader // nil: no folder of MassGen
	// Others returns the servers that the hooks are for, if no hook is for this server; nil: do not ask.
	Others func(server string) []string
	Log    func(format string, args ...any)
	Report func(*protocol.Outcome) // prints warnings and the results of hooks

	turns chan struct{} // slots of calls whose hooks run
	named sync.Once     // Others was called
}

// Decide returns the gate that runs the hooks.
func (h *Hooks) Decide() Gate {
	h.turns = make(chan struct{}, maxFiring)
	return Gate{Before: h.before, After: h.after, Idle: h.idle}
}

// hookCall returns a call of the server in the form for hooks.
func (h *Hooks) hookCall(event protocol.Event, c *Call) dialect.Call {
	h.named.Do(func() {
		if h.Others == nil {
			return
		}
		if names := h.Others(c.Server); len(names) > 0 {
			const text = "warning: the server calls itself %s, and the hooks for MCP tools are for %s; if they are " +
				"meant for it, give --name"
			h.Log(text, c.Server, strings.Join(names, ", "))
		}
	})
	call := h.Call
	call.Event, call.Tool, call.Args, call.ToolUseID = event, "mcp__"+c.Server+"__"+c.Tool, c.Args, c.ID
	return call
}

func (h *Hooks) idle(c *Call, after bool) bool {
	if after { // without the result, which some hooks may examine
		call := h.result(c, Result{})
		return h.Service.Idle(&call)
	}
	return h.Service.Idle(&calls.Call{Call: h.hookCall(protocol.PreTool, c)})
}

// result returns the call for the post-tool hooks. A protocol error is passed on unchanged, so it carries no texts.
func (h *Hooks) result(c *Call, r Result) calls.Call {
	call := calls.Call{Call: h.hookCall(protocol.PostTool, c)}
	call.Result, call.Failed = r.Text, r.Failed
	call.Carries = func(*protocol.Outcome) bool { return !r.Error }
	if h.MassGen != nil {
		call.MassGen = func() (string, bool, []string) { return h.MassGen.Consume(c.Tool) }
	}
	return call
}

// runHooks runs the hooks once the call has a slot. Without a verdict the outcome is a block.
func (h *Hooks) runHooks(ctx context.Context, call calls.Call) calls.Answer {
	select {
	case h.turns <- struct{}{}:
		defer func() { <-h.turns }()
	case <-ctx.Done(): // Fire reports the error
	}
	answer, _ := h.Service.Fire(ctx, call) // the error is the reason of the block
	if ctx.Err() == nil {
		o := answer.WithLint()
		h.Report(&o)
	}
	return answer
}

func (h *Hooks) before(ctx context.Context, c *Call) CallDecision {
	o := h.runHooks(ctx, calls.Call{Call: h.hookCall(protocol.PreTool, c), Fit: fitArgs, CannotAsk: true})
	if form.ExitCode(o.Outcome) != 0 {
		return CallDecision{Refused: true, Reason: form.Stderr(o.Outcome)}
	}
	return CallDecision{Args: string(o.UpdatedInput), Texts: dialect.TextsOf(o.Outcome)}
}

// fitArgs blocks a call if the rewritten arguments are not a JSON object.
func fitArgs(o *protocol.Outcome) {
	args := strings.TrimSpace(string(o.UpdatedInput))
	if o.UpdatedInput == nil || strings.HasPrefix(args, "{") || form.ExitCode(*o) != 0 {
		return
	}
	o.Decision, o.Cause, o.Hook, o.Approved = protocol.Block, protocol.CauseRewrite, o.UpdatedBy, false
	o.Reason = "a hook changed the arguments to what is no JSON object, and a tool takes nothing else"
	o.UpdatedInput, o.UpdatedBy = nil, ""
}

// after runs the hooks for a result. A tool that has run cannot be blocked, so the model gets the reason of a block as
// a text, and the reason to stop the loop too.
func (h *Hooks) after(ctx context.Context, c *Call, r Result) (a ResultDecision) {
	o := h.runHooks(ctx, h.result(c, r))
	if r.Error {
		for _, text := range append(dialect.TextsOf(o.Outcome), form.Stderr(o.Outcome)) {
			if text != "" {
				const lost = "%s ended with an error of the protocol, so the client does not get: %s"
				h.Log(lost, terminal.Visible(o.Tool), printable.Lines(text))
			}
		}
		return ResultDecision{}
	}
	a.Content = strings.TrimSpace(string(o.UpdatedOutput))
	if a.Failed = o.Decision != protocol.Continue; a.Failed {
		if o.Cause == protocol.CausePolicy {
			a.Texts = append(a.Texts, o.Reason)
		} else { // a hook failed, and could have changed the result
			a.Content = string(strictjson.AppendString(nil, o.Reason))
		}
	}
	if o.Stop {
		a.Texts = append(a.Texts, o.StopReason)
	}
	a.Texts = append(a.Texts, dialect.TextsOf(o.Outcome)...)
	a.OnDelivered = o.Delivered
	return a
}
