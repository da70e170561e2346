package engine

import (
	"cmp"
	"errors"
	"fmt"
	"sync"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/state/approval"
	"github.com/hookrun/hookrun/protocol"
)

// callApproval is whether a person has let the call pass once. The first hook that needs the approval looks it up, for
// all hooks of the call.
type callApproval struct {
	once sync.Once
	is   bool
	err  error
}

// approvable reports whether a person can let a held call pass: the hook is approvable, or it asks and the caller
// cannot ask a person.
func (f *firing) approvable(h *hookRun, v *dialect.Verdict) bool {
	if dialect.Canonical(f.call.Event) != protocol.PreTool || !dialect.HasTool(f.call.Event) {
		return false
	}
	asks := v.Decision == protocol.Ask && h.Dialect == registry.Project() && f.settings.AsksNobody != nil
	return v.Decision == protocol.Block && h.Approvable || asks && f.settings.AsksNobody()
}

// approve lets the call pass if a person has approved it. Otherwise it adds the approval code to the reason.
func (f *firing) approve(h *hookRun, verdict *dialect.HookVerdict) {
	v := &verdict.Verdict
	if !f.approvable(h, v) {
		return
	}
	call, err := f.approvalCall()
	dir, err2 := f.runner.stateDir()
	if err = errors.Join(err, err2); err == nil {
		f.approval.once.Do(func() { f.approval.is, f.approval.err = approval.Take(dir, &call) })
		err = f.approval.err
	}
	if err == nil && f.approval.is {
		const text = "hookrun: a person has approved this call once, which hook '%s' blocks: %s"
		verdict.Verdict = dialect.Verdict{Decision: protocol.Continue, Status: dialect.StatusApproved,
			SystemMessage: fmt.Sprintf(text, printable.Escape(h.Name), v.Reason), Warnings: v.Warnings}
		verdict.Report.Status = dialect.StatusApproved
		return
	}
	code := ""
	if err == nil {
		code, err = approval.Ask(dir, &approval.Request{Call: call, Hook: h.Name, Reason: v.Reason})
	}
	switch {
	case errors.Is(err, approval.ErrTooLong):
		v.Reason += " (" + err.Error() + ")"
	case err != nil:
		v.Reason += fmt.Sprintf(" (nobody can approve the call: %v)", err)
	default:
		v.Reason += "\nTo let this call pass once, a person runs in a terminal: hookrun approve " + code
	}
}

// approvalCall is the call that a person approves: the original, without rewrites.
func (f *firing) approvalCall() (approval.Call, error) {
	c := &f.Plan.call
	args, err := c.InputText()
	return approval.Call{Event: string(c.Event), Tool: c.Tool, Args: args, Workspace: c.Workspace,
		Dir: cmp.Or(c.Dir, c.Workspace), Session: c.SessionID, Agent: c.AgentID}, err
}
