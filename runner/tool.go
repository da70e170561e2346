package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

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
// and its error ErrNotRun. The outcome's Result is what the model is to see of the tool's output; it is empty with an
// error.
func (r *Runner) After(ctx context.Context, c protocol.Call, out Output) (*protocol.Outcome, error) {
	o, err := r.fire(ctx, c, protocol.PostTool, out)
	if err == nil {
		o.Result = form.ResultText(*o, out.result())
	}
	return o, err
}

// Result is one tool call with all that its hooks did. The Outcome is that of the whole call: of the hooks before the
// tool if it did not run, else of those after it, with the Texts of both and of the queue, and with the Warnings and
// SystemMessages of both: a gate before the tool may have failed open.
type Result struct {
	protocol.Outcome
	Before, After *protocol.Outcome // nil: those hooks were not run
	Ran           bool              // the tool did run
	Output        Output            // of the tool, as it gave it
	Text          string            // what the model is to see: the result, and behind it the texts of hooks and queue

	message *form.ToolMessage // what Messages shows; nil: there is no verdict
	claim   *store.Claim
	ctx     context.Context // of Ack
}

// ToolFunc runs a tool with the arguments that the hooks have let through, which may be another text than Call.Args.
type ToolFunc func(ctx context.Context, args string) Output

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
// On an error there is no verdict: the decision is block, and Text is empty. If Ran is set, the tool did run, and
// Output is what it gave: the model must not see that, since the post-tool hooks might have changed it. The Result is
// never nil.
func (r *Runner) Tool(ctx context.Context, c protocol.Call, run ToolFunc) (*Result, error) {
	res := &Result{ctx: context.WithoutCancel(ctx)}
	if run == nil {
		return res, errors.New("the tool's function is nil; give Tool one that runs the tool")
	}
	var err error
	if res.Before, err = r.Before(ctx, c); err != nil {
		return res, err
	}
	if res.Before.Stop {
		res.Outcome = *res.Before
		res.Text = cmp.Or(res.Before.StopReason, res.Before.Reason)
		res.message = &form.ToolMessage{ID: c.ID, Result: res.Text,
			Outcome: protocol.Outcome{Decision: protocol.Continue}}
		return res, nil
	}
	out := Output{Text: res.Before.Reason, Err: ErrNotRun}
	if res.Before.Decision == protocol.Continue {
		c.Args, res.Ran = res.Before.Args, true
		res.Output = run(ctx, c.Args)
		out = res.Output
	}
	after := ctx
	if res.Ran {
		after = res.ctx // the hooks have to see what the tool did
	}
	if res.After, err = r.After(after, c, out); err != nil {
		return res, fmt.Errorf("the post-tool hooks could not be run: %w", err)
	}
	call, _ := callOf(c, protocol.PostTool, out) // After would have returned the error
	if !res.After.Stop && ctx.Err() == nil {     // else no model reads the texts
		res.claim = queued.Claim(res.ctx, (*store.Queue)(r.queue), &call, res.After)
	}
	res.fold(&call)
	return res, nil
}

// fold makes one outcome and one text of what was before the tool, its output, and what was after it.
func (res *Result) fold(c *dialect.Call) {
	shown := *res.After
	shown.Texts = slices.Concat(res.Before.Texts, res.After.Texts)
	res.Outcome = shown
	if !res.Ran {
		res.Outcome = *res.Before
		res.Texts, res.Stop, res.StopReason = shown.Texts, shown.Stop, shown.StopReason
	}
	res.Warnings = slices.Concat(res.Before.Warnings, res.After.Warnings)
	res.SystemMessages = slices.Concat(res.Before.SystemMessages, res.After.SystemMessages)
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

// Messages returns what a loop appends to its conversation: a JSON array with the call's result, and the texts: those
// of a queue's user_message stand in a message of their own. Call.ID must be set. Call Ack once the messages are sent.
func (res *Result) Messages(api protocol.API) ([]byte, error) {
	if res == nil || res.message == nil {
		return nil, errors.New("there is no verdict on the call, so the model must not see anything of it")
	}
	return form.Messages(api, form.Separate, res.message)
}

// Ack tells the queue whether its texts have reached the model. If not, the next call of the session has them. Until
// Ack, or until this process ends, no other call gets them. Only the first Ack counts; without texts it does nothing.
func (res *Result) Ack(delivered bool) error {
	if res == nil || res.claim == nil {
		return nil
	}
	return res.claim.Finish(res.ctx, delivered)
}
