package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/hookrun/hookrun/internal/core/approval"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/protocol"
)

// approvals are the calls that a person has approved and a firing has used. A rewrite makes another call.
type approvals struct {
	mu   sync.Mutex
	used map[approval.Call]bool
}

// approvable reports whether a person can let the call pass that a hook holds up: the hook is approvable, or the hook
// asks and the caller can ask no person. A call that two readers could read differently is not approvable.
func (f *firing) approvable(h *hookRun, v *dialect.Verdict) bool {
	if f.runner.options.NoApprovals || f.call.Common() != protocol.PreTool ||
		!f.call.IsAboutTool() || f.Plan.call.HasEqualKeys() || h.call.HasEqualKeys() {
		return false
	}
	asks := v.Decision == protocol.Ask && h.Dialect.HasProjectRules() && f.settings.CannotAsk != nil
	return v.Decision == protocol.Block && h.Approvable || asks && f.settings.CannotAsk()
}

// approve lets the call pass if a person has approved the call. Otherwise the reason gets the code of the call.
func (f *firing) approve(h *hookRun, verdict *dialect.HookVerdict) {
	v := &verdict.Verdict
	if !f.approvable(h, v) {
		return
	}
	call, err := f.approvalCall(h.call)
	dir, err2 := f.runner.stateDir()
	if err = errors.Join(err, err2); err == nil && approval.Granted(dir, &call) {
		f.approvals.mu.Lock()
		defer f.approvals.mu.Unlock()
		if f.approvals.used == nil {
			f.approvals.used = map[approval.Call]bool{}
		}
		f.approvals.used[call] = true
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
		v.Reason += "\n" + dialect.ApproveHint + code
	}
}

// approvalCall returns the call that a person approves: with the arguments as the hook saw them. A program that makes
// one call without an input of a client runs in the folder of the call.
func (f *firing) approvalCall(seen *dialect.Call) (approval.Call, error) {
	c := &f.Plan.call
	args, err := seen.InputText()
	dir := c.Dir
	if dir == "" && c.ClientInput == "" && f.runner.options.OneShot {
		dir, _ = os.Getwd() // without it, the workspace
	}
	return approval.Call{Event: string(c.Event), Tool: c.Tool, Args: args, Raw: c.Args, Workspace: c.Workspace,
		Dir: cmp.Or(dir, c.Workspace), Session: c.SessionID, Agent: c.AgentID}, err
}

// takeApprovals uses the approvals up by which the call goes on. The error says why the call must not go on.
func (f *firing) takeApprovals(ctx context.Context) error {
	dir, err := f.runner.stateDir()
	for call := range f.approvals.used {
		ok, errTake := approval.Take(ctx, dir, &call)
		if err = errors.Join(err, errTake); err == nil && !ok {
			err = errors.New("another call has used the approval of this call; ask the person again")
		}
	}
	return err
}
