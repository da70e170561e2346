package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/tenex"
	"github.com/hookrun/hookrun/internal/process"
	"github.com/hookrun/hookrun/internal/toolmatch"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
)

// Func is a hook that is a Go function. It is judged as a hook of `.tenex-hooks.json` is, and asked in its turn: the first
// block ends the call, and each hook sees what earlier ones rewrote.
type Func struct {
	Name   string
	Events []protocol.Event // one or more of pre-execute, pre-tool and post-tool
	// Matcher says for which tools; nil: for all. projecthooks.NewGlobs makes one.
	Matcher   projecthooks.Matcher
	If        projecthooks.Rule      // the zero rule: for every input
	Timeout   time.Duration          // 0: 30 s
	OnFailure protocol.FailurePolicy // nil: as for every hook of that file

	// Run returns what a command hook prints: nothing, a text for the model, or Claude Code's hook output as JSON. An error
	// is a command's exit with 2: before the tool it blocks the call, and is the reason. A panic is a hook that could not
	// run.
	//
	// At the deadline, or when the call is given up, ctx ends and the call goes on by the rules for a timeout. A function
	// that does not return then runs on. It may be called by many calls at once.
	Run func(ctx context.Context, c protocol.Call) (stdout string, err error)
}

// checkFuncs says what makes functions unfit to be hooks. A gate that would never be asked is a mistake.
func checkFuncs(funcs []Func) error {
	if len(funcs) == 0 { // mostly
		return nil
	}
	var wrong []error
	var names []string
	for _, e := range protocol.Events() {
		names = append(names, string(e))
	}
	supported := strings.Join(names, ", ")
	for i, f := range funcs {
		if strings.TrimSpace(f.Name) == "" {
			wrong = append(wrong, fmt.Errorf("func %d has no name", i+1))
		}
		if globs, ok := f.Matcher.(projecthooks.Globs); ok {
			if _, err := toolmatch.Check(globs.String(), nil); err != nil {
				wrong = append(wrong, fmt.Errorf("func %q: %w", f.Name, err))
			}
		}
		if f.Run == nil {
			wrong = append(wrong, fmt.Errorf("func %q has nothing to run", f.Name))
		}
		if len(f.Events) == 0 {
			wrong = append(wrong, fmt.Errorf("func %q subscribes to no events; supported are %s", f.Name, supported))
		}
		for _, e := range f.Events {
			if !slices.Contains(protocol.Events(), e.Canonical()) {
				wrong = append(wrong, fmt.Errorf("func %q: unknown event %q; supported are %s", f.Name, e, supported))
			}
		}
	}
	return errors.Join(wrong...)
}

// hook returns the function as a hook of a config.
func (f *Func) hook() projecthooks.Hook {
	h := projecthooks.Hook{
		Name: f.Name, Matcher: f.Matcher, If: f.If, Timeout: f.Timeout, OnFailure: f.OnFailure,
		Dialect: tenex.Dialect.Name, File: "func",
	}
	for _, e := range f.Events {
		h.Events = append(h.Events, e.Canonical())
	}
	return h
}

// call runs the function until limit.
func (f *Func) call(ctx context.Context, c *protocol.Call, limit time.Duration) (result dialect.HookResult) {
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
	own := *c // the function may keep it
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
	case <-ctx.Done(): // what it says now is no answer any more
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
