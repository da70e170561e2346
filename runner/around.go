package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/protocol"
)

// Tool runs a tool on its arguments, which are JSON or what the model wrote instead. An error is the tool's failure:
// its text becomes the result, or the end of it.
type Tool func(ctx context.Context, args string) (result string, err error)

// Record is what a loop keeps of one tool call, and shows the model.
type Record struct {
	Tool       string `json:"tool"`
	Args       string `json:"args"`   // as the tool got them, or would have
	Result     string `json:"result"` // with the texts of the hooks folded in
	IsError    bool   `json:"is_error"`
	Ran        bool   `json:"ran"`            // the tool did run
	Stop       bool   `json:"stop,omitempty"` // a hook ends the loop with this call
	StopReason string `json:"stop_reason,omitempty"`

	Pre  protocol.Outcome `json:"-"`
	Post protocol.Outcome `json:"-"`
}

// AroundTool does all of one tool call, as TENEX's turn loop does. It runs the pre-tool hooks, then the tool unless
// they block it, then the post-tool hooks. Where the tool did not run or failed, the result that those get is the
// reason or the text of the error. At last it folds the texts of all hooks into the result, those of pre-tool first.
// Folded earlier, they would reach the post-tool hooks as a part of the result.
//
// A blocked call is no error: the model reads the reason. A post-tool block is feedback, and its reason is folded in
// last. But if a hook failed and fails closed, the reason replaces the result, which that hook might have changed.
//
// If a pre-tool hook stops the loop, the tool does not run and no post-tool hook does: the result is the stop's reason,
// and Post is the zero Outcome. If Stop is set, make no further calls.
//
// Once the tool runs, the end of ctx ends the tool alone: the post-tool hooks see what it did, and end by their own
// deadlines or by Close.
//
// On an error there is no verdict. If Ran is false the tool did not run. Else the post-tool hooks could not be run, and
// Result is empty, since they might have changed it.
func (r *Runner) AroundTool(ctx context.Context, c protocol.Call, tool Tool, options ...CallOption) (Record, error) {
	c.Event = protocol.PreTool
	rec := Record{Tool: c.Tool, Args: c.Args}
	if tool == nil {
		return rec, errors.New("AroundTool needs a tool, and it is nil")
	}
	var err error
	if rec.Pre, err = r.Fire(ctx, c, options...); err != nil {
		return rec, err
	}
	if rec.Pre.Stop {
		rec.Stop, rec.StopReason, rec.Result = true, rec.Pre.StopReason, rec.Pre.StopReason
		return rec, nil
	}
	if rec.Pre.UpdatedInput != nil {
		rec.Args, c.EqualKeys = string(rec.Pre.UpdatedInput), false
	}
	c.Event, c.Args = protocol.PostTool, rec.Args
	switch {
	case rec.Pre.Decision != protocol.Continue:
		c.Result, c.Blocked = rec.Pre.Reason, true
	default:
		rec.Ran = true
		if c.Result, err = tool(ctx, rec.Args); err != nil {
			rec.IsError, c.Failed = true, true
			if c.Result != "" {
				c.Result = strings.TrimRight(c.Result, "\n") + "\n"
			}
			c.Result += err.Error()
		}
		ctx = context.WithoutCancel(ctx) // the tool did run: they have to see what it did
	}
	if rec.Post, err = r.Fire(ctx, c, options...); err != nil {
		return rec, fmt.Errorf("the post-tool hooks could not be run: %w", err)
	}
	rec.Stop, rec.StopReason = rec.Post.Stop, rec.Post.StopReason
	result := rec.Post.ResultText(c.Result)
	texts := append(rec.Pre.Texts(), rec.Post.Texts()...)
	switch {
	case rec.Post.Decision == protocol.Continue:
	case rec.Post.Cause == protocol.CausePolicy:
		texts = append(texts, rec.Post.Reason)
	default:
		result = rec.Post.Reason
	}
	if result != "" {
		texts = slices.Insert(texts, 0, result)
	}
	rec.Result = strings.Join(texts, "\n\n") // as TENEX folds texts into a result
	return rec, nil
}
