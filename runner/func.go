package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/glob/lint"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/permission"
	"github.com/hookrun/hookrun/internal/process"
	"github.com/hookrun/hookrun/protocol"
)

// Func is a hook that is a Go function. It acts like a command hook of the managed file and runs in its turn: the first
// block ends the call, and each hook sees what earlier ones rewrote. If a hook of the user's or of the project's files
// rewrites the call, the functions run once more.
type Func struct {
	Name   string
	Events []protocol.Event // one or more of pre-execute, pre-tool and post-tool
	// Matcher and If narrow the hook to some tools and some arguments, as in a hooks file: shell|fs_*,
	// shell(git push *). "" is for all.
	Matcher string
	If      string
	Timeout time.Duration // 0: 30 s
	// OnFailure says what it means if the function gives no answer: it panics (unstarted), is not back at its deadline
	// (timeout), or returns JSON that cannot be read (output). nil: before a tool all of these block. At other events
	// they are warnings.
	OnFailure protocol.FailurePolicy

	// Run returns what a command hook prints: nothing, a text for the model, or Claude Code's hook output as JSON. An
	// error is a command's exit with 2: before the tool it blocks the call, and is the reason. A panic is a hook that
	// could not run.
	//
	// At the deadline, or when the call is given up, ctx ends. A function that does not return then runs on. It may be
	// called by many calls at once.
	Run func(ctx context.Context, c protocol.Call) (stdout string, err error)
}

// hook returns the nth function as a hook of a config. A gate that would never run is a mistake, and so an error.
func (f *Func) hook(n int) (h hook.Hook, err error) {
	h = hook.Hook{
		Name: f.Name, If: permission.Parse(f.If), Timeout: f.Timeout, OnFailure: f.OnFailure,
		Dialect: registry.Project(), File: "func",
	}
	var wrong []error
	note := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	if strings.TrimSpace(f.Name) == "" {
		note("func %d has no name", n+1)
	}
	if f.Matcher != "" {
		globs, ok := hook.NewGlobs(f.Matcher)
		if _, err := lint.Check(f.Matcher, nil); err != nil {
			note("func %q: %w", f.Name, err)
		} else if !ok {
			note("func %q: the matcher %q names no tool; leave it out for every tool", f.Name, f.Matcher)
		}
		h.Matcher = globs
	}
	if h.If.Malformed() {
		note("func %q: the if %q is no rule of the form Tool or Tool(pattern), as shell(git push *)", f.Name, f.If)
	}
	if f.Timeout < 0 {
		note("func %q: the timeout %v is negative; 0 is 30 s", f.Name, f.Timeout)
	}
	if err := checkPolicy(f.OnFailure); err != nil {
		note("func %q: %w", f.Name, err)
	}
	if f.Run == nil {
		note("func %q has nothing to run", f.Name)
	}
	if len(f.Events) == 0 {
		note("func %q subscribes to no events; supported are %s", f.Name, supportedEvents())
	}
	for _, e := range f.Events {
		if !slices.Contains(protocol.Events(), e.Canonical()) {
			note("func %q: unknown event %q; supported are %s", f.Name, e, supportedEvents())
		}
		h.Events = append(h.Events, e.Canonical())
	}
	return h, errors.Join(wrong...)
}

func supportedEvents() string {
	var names []string
	for _, e := range protocol.Events() {
		names = append(names, string(e))
	}
	return strings.Join(names, ", ")
}

// call runs the function until limit.
func (f *Func) call(ctx context.Context, c *dialect.Call, limit time.Duration) (result dialect.HookResult) {
	begin := time.Now()
	result.Limit = limit
	defer func() { result.Duration = time.Since(begin) }()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	type returned struct {
		stdout string
		err    error
		panics error
	}
	done := make(chan returned, 1)
	own := c.Call // the function may keep it
	go func() {
		var r returned
		defer func() {
			if p := recover(); p != nil {
				r.panics = fmt.Errorf("panic: %v", p)
			}
			done <- r
		}()
		r.panics = errors.New("it ended its goroutine") // by runtime.Goexit
		r.stdout, r.err = f.Run(ctx, own)
		r.panics = nil
	}()
	var r returned
	select {
	case r = <-done:
	case <-ctx.Done(): // it is too late for an answer
		result.TimedOut = true
		return result
	}
	result.Err = r.panics
	result.Stdout = dialect.Capture(process.NewOutput(r.stdout))
	if r.err != nil {
		result.ExitCode = 2
		result.Stderr = dialect.Capture(process.NewOutput(r.err.Error()))
	}
	return result
}
