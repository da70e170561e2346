package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/form"
	store "github.com/hookrun/hookrun/internal/texts/queue"
	"github.com/hookrun/hookrun/internal/texts/queued"
	"github.com/hookrun/hookrun/protocol"
)

// Prompt runs the pre-execute hooks, before the model sees the user's message in Call.Prompt. Append the Texts of the
// outcome to the message. If UpdatedInput is set, its "prompt" replaces the message. The outcome is never nil: with an
// error, the outcome is a block.
func (r *Runner) Prompt(ctx context.Context, c protocol.Call) (*protocol.Outcome, error) {
	return r.fire(ctx, c, protocol.PreExecute, Output{})
}

// Before runs the pre-tool hooks. Run the tool only if the error is nil, the decision is continue and Stop is not set.
// Give the tool the outcome's Args, which are empty if the decision is block.
func (r *Runner) Before(ctx context.Context, c protocol.Call) (*protocol.Outcome, error) {
	o, err := r.fire(ctx, c, protocol.PreTool, Output{})
	if o.Decision != protocol.Block {
		o.Args = cmp.Or(string(o.UpdatedInput), c.Args)
	}
	return o, err
}

// After runs the post-tool hooks. c.Args are the arguments that the tool got. If the tool did not run, out has the
// reason as Text and ErrNotRun as Err. After a tool that did run, give a ctx that does not end with the call, such as
// context.WithoutCancel: the hooks must see what the tool did.
//
// The outcome's Result is for the model: the tool's output with the hooks' rewrites, and after it the reason of a
// block, as feedback. With an error, Result is empty. Append the Texts of Before and of After to the Result.
func (r *Runner) After(ctx context.Context, c protocol.Call, out Output) (*protocol.Outcome, error) {
	o, err := r.fire(ctx, c, protocol.PostTool, out)
	if err != nil {
		return o, err
	}
	if o.Result = form.ResultText(*o, out.result()); form.IsFeedback(*o) {
		o.Result = strings.TrimPrefix(o.Result+"\n\n"+o.Reason, "\n\n")
	}
	return o, nil
}

// Result is one tool call with the results of all its hooks. If the tool ran, the Outcome is the verdict of the
// post-tool hooks, else of the pre-tool hooks. It has the messages and texts of both, and the Texts of the queue.
type Result struct {
	protocol.Outcome
	Before, After *protocol.Outcome // nil: these hooks did not run
	Ran           bool              // the tool ran
	Output        Output            // the tool's output, without rewrites
	Text          string            // for the model: the result, then the texts of hooks and queue

	message *form.ToolMessage          // for Messages; nil: no verdict
	ack     func(delivered bool) error // nil: the queue has no text for this call
}

// ToolFunc runs a tool with the arguments that the hooks have allowed: a JSON text, which may differ from Call.Args.
type ToolFunc func(ctx context.Context, args string) Output

// Tool runs one tool call from beginning to end: the pre-tool hooks, the tool unless they block the call, and the
// post-tool hooks. If the tool did not run, the post-tool hooks get the reason as the result. Then Tool appends to the
// result the texts of the pre-tool hooks, the texts of the post-tool hooks, and the waiting texts of Options.Queue, in
// this order. The queue comes last because the post-tool hooks must not see queued texts as a part of the result.
//
// A blocked call is no error: the model gets the reason as the result. If a hook asks for a person, the call is blocked
// unless Options.Ask returns true. A post-tool block is feedback: its reason comes last. But if a post-tool hook failed
// and fails closed, the reason replaces the result, because the hook might have changed the result.
//
// An error of the tool is no error of Tool: see Output. If a pre-tool hook stops the loop, neither the tool nor a
// post-tool hook runs, and Text is the reason of the stop.
//
// While the tool runs, the end of ctx ends only the tool. The post-tool hooks still run, until their own deadlines or
// Close.
//
// If Tool returns an error, there is no verdict: the decision is block, and Text is empty. If Ran is set, the tool did
// run, and Output is its output. Do not show Output to the model, because the post-tool hooks might have changed it.
// The Result is never nil.
func (r *Runner) Tool(ctx context.Context, c protocol.Call, run ToolFunc) (*Result, error) {
	res := &Result{}
	if run == nil {
		return res, &CallError{"the tool's function is nil; give Tool one that runs the tool"}
	}
	var err error
	res.Before, err = r.Before(ctx, c)
	if res.Outcome = *res.Before; err != nil {
		return res, err
	}
	if res.Before.Stop {
		res.Text = cmp.Or(res.Before.StopReason, res.Before.Reason)
		res.message = &form.ToolMessage{ID: c.ID, Result: res.Text,
			Outcome: protocol.Outcome{Decision: protocol.Continue}}
		return res, nil
	}
	out := Output{Text: res.Before.Reason, Err: ErrNotRun}
	if res.Before.Decision == protocol.Ask && r.ask != nil {
		out.Text = "a person said no: " + out.Text
	}
	after := ctx
	if r.mayRun(ctx, c, res.Before) {
		c.Args, res.Ran = res.Before.Args, true
		res.Output = run(ctx, c.Args)
		res.Ran = !errors.Is(res.Output.Err, ErrNotRun)
		out, after = res.Output, context.WithoutCancel(ctx) // the hooks must see what the tool did
	}
	if res.After, err = r.After(after, c, out); err != nil {
		res.Outcome = *res.After
		return res, fmt.Errorf("the post-tool hooks could not be run: %w", err)
	}
	call, _ := callOf(c, protocol.PostTool, out) // no error, because After returned none
	if !res.After.Stop && ctx.Err() == nil {     // else no model reads the texts
		res.claim(ctx, r, &call)
	}
	res.merge(&call)
	return res, nil
}

// mayRun reports whether the hooks let the tool run, or Ask returns true.
func (r *Runner) mayRun(ctx context.Context, c protocol.Call, before *protocol.Outcome) bool {
	if before.Decision == protocol.Ask && r.ask != nil {
		c.Args = before.Args
		return r.ask(ctx, c, before.Reason) && ctx.Err() == nil
	}
	return before.Decision == protocol.Continue
}

// claim claims the waiting texts of the queue for the call.
func (res *Result) claim(ctx context.Context, r *Runner, c *dialect.Call) {
	if r.queue != nil && c.SessionID == "" {
		r.warn(c.Tool, []string{"the call has no Session, so no text of Options.Queue reaches the agent"})
	}
	ctx = context.WithoutCancel(ctx)
	claim := queued.Claim(ctx, (*store.Queue)(r.queue), c, r.engine.Clients(), res.After)
	if claim == nil {
		return
	}
	var once sync.Once // several goroutines may use a Result
	var err error
	res.ack = func(delivered bool) error {
		once.Do(func() { err = claim.Finish(ctx, delivered) })
		return err
	}
}

// merge sets the Outcome and Text from the outcomes before and after the tool and its output.
func (res *Result) merge(c *dialect.Call) {
	before, after := res.Before, res.After
	shown := *after
	shown.Texts = slices.Concat(before.Texts, after.Texts)
	if res.Ran {
		res.Outcome = shown
		res.Approved, res.Args = before.Approved, before.Args
	}
	res.Texts, res.Stop, res.StopReason, res.Result = shown.Texts, after.Stop, after.StopReason, after.Result
	res.SystemMessages = slices.Concat(before.SystemMessages, after.SystemMessages)
	res.Warnings, res.Hooks = slices.Concat(before.Warnings, after.Warnings), slices.Concat(before.Hooks, after.Hooks)
	res.Duration = before.Duration + after.Duration
	res.message = &form.ToolMessage{ID: c.ToolUseID, Result: c.Result, Failed: c.Failed, Outcome: shown}
	texts := dialect.TextsOf(shown)
	if form.IsFeedback(shown) {
		texts = append(texts, shown.Reason)
	}
	if result := form.ResultText(shown, c.Result); result != "" {
		texts = slices.Insert(texts, 0, result)
	}
	res.Text = strings.Join(texts, "\n\n")
}

// Messages returns the messages that a loop appends to its conversation, as a JSON array: the call's result, each text
// after it on a line of its own, and last a user message with the texts of the strategy user_message. The APIs want the
// results of all calls of a turn before the user message: a loop that answers several calls at once puts the results
// first. Call.ID must be set. Call Ack once the messages are sent.
func (res *Result) Messages(api protocol.API) ([]byte, error) {
	if res == nil || res.message == nil {
		return nil, errors.New("there is no verdict on the call, so the model must not see anything of it")
	}
	if res.message.ID == "" {
		return nil, &CallError{"the call has no ID, and messages need the model's id of the tool call"}
	}
	return form.Messages(api, form.Separate, res.message)
}

// Ack tells the queue whether the queued texts reached the model. If not, the next call of the session gets them. Until
// Ack, no other call gets the texts, unless the Result becomes garbage or this process ends. Only the first Ack counts.
// Without queued texts Ack does nothing.
func (res *Result) Ack(delivered bool) error {
	if res == nil || res.ack == nil {
		return nil
	}
	return res.ack(delivered)
}
