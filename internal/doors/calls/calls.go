// Package calls runs the hooks of one call for each door: a command of the command line, serve and mcp.
//
//	s := &calls.Service{Runner: r, Queue: q, Log: log, Command: "serve", Warn: warn}
//	plan, err := s.Plan(calls.Call{Call: call})
//	answer, err := plan.Fire(ctx)
//	… write answer.Outcome …
//	answer.Delivered(written)
//
// Guarantees:
//
//  1. Each call has one line in the run log, also a call without a verdict. The line has the outcome returned to the
//     caller. Only the test call of hookrun doctor has no line.
//  2. A call without a verdict, or an answer that carries no texts, takes no text from the queue or MassGen's file.
//  3. A text of the queue counts as delivered once Delivered(true) is called. If the call fails, or Delivered(false) is
//     called, the text stays in the queue. A text of MassGen is gone once taken.
//  4. An error of the queue, of MassGen's file or of the run log becomes a warning of the outcome; the verdict stays.
package calls

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hookrun/hookrun/internal/clients/client"
	"github.com/hookrun/hookrun/internal/core/canary"
	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/lib/crash"
	"github.com/hookrun/hookrun/internal/lib/secret"
	"github.com/hookrun/hookrun/internal/record/lastblock"
	"github.com/hookrun/hookrun/internal/record/runlog"
	"github.com/hookrun/hookrun/internal/texts/queue"
	"github.com/hookrun/hookrun/internal/texts/queued"
	"github.com/hookrun/hookrun/protocol"
)

// Service holds the settings shared by all calls of a door. It is safe for concurrent use.
type Service struct {
	Runner  *engine.Runner
	Queue   *queue.Queue // texts to add to tool results; nil: no queue
	Log     *runlog.Log  // nil: no run log
	Command string       // the hookrun command named in the run log
	// Warnings returns further warnings of the door for the outcome of a call whose hooks are of these files; nil: no
	// further warnings.
	Warnings func(*dialect.Call, *hookfile.Snapshot) []string
	// Warn prints an error that arises outside of any outcome.
	Warn func(error)
	// Answered is called when the caller has the answer to a call; nil: not called.
	Answered func()
}

// Call is one call, with what the door knows about the answer.
type Call struct {
	dialect.Call
	Warnings []string       // from reading the call
	Output   *client.Client // the client that reads the answer as hook output; nil: hookrun's own form

	// CannotAsk: the answer cannot ask a person. It is ignored if Output is set: then the client decides.
	CannotAsk bool
	// Fit changes an outcome that the door's answer cannot express; nil: the answer can express every outcome.
	Fit func(*protocol.Outcome)
	// Carries reports whether the door's answer has the texts of an outcome; nil: always. If Output is set, the
	// client's answer must have them too.
	Carries func(*protocol.Outcome) bool
	// MassGen takes the text left by MassGen for the tool's result; nil: the door does not read MassGen's file.
	MassGen func() (text string, found bool, warnings []string)
}

// mayAddOrLog reports whether the outcome of a call may get texts or goes into the run log.
func (s *Service) mayAddOrLog(c *Call) bool {
	return s.Log != nil || c.MassGen != nil || queued.Possible(&c.Call)
}

// Idle reports whether Fire would do nothing for a call: no hook is for the call, no text can wait, and the service has
// no run log. Idle ignores arguments and result, so the caller need not know them yet.
func (s *Service) Idle(c *Call) bool {
	if s.mayAddOrLog(c) {
		return false
	}
	call := c.Call
	plan, err := s.Runner.Plan(&call, engine.CallSettings{})
	return err == nil && !plan.HasHooks()
}

// PlannedCall is a call with the hooks selected for it.
type PlannedCall struct {
	*engine.Plan
	service *Service
	call    Call
}

// Plan selects the hooks that run at a call. If it returns an error, the call has no verdict.
func (s *Service) Plan(c Call, settings engine.CallSettings) (*PlannedCall, error) {
	began := time.Now()
	settings.CannotAsk, settings.CannotTell = c.cannotAsk, c.cannotTell
	plan, err := s.Runner.Plan(&c.Call, settings)
	if err != nil {
		_ = c.Resolve(s.Runner.Clients()) // an error before has no client
		s.NoVerdict(began, &c.Call, err)
		return nil, err
	}
	return &PlannedCall{plan, s, c}, nil
}

// Immediate reports whether Fire answers without waiting for a process or a file.
func (p *PlannedCall) Immediate() bool { return !p.service.mayAddOrLog(&p.call) && p.NeedsNoProcess() }

// Answer is the outcome of a call. The caller must call Delivered.
type Answer struct {
	engine.Fired
	service *Service
	claim   *queue.Claim
	ctx     context.Context
}

// Delivered ends the call: it tells the queue whether the caller has the texts. Only the first Delivered counts.
func (a *Answer) Delivered(given bool) {
	if a.claim != nil {
		a.service.warn(a.claim.Finish(a.ctx, given))
	}
	if given && a.service.Answered != nil {
		a.service.Answered()
	}
}

// Fire runs the hooks of the call and adds the waiting texts. If it returns an error, the call has no verdict, and the
// outcome is a block with the error as its reason.
func (p *PlannedCall) Fire(ctx context.Context) (a Answer, err error) {
	began := time.Now()
	a.service, a.ctx = p.service, context.WithoutCancel(ctx)
	defer func() {
		if err == nil {
			return
		}
		a.Delivered(false)
		if a.Decision != protocol.Block {
			a.Fired = engine.Fired{Outcome: Blocked(&p.call.Call, err.Error())}
		}
		p.service.NoVerdict(began, &p.call.Call, err)
	}()
	defer crash.Catch(&err)
	if a.Fired, err = p.run(ctx); err != nil {
		return a, err
	}
	if p.call.Fit != nil {
		p.call.Fit(&a.Outcome)
	}
	if err := p.addTexts(ctx, &a); err != nil {
		return a, err
	}
	var own []string
	if p.service.Warnings != nil {
		own = p.service.Warnings(&p.call.Call, p.Files())
	}
	a.Warnings = slices.Concat(p.call.Warnings, a.Warnings, own)
	if err := p.service.record(began, &p.call.Call, &a.Fired, nil); err != nil {
		a.Warnings = append(a.Warnings, err.Error())
	}
	if to := p.call.Output; to != nil { // the log has all of it
		if limit := to.MaxReasonAt(&p.call.Call); limit > 0 && len(a.Reason) > limit {
			a.Reason = engine.FitReason(a.Reason, limit)
		}
	}
	return a, nil
}

// Refuse records that the hooks of the call must not run, and returns why.
func (p *PlannedCall) Refuse(why error) error {
	p.service.NoVerdict(time.Now(), &p.call.Call, why)
	return why
}

// Fire plans a call and runs its hooks.
func (s *Service) Fire(ctx context.Context, c Call) (Answer, error) {
	plan, err := s.Plan(c, engine.CallSettings{})
	if err != nil {
		return Answer{Fired: engine.Fired{Outcome: Blocked(&c.Call, err.Error())}}, err
	}
	return plan.Fire(ctx)
}

// run runs the hooks, at most for as long as the client waits.
func (p *PlannedCall) run(ctx context.Context) (engine.Fired, error) {
	to, limit := p.call.Output, time.Duration(0)
	if to != nil {
		limit = to.Hooks.CallLimit()
	}
	if limit > 0 && !p.Empty() {
		const text = "the hooks took longer than %v, and %s waits no longer"
		limited, cancel := context.WithTimeoutCause(ctx, limit, Killed(fmt.Errorf(text, limit, to.Files.Client)))
		defer cancel()
		ctx = limited
	}
	return p.Plan.Fire(ctx)
}

// addTexts adds the waiting texts to the outcome if the answer will carry them. It returns an error if the caller has
// given up the call: nobody would read the texts.
func (p *PlannedCall) addTexts(ctx context.Context, a *Answer) error {
	c := &p.call
	waits := queued.Possible(&c.Call)
	takes := c.MassGen != nil && !c.Failed && c.Common() == protocol.PostTool
	if !waits && !takes || !c.carries(a.Outcome) {
		return nil
	}
	if waits {
		a.claim = queued.Claim(ctx, p.service.Queue, &c.Call, p.service.Runner.Clients(), &a.Outcome)
		if a.claim != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	if takes {
		text, found, warnings := c.MassGen()
		if found {
			a.Texts = append(a.Texts,
				dialect.WithDisplay(protocol.Text{Content: text, Strategy: dialect.ToolResult, Source: "massgen"}))
		}
		a.Warnings = append(a.Warnings, warnings...)
	}
	return nil
}

// carries reports whether the answer would have a further text. At some events a client reads no texts.
func (c *Call) carries(o protocol.Outcome) bool {
	if c.Carries != nil && !c.Carries(&o) {
		return false
	}
	if c.Output == nil {
		return true
	}
	const text = "hookrun-looks-for-this-text"
	o.Texts = append(slices.Clip(o.Texts), protocol.Text{Content: text})
	reply, err := c.Output.ReplyTo(&c.Call, o)
	return err == nil && bytes.Contains(reply.Stdout, []byte(text))
}

// cannotAsk reports whether the answer cannot ask a person. The client then gets a block for an ask.
func (c *Call) cannotAsk() bool {
	if c.Output == nil {
		return c.CannotAsk
	}
	return !c.Output.CanAsk(&c.Call)
}

// cannotTell reports whether a message in the answer would do more than tell the user.
func (c *Call) cannotTell() bool { return c.Output != nil && !c.Output.TellsUser(&c.Call) }

// NoVerdict records a call that failed before it could be planned.
func (s *Service) NoVerdict(began time.Time, c *dialect.Call, err error) {
	s.warn(s.record(began, c, nil, err))
}

// record adds a line about a call to the run log. It skips the test call of hookrun doctor: the agent made no call, and
// doctor changes no file, whatever log an entry names.
func (s *Service) record(began time.Time, c *dialect.Call, f *engine.Fired, err error) error {
	if canary.Is(c) {
		return nil
	}
	e := runlog.Entry{Time: began, Command: s.Command, Call: c, Err: err}
	if f != nil {
		o := f.WithLint()
		e.Outcome, e.Lint, e.Notes = &o, len(f.Lint), f.Notes
	}
	if err != nil || e.Outcome.Decision != protocol.Continue {
		s.keepBlock(&e)
	}
	return s.Log.Append(&e)
}

// keepBlock keeps a blocked call for hookrun explain --last. An error is ignored: the reason is in the outcome.
func (s *Service) keepBlock(e *runlog.Entry) {
	if s.Queue == nil || e.Call.Workspace == "" {
		return
	}
	dir := s.Queue.Dir
	if dir == "" {
		dir, _ = queue.DefaultDir()
	}
	if line, err := s.Log.Line(e); dir != "" && err == nil {
		_ = lastblock.Write(dir, e.Call.Workspace, line)
	}
}

func (s *Service) warn(err error) {
	if err != nil && s.Warn != nil {
		s.Warn(err)
	}
}

// Killed returns the error of a call that ended before its hooks did.
func Killed(err error) error {
	return fmt.Errorf("%w; the hooks were killed, there is no verdict", err)
}

// Blocked returns the outcome of a call without a verdict.
func Blocked(c *dialect.Call, reason string) protocol.Outcome {
	return protocol.Outcome{Version: 1, Event: c.Event, Tool: c.Tool, Decision: protocol.Block,
		Cause: protocol.CauseUnstarted, Reason: secret.MaskMessage(reason)}
}
