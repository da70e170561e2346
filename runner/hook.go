package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/tenex"
	"github.com/hookrun/hookrun/internal/lib/glob/lint"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
	"github.com/hookrun/hookrun/protocol"
)

// Hook is a hook that is a Go function. It acts like a hook of the managed file: the first block ends the call, and
// each hook sees the rewrites of earlier hooks. If a hook of the user's or the project's files rewrites the call, the
// functions run once more.
//
// A Hook fails closed: an error, a panic, an unusable Answer and a missed deadline block. After the tool, the model
// sees the reason of that block instead of the result.
type Hook struct {
	Name  string
	On    protocol.Event // pre-execute, pre-tool or post-tool; "" is pre-tool
	Match string         // names of tools, such as shell|fs_*, or a rule, such as shell(git push *); "": every tool
	Open  bool           // fails open: a failure is a warning and does not block

	// Run answers the call. c.Args have the rewrites of earlier hooks. At post-tool, out is a copy of the tool's output
	// with the rewrites of earlier hooks; else out is nil. An error is a failure: of an Answer returned with an error,
	// only Block and Stop count.
	//
	// ctx ends at the deadline (Options.Timeout, or 30 s) and when the call is cancelled. A function that does not
	// return then goes on in the background. Several calls may run the function at once.
	Run func(ctx context.Context, c protocol.Call, out *Output) (Answer, error)
}

// Answer is the answer of a Hook to a call. The zero Answer has no objection and no text. Block, Ask and Stop count if
// not empty.
type Answer struct {
	Block string // why the tool must not run; at post-tool: feedback for the model, after the result
	Ask   string // why a person must decide; not at post-tool; Block overrides Ask
	Stop  string // why the loop must end with this call
	Allow bool   // at pre-tool: the host need not ask a person; Block and Ask override Allow

	Text   string  // for the model
	Args   *string // at pre-tool: the tool's new arguments, a JSON object; nil: unchanged
	Output *string // at post-tool: the new result, replacing text and error; nil: unchanged
}

// function converts the hook, the nth of Options.Hooks. If the hook could never run, function returns an error. cfg, if
// not nil, has the rules for a Match.
func (f *Hook) function(n int, cfg *hookfile.Config) (h hook.Hook, err error) {
	on := f.event()
	h = engine.NewFunction(f.Name, on, f.verdict)
	if f.Open {
		h.Handler.(*hook.Function).OnFailure = protocol.Continue
	}
	var wrong []error
	note := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	if strings.TrimSpace(f.Name) == "" {
		note("hook %d has no name", n+1)
	}
	switch on {
	case protocol.PreExecute, protocol.PreTool, protocol.PostTool:
	default:
		note("hook %q: unknown event %q; supported are %s, %s, %s", f.Name, f.On, protocol.PreExecute, protocol.PreTool,
			protocol.PostTool)
	}
	if f.Match != "" && !tenex.Dialect.IsAboutTool(on) {
		note("hook %q: the match %q is for tools, and %s has none; leave it out", f.Name, f.Match, on)
	}
	if strings.Contains(f.Match, "(") {
		if cfg == nil {
			// New fails, and the rules are not known
		} else if all := cfg.Parts().Rules; all == nil {
			const text = "hook %q: this program has no rules, so it cannot decide the match %q; give its " +
				"hooks.Loader rules.Part"
			note(text, f.Name, f.Match)
		} else if h.If = all.If(f.Match); h.If.Malformed() {
			note("hook %q: the match %q is no rule of the form Tool(pattern), as shell(git push *)", f.Name, f.Match)
		}
	} else if f.Match != "" {
		globs, ok := hook.NewGlobs(f.Match)
		var known []string
		if cfg != nil {
			known = cfg.Clients().KnownTools()
		}
		doubts, err := lint.Check(f.Match, known)
		switch {
		case err != nil:
			note("hook %q: %w", f.Name, err)
		case !ok:
			note("hook %q: the match %q names no tool; leave it out for every tool", f.Name, f.Match)
		case noNames.MatchString(brackets.ReplaceAllString(f.Match, "")):
			note("hook %q: the match %q has what no name of a tool has; it is names or globs with | between them, as "+
				"shell|fs_*", f.Name, f.Match)
		}
		for _, d := range doubts {
			if d.Kind != lint.Unknown { // hookrun does not know a loop's tools
				text := fmt.Sprintf("hook %q: %s", f.Name, d.Text)
				h.ToolNameWarnings = append(h.ToolNameWarnings, hook.ToolNameWarning{Diagnostic: h.Diagnostic(text)})
			}
		}
		h.Matcher = globs
	}
	if f.Run == nil {
		note("hook %q has nothing to run", f.Name)
	}
	return h, errors.Join(wrong...)
}

// noNames matches characters that no glob for tool names has outside brackets, such as .* or a comma.
var noNames, brackets = regexp.MustCompile(`\.[*+]|[^\p{L}\p{N}_.:/@*?| -]`), regexp.MustCompile(`\[!?[^\]|]+\]`)

func (f *Hook) event() protocol.Event {
	if f.On == "" {
		return protocol.PreTool
	}
	return tenex.Dialect.Common(f.On)
}

// verdict runs the function until the deadline.
func (f *Hook) verdict(ctx context.Context, c *dialect.Call, limit time.Duration) dialect.Verdict {
	own, out := functionInput(ctx, c) // copies, because the function may keep them
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	type returned struct {
		answer Answer
		err    error
		panics error
	}
	done := make(chan returned, 1)
	go func() {
		var r returned
		defer func() {
			if p := recover(); p != nil {
				r.panics = fmt.Errorf("panic: %v", p)
			}
			if ctx.Err() == nil { // later it is no answer: of two channels that are ready, select takes either
				done <- r
			}
		}()
		r.panics = errors.New("it ended its goroutine") // runtime.Goexit
		r.answer, r.err = f.Run(ctx, own, out)
		r.panics = nil
	}()
	who := dialect.MessagePrefix(f.event(), f.Name)
	var r returned
	select {
	case r = <-done:
	case <-ctx.Done(): // too late for an answer
		result := dialect.HookResult{Limit: limit}
		v := dialect.Failed(protocol.CauseTimeout, result.TimeoutProblem(who))
		v.Status = dialect.StatusTimeout
		return f.failed(c, v)
	}
	if r.panics != nil {
		return f.failed(c, dialect.Unstarted(who+" could not run: "+r.panics.Error()))
	}
	if r.err != nil && (r.answer.Block == "" || !f.Open) {
		problem := who + " failed: " + r.err.Error()
		if r.answer.Block != "" {
			problem = r.answer.Block + " (" + problem + ")"
		}
		v := dialect.Failed(protocol.CauseExit, problem)
		v.Stop, v.StopReason = r.answer.Stop != "", r.answer.Stop
		return f.failed(c, v)
	}
	if r.err != nil {
		r.answer = Answer{Block: r.answer.Block, Stop: r.answer.Stop}
	}
	v, err := r.answer.verdict(c, who)
	if err != nil {
		unread := dialect.Unreadable(who, err.Error())
		unread.Stop, unread.StopReason = v.Stop, v.StopReason
		return f.failed(c, unread)
	}
	return v
}

// failed returns the verdict of a function without an answer: v failed open or closed.
func (f *Hook) failed(c *dialect.Call, v dialect.Verdict) dialect.Verdict {
	if f.Open {
		return v.FailOpen(c)
	}
	return v.FailClosed()
}

// verdict returns the verdict of an answer. If the answer is unusable, it returns an error, and only v.Stop counts.
func (a *Answer) verdict(c *dialect.Call, who string) (v dialect.Verdict, err error) {
	event := c.Common()
	v = dialect.OK()
	v.Stop, v.StopReason = a.Stop != "", a.Stop
	if !dialect.Blank(a.Text) {
		v.Context = strings.TrimSpace(a.Text)
	}
	switch {
	case a.Block != "":
		v.Decide(protocol.Block, a.Block)
	case a.Ask != "" && event == protocol.PostTool:
		v.WarnIgnored(who, "Ask", event)
	case a.Ask != "":
		v.Decide(protocol.Ask, a.Ask)
	case a.Allow && event == protocol.PreTool:
		v.Approve("")
	case a.Allow:
		v.WarnIgnored(who, "Allow", event)
	}
	switch {
	case a.Args == nil:
	case event != protocol.PreTool:
		v.WarnIgnored(who, "Args", event)
	case a.Block != "": // the call is blocked, so no tool gets the arguments
	default:
		if faults := strictjson.Check(*a.Args, strictjson.MaxDepth); len(faults) > 0 {
			return v, fmt.Errorf("its Args: %s", faults[0].Text)
		}
		if !gjson.Parse(*a.Args).IsObject() {
			return v, errors.New("its Args are no JSON object")
		}
		v.UpdatedInput = strictjson.Compact(nil, *a.Args)
	}
	switch {
	case a.Output == nil:
	case event != protocol.PostTool:
		v.WarnIgnored(who, "Output", event)
	default:
		v.UpdatedOutput = strictjson.Quote(*a.Output)
	}
	return v, nil
}

// functionInput returns a function's own copies of the host's call and output, with the rewrites of earlier hooks.
func functionInput(ctx context.Context, c *dialect.Call) (own protocol.Call, out *Output) {
	host, _ := ctx.Value(hostKey{}).(*hostCall)
	if host == nil {
		host = new(hostCall)
	}
	own = host.call
	own.Args, own.Prompt, own.Workspace, own.Extra = c.Args, c.Prompt, c.Workspace, maps.Clone(own.Extra)
	if c.Common() != protocol.PostTool {
		return own, nil
	}
	out = &Output{Text: c.Result, Err: host.out.Err}
	if c.Result == host.out.result() { // no hook has rewritten the result
		out.Text = host.out.Text
	}
	return own, out
}
