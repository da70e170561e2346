package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/gate/form"
	"github.com/hookrun/hookrun/internal/gate/queued"
	store "github.com/hookrun/hookrun/internal/queue"
	"github.com/hookrun/hookrun/protocol"
)

// Prompt runs the pre-execute hooks, before the model sees the user's message in Call.Prompt. The Texts of the outcome
// belong behind that message, and if UpdatedInput is set, its "prompt" takes the place of the message. The outcome is
// never nil: with an error it is a block.
func (r *Runner) Prompt(ctx context.Context, c protocol.Call) (*protocol.Outcome, error) {
	return r.fire(ctx, c, protocol.PreExecute, Output{})
}

// Before runs the pre-tool hooks. Run the tool only if the error is nil, the decision is continue, and Stop is not set;
// give it the outcome's Args. They are empty if the decision is block.
func (r *Runner) Before(ctx context.Context, c protocol.Call) (*protocol.Outcome, error) {
	o, err := r.fire(ctx, c, protocol.PreTool, Output{})
	if o.Decision != protocol.Block {
		o.Args = cmp.Or(string(o.UpdatedInput), c.Args)
	}
	return o, err
}

// After runs the post-tool hooks. Args are those that the tool got. If the tool did not run, the output is the reason,
// and its error ErrNotRun. After a tool that has run give a ctx that does not end with the call, such as
// context.WithoutCancel: the hooks have to see what the tool did.
//
// The outcome's Result is what the model is to see: the tool's output as the hooks have left it, and behind it the
// reason of a block, which is feedback. It is empty with an error. The Texts of Before and of After belong behind it.
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

// Result is one tool call with all that its hooks did. The Outcome is that of the whole call: the verdict of the hooks
// before the tool if it did not run, else of those after it, with what both had to say, and the Texts of the queue.
type Result struct {
	protocol.Outcome
	Before, After *protocol.Outcome // nil: those hooks were not run
	Ran           bool              // the tool did run
	Output        Output            // of the tool, as it gave it
	Text          string            // what the model is to see: the result, and behind it the texts of hooks and queue

	message *form.ToolMessage          // what Messages shows; nil: there is no verdict
	ack     func(delivered bool) error // nil: the queue has nothing for this call
}

// ToolFunc runs a tool with the arguments that the hooks have let through, which may be another text than Call.Args.
type ToolFunc func(ctx context.Context, args string) Output

// Tool does all of one tool call. It runs the pre-tool hooks, then the tool unless they block it, then the post-tool
// hooks. If the tool did not run, those get the reason for its result. At last it puts the texts of all hooks behind
// the result, those of pre-tool first, and then the texts that wait in Options.Queue. Put there earlier, they would
// reach the post-tool hooks as a part of the result.
//
// A blocked call is no error: the model reads the reason. So does it if a hook asks for a person, unless Options.Ask
// says yes. A post-tool block is feedback, and its reason is put last. But if a hook failed and fails closed, the
// reason replaces the result, which that hook might have changed.
//
// An error of the tool is no error of Tool: see Output. If a pre-tool hook stops the loop, neither the tool nor a
// post-tool hook runs, and Text is the stop's reason.
//
// Once the tool runs, the end of ctx ends the tool alone: the post-tool hooks see what it did, and end by their own
// deadlines or by Close.
//
// On an error there is no verdict: the decision is block, and Text is empty. If Ran is set, the tool did run, and
// Output is what it gave: the model must not see that, since the post-tool hooks might have changed it. The Result is
// never nil.
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
		out, after = res.Output, context.WithoutCancel(ctx) // the hooks have to see what the tool did
	}
	if res.After, err = r.After(after, c, out); err != nil {
		res.Outcome = *res.After
		return res, fmt.Errorf("the post-tool hooks could not be run: %w", err)
	}
	call, _ := callOf(c, protocol.PostTool, out) // After would have returned the error
	if !res.After.Stop && ctx.Err() == nil {     // else no model reads the texts
		res.claim(ctx, r, &call)
	}
	res.fold(&call)
	return res, nil
}

// mayRun reports whether nothing is against the tool, or a person has said yes.
func (r *Runner) mayRun(ctx context.Context, c protocol.Call, before *protocol.Outcome) bool {
	if before.Decision == protocol.Ask && r.ask != nil {
		c.Args = before.Args
		return r.ask(ctx, c, before.Reason) && ctx.Err() == nil
	}
	return before.Decision == protocol.Continue
}

// claim takes the texts of the queue for the call.
func (res *Result) claim(ctx context.Context, r *Runner, c *dialect.Call) {
	if r.queue != nil && c.SessionID == "" {
		r.warn(c.Tool, []string{"the call has no Session, so no text of Options.Queue reaches the agent"})
	}
	ctx = context.WithoutCancel(ctx)
	claim := queued.Claim(ctx, (*store.Queue)(r.queue), c, res.After)
	if claim == nil {
		return
	}
	var once sync.Once // many goroutines may use a Result
	var err error
	res.ack = func(delivered bool) error {
		once.Do(func() { err = claim.Finish(ctx, delivered) })
		return err
	}
}

// fold makes one outcome and one text of what was before the tool, its output, and what was after it.
func (res *Result) fold(c *dialect.Call) {
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

// Messages returns what a loop appends to its conversation: a JSON array with the call's result, each text behind it on
// a line of its own, and last the texts of the strategy user_message in a message of the user. The APIs want the
// results of all calls of one turn before that: a loop that answers several calls at once puts the results first.
// Call.ID must be set. Call Ack once the messages are sent.
func (res *Result) Messages(api protocol.API) ([]byte, error) {
	if res == nil || res.message == nil {
		return nil, errors.New("there is no verdict on the call, so the model must not see anything of it")
	}
	if res.message.ID == "" {
		return nil, &CallError{"the call has no ID, and messages need the model's id of the tool call"}
	}
	return form.Messages(api, form.Separate, res.message)
}

// Ack tells the queue whether its texts have reached the model. If not, the next call of the session has them. Until
// Ack, or until nothing holds the Result or this process ends, no other call gets them. Only the first Ack counts;
// without texts it does nothing.
func (res *Result) Ack(delivered bool) error {
	if res == nil || res.ack == nil {
		return nil
	}
	return res.ack(delivered)
}
