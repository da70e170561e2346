package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/protocol"
)

// Prompt runs the pre-execute hooks, before the model sees the user's message in Call.Prompt. Call.Event is set by
// Prompt, Before and After themselves. The outcome is never nil: with an error it is a block.
func (r *Runner) Prompt(ctx context.Context, c protocol.Call) (*protocol.Outcome, error) {
	c.Event = protocol.PreExecute
	f, err := r.Fire(ctx, c)
	return &f.Outcome, err
}

// Before runs the pre-tool hooks. Run the tool only if the error is nil, the decision is continue, and Stop is not set;
// give it UpdatedInput if there is one.
func (r *Runner) Before(ctx context.Context, c protocol.Call) (*protocol.Outcome, error) {
	c.Event = protocol.PreTool
	f, err := r.Fire(ctx, c)
	return &f.Outcome, err
}

// After runs the post-tool hooks. Args are those that the tool got. If it did not run, set Blocked; the output is the
// reason then. With an error, and if the cause of a block is not policy, the model must not see the output.
func (r *Runner) After(ctx context.Context, c protocol.Call, out Output) (*protocol.Outcome, error) {
	c.Event, c.Result, c.Failed = protocol.PostTool, out.result(), out.Err != nil
	p, err := r.Plan(c)
	if err != nil {
		f, err := failed(&c, nil, protocol.CauseUnstarted, err)
		return &f.Outcome, err
	}
	p.output = &out
	f, err := p.Fire(ctx)
	return &f.Outcome, err
}

// result is the output as hooks and the model see it: the text of the error is the result, or the end of it.
func (out *Output) result() string {
	switch {
	case out.Err == nil:
		return out.Text
	case out.Text == "":
		return out.Err.Error()
	}
	return strings.TrimRight(out.Text, "\n") + "\n" + out.Err.Error()
}

// Result is one tool call with all that its hooks did.
type Result struct {
	Before, After *protocol.Outcome // nil: those hooks were not run
	Ran           bool              // the tool did run
	Output        Output            // of the tool, as it gave it
	Text          string            // what the model is to see: the result, and behind it the texts of hooks and queue
	Stop          bool              // a hook ends the loop with this call: make no further ones
	StopReason    string            // for the user

	call  protocol.Call
	shown *protocol.Outcome          // what Messages shows; nil: there is no verdict
	ack   func(delivered bool) error // nil: nobody has asked the queue
}

// Tool does all of one tool call. It runs the pre-tool hooks, then the tool unless they block it, then the post-tool
// hooks. If the tool did not run, those get the reason for its result. At last it puts the texts of all hooks behind
// the result, those of pre-tool first, and then the texts that wait in Options.Queue. Put there earlier, they would
// reach the post-tool hooks as a part of the result.
//
// A blocked call is no error: the model reads the reason. So does it if a hook asks for a person; a loop that has one
// uses Before and After. A post-tool block is feedback, and its reason is put last. But if a hook failed and fails
// closed, the reason replaces the result, which that hook might have changed.
//
// An error of the tool is no error of Tool: see Output. If a pre-tool hook stops the loop, neither the tool nor a
// post-tool hook runs, and Text is the stop's reason.
//
// Once the tool runs, the end of ctx ends the tool alone: the post-tool hooks see what it did, and end by their own
// deadlines or by Close.
//
// On an error there is no verdict, and Text is empty. If Ran is set, the tool did run, and Output is what it gave: the
// model must not see that, since the post-tool hooks might have changed it. The Result is never nil.
func (r *Runner) Tool(ctx context.Context, c protocol.Call, run func(ctx context.Context, args string) Output) (*Result,
	error) {
	res := &Result{}
	if run == nil {
		return res, errors.New("the tool's function is nil; give Tool one that runs the tool")
	}
	var err error
	if res.Before, err = r.Before(ctx, c); err != nil {
		return res, err
	}
	if res.Before.Stop {
		res.Stop, res.StopReason = true, res.Before.StopReason
		res.Text = cmp.Or(res.Before.StopReason, res.Before.Reason)
		res.shown, c.Result = &protocol.Outcome{Decision: protocol.Continue}, res.Text
		res.call = c
		return res, nil
	}
	if res.Before.UpdatedInput != nil {
		c.Args, c.EqualKeys = string(res.Before.UpdatedInput), false
	}
	out := Output{Text: res.Before.Reason}
	if c.Blocked = res.Before.Decision != protocol.Continue; !c.Blocked {
		res.Ran = true
		res.Output = run(ctx, c.Args)
		out = res.Output
	}
	after := ctx
	if res.Ran {
		after = context.WithoutCancel(ctx) // the hooks have to see what the tool did
	}
	if res.After, err = r.After(after, c, out); err != nil {
		return res, fmt.Errorf("the post-tool hooks could not be run: %w", err)
	}
	c.Event, c.Result, c.Failed = protocol.PostTool, out.result(), out.Err != nil
	res.Stop, res.StopReason = res.After.Stop, res.After.StopReason
	if !res.Stop && ctx.Err() == nil { // else no model reads the texts
		res.ack = Deliver(context.WithoutCancel(ctx), r.options.Queue, &c, res.After)
	}
	shown := *res.After
	shown.Inject = slices.Concat(res.Before.Inject, res.After.Inject)
	res.call, res.shown, res.Text = c, &shown, fold(&shown, c.Result)
	return res, nil
}

// fold puts the texts of an outcome behind the result, as TENEX does.
func fold(o *protocol.Outcome, result string) string {
	result = o.ResultText(result)
	texts := o.Texts()
	switch {
	case o.Decision == protocol.Continue:
	case o.Cause == protocol.CausePolicy:
		texts = append(texts, o.Reason)
	default:
		result = o.Reason
	}
	if result != "" {
		texts = slices.Insert(texts, 0, result)
	}
	return strings.Join(texts, "\n\n")
}

// Messages returns what a loop appends to its conversation: a JSON array with the call's result, and the texts as
// Outcome.Messages places them. Call.ToolUseID must be set. Call Ack once the messages are sent.
func (res *Result) Messages(api protocol.API) ([]byte, error) {
	if res == nil || res.shown == nil {
		return nil, errors.New("there is no verdict on the call, so the model must not see anything of it")
	}
	return res.shown.Messages(api, protocol.NotesSeparate, &res.call)
}

// Ack tells the queue whether its texts have reached the model. If not, the next call of the session has them. Until
// Ack, or until this process ends, no other call gets them. Only the first Ack counts; without texts it does nothing.
func (res *Result) Ack(delivered bool) error {
	if res == nil || res.ack == nil {
		return nil
	}
	return res.ack(delivered)
}
