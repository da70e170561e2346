// Package gate makes one call, by whichever door it comes in: a command of the command line, serve or mcp.
//
//	g := &gate.Gate{Runner: r, Queue: q, Log: log, Command: "serve", Warn: warn}
//	plan, err := g.Plan(gate.Call{Call: call})
//	answer, err := plan.Fire(ctx)
//	… write answer.Outcome …
//	answer.Given(written)
//
// Guarantees:
//
//  1. Each call has one line in the run log, also a call without a verdict. The line has the outcome that the caller
//     gets. Only the call by which hookrun doctor tries an entry has no line.
//  2. Nothing is taken from the queue, or from MassGen's file, for a call without a verdict and for an answer that
//     carries no texts.
//  3. A text of the queue counts as delivered once Given(true) is called. If the call fails, or Given(false) is called,
//     the text waits on. A text of MassGen's is gone once it is taken.
//  4. Whatever goes wrong with queue, MassGen's file or run log is a warning of the outcome and changes no verdict.
package gate

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hookrun/hookrun/internal/crash"
	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/doctor/canary"
	"github.com/hookrun/hookrun/internal/gate/engine"
	"github.com/hookrun/hookrun/internal/gate/queued"
	"github.com/hookrun/hookrun/internal/queue"
	"github.com/hookrun/hookrun/internal/runlog"
	"github.com/hookrun/hookrun/protocol"
)

// Gate is what all calls of one door have in common. It is safe for concurrent use.
type Gate struct {
	Runner  *engine.Runner
	Queue   *queue.Queue // of texts that go with results; nil: none
	Log     *runlog.Log  // nil: none
	Command string       // of hookrun, for the run log
	// Warnings returns warnings of the door's own for the outcome of a call; nil: there are none.
	Warnings func(*dialect.Call) []string
	// Warn prints an error that no outcome can carry.
	Warn func(error)
}

// Call is one call, and what its door knows about the answer.
type Call struct {
	dialect.Call
	Warnings []string         // of reading the call
	Output   *dialect.Dialect // the client whose hook output the answer is; nil: it is in hookrun's own form

	// AsksNobody: the answer cannot ask a person. For a client the form of its answers decides.
	AsksNobody bool
	// Fit changes an outcome that the door's answer cannot express; nil: it can express all.
	Fit func(*protocol.Outcome)
	// Carries reports whether the door's answer has the texts of an outcome; nil: it has. A client's answer is looked
	// at besides.
	Carries func(*protocol.Outcome) bool
	// MassGen takes the text that MassGen left for the result of the tool; nil: the door looks for none.
	MassGen func() (text string, found bool, warnings []string)
}

// adds reports whether the outcome of a call may get texts, or goes into the run log.
func (g *Gate) adds(c *Call) bool {
	return g.Log != nil || c.MassGen != nil || queued.Possible(&c.Call)
}

// Idle reports whether Fire would do nothing for a call: no hook is for it, no text can wait for it, and no run log is
// kept. Arguments and result do not count, so they need not be known.
func (g *Gate) Idle(c *Call) bool {
	if g.adds(c) {
		return false
	}
	plan, err := g.Runner.Plan(c.Call, engine.CallSettings{})
	return err == nil && !plan.HasHooks()
}

// Plan is a planned call.
type Plan struct {
	*engine.Plan
	gate *Gate
	call Call
}

// Plan works out which hooks run at a call. With an error there is no verdict.
func (g *Gate) Plan(c Call, settings engine.CallSettings) (*Plan, error) {
	began := time.Now()
	settings.AsksNobody = c.asksNobody
	plan, err := g.Runner.Plan(c.Call, settings)
	if err != nil {
		g.NoVerdict(began, &c.Call, err)
		return nil, err
	}
	return &Plan{plan, g, c}, nil
}

// Immediate reports whether Fire has its answer without waiting for a process or a file.
func (p *Plan) Immediate() bool { return !p.gate.adds(&p.call) && p.NeedsNoProcess() }

// Answer is the outcome of a call.
type Answer struct {
	engine.Fired
	gate  *Gate
	claim *queue.Claim
	ctx   context.Context
}

// Given ends the call: it tells the queue whether the caller has the texts. Only the first Given counts.
func (a *Answer) Given(given bool) {
	if a.claim != nil {
		a.gate.warn(a.claim.Finish(a.ctx, given))
	}
}

// Fire runs the hooks of the call, and adds what waits for it. With an error there is no verdict, and the outcome is a
// block that has the error for its reason.
func (p *Plan) Fire(ctx context.Context) (a Answer, err error) {
	began := time.Now()
	a.gate, a.ctx = p.gate, context.WithoutCancel(ctx)
	defer func() {
		if err == nil {
			return
		}
		a.Given(false)
		if a.Decision != protocol.Block {
			a.Fired = engine.Fired{Outcome: Blocked(&p.call.Call, err.Error())}
		}
		p.gate.NoVerdict(began, &p.call.Call, err)
	}()
	defer crash.Catch(&err)
	if a.Fired, err = p.run(ctx); err != nil {
		return a, err
	}
	if p.call.Fit != nil {
		p.call.Fit(&a.Outcome)
	}
	if client := p.call.Output; client != nil && len(a.SystemMessages) > 0 && !client.TellsUser(&p.call.Call) {
		dialect.DropObserved(&a.Outcome)
	}
	if err := p.addTexts(ctx, &a); err != nil {
		return a, err
	}
	var own []string
	if p.gate.Warnings != nil {
		own = p.gate.Warnings(&p.call.Call)
	}
	a.Warnings = slices.Concat(p.call.Warnings, a.Warnings, own)
	if err := p.gate.record(began, &p.call.Call, &a.Fired, nil); err != nil {
		a.Warnings = append(a.Warnings, err.Error())
	}
	return a, nil
}

// Refuse records that the hooks of the call must not run, and returns why.
func (p *Plan) Refuse(why error) error {
	p.gate.NoVerdict(time.Now(), &p.call.Call, why)
	return why
}

// Fire plans a call and fires it.
func (g *Gate) Fire(ctx context.Context, c Call) (Answer, error) {
	plan, err := g.Plan(c, engine.CallSettings{})
	if err != nil {
		return Answer{Fired: engine.Fired{Outcome: Blocked(&c.Call, err.Error())}}, err
	}
	return plan.Fire(ctx)
}

// run runs the hooks, for as long as the client waits.
func (p *Plan) run(ctx context.Context) (engine.Fired, error) {
	client := p.call.Output
	if client == nil || p.Empty() {
		return p.Plan.Fire(ctx)
	}
	if limiter, ok := client.Hooks.(dialect.CallLimiter); ok {
		const text = "the hooks took longer than %v, and %s waits no longer"
		limit := limiter.CallLimit()
		limited, cancel := context.WithTimeoutCause(ctx, limit, Killed(fmt.Errorf(text, limit, client.Files.Client)))
		defer cancel()
		ctx = limited
	}
	return p.Plan.Fire(ctx)
}

// addTexts adds the texts that wait for a call, if its answer will carry them. The error is that the caller has given
// the call up, so that nobody would read them.
func (p *Plan) addTexts(ctx context.Context, a *Answer) error {
	c := &p.call
	waits := queued.Possible(&c.Call)
	takes := c.MassGen != nil && !c.Failed && dialect.Canonical(c.Event) == protocol.PostTool
	if !waits && !takes || !c.carries(a.Outcome) {
		return nil
	}
	if waits {
		a.claim = queued.Claim(ctx, p.gate.Queue, &c.Call, &a.Outcome)
		if a.claim != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	if takes {
		text, found, warnings := c.MassGen()
		if found {
			a.Texts = append(a.Texts,
				protocol.Text{Content: text, Strategy: dialect.ToolResult, Source: "massgen"})
		}
		a.Warnings = append(a.Warnings, warnings...)
	}
	return nil
}

// carries reports whether the answer would have one more text: a client that reads none at the event gets none.
func (c *Call) carries(o protocol.Outcome) bool {
	if c.Carries != nil && !c.Carries(&o) {
		return false
	}
	if c.Output == nil {
		return true
	}
	const text = "hookrun-looks-for-this-text"
	o.Texts = append(slices.Clip(o.Texts), protocol.Text{Content: text})
	reply, err := c.Output.Reply(o)
	return err == nil && bytes.Contains(reply.Stdout, []byte(text))
}

// asksNobody reports whether the answer cannot ask a person: to the client an ask is a block.
func (c *Call) asksNobody() bool {
	if c.Output == nil {
		return c.AsksNobody
	}
	return !c.Output.CanAsk(&c.Call)
}

// NoVerdict records a call that came to no verdict before it could be planned.
func (g *Gate) NoVerdict(began time.Time, c *dialect.Call, err error) {
	g.warn(g.record(began, c, nil, err))
}

// record adds a line about a call to the run log. The call by which doctor tries an entry is not the agent's, and
// doctor changes no file, whichever log an entry names.
func (g *Gate) record(began time.Time, c *dialect.Call, f *engine.Fired, err error) error {
	if canary.Is(c) {
		return nil
	}
	e := runlog.Entry{Time: began, Command: g.Command, Call: c, Err: err}
	if f != nil {
		o := f.WithLint()
		e.Outcome, e.Lint, e.Notes = &o, len(f.Lint), f.Notes
	}
	return g.Log.Append(&e)
}

func (g *Gate) warn(err error) {
	if err != nil && g.Warn != nil {
		g.Warn(err)
	}
}

// Killed returns the error of a call that ended before its hooks did, with what became of them.
func Killed(err error) error {
	return fmt.Errorf("%w; the hooks were killed, there is no verdict", err)
}

// Blocked returns the outcome of a call without a verdict.
func Blocked(c *dialect.Call, reason string) protocol.Outcome {
	return protocol.Outcome{Version: 1, Event: c.Event, Tool: c.Tool, Decision: protocol.Block,
		Cause: protocol.CauseUnstarted, Reason: reason}
}
