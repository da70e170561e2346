package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/hookrun/hookrun/hooks"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/hookfile/host"
	"github.com/hookrun/hookrun/internal/lib/crash"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/queue"
)

// Options change how a Runner runs its hooks. The zero value is right for most programs.
type Options struct {
	Hooks   []Hook        // Go functions; they run before the hooks of the files
	Timeout time.Duration // of every hook, whatever the file says; 0: the hook's own, or 30 s for a function
	// OnFailure decides by cause whether a failed hook blocks: protocol.Block or protocol.Continue. It applies to hooks
	// of files without an on_failure. nil: the rules of the file's form.
	OnFailure map[protocol.Cause]protocol.Decision
	Env       []string     // KEY=VALUE, in addition to the hooks' own variables; nil: this process's environment
	MaxProcs  int          // at most so many processes at once, persistent and async hooks aside; 0: no bound
	Queue     *queue.Queue // Tool gives the waiting texts to the agent; nil: no texts
	// Ask is how Tool asks a person if a hook wants a person to decide. The tool runs if Ask returns true. If Ask is
	// nil, the call is blocked.
	Ask func(ctx context.Context, c protocol.Call, reason string) bool

	// Trust and Pin check the hooks files of the Config and the scripts in them. If a check fails, the call is blocked
	// with the cause untrusted or changed, even if on_failure is continue.
	Trust    Trust
	Pin      bool   // block calls if the hooks have changed since the first call of the session; calls need a Session
	StateDir string // folder of the records of allowed and frozen hooks; "": the user's folder of `hookrun allow`

	// Log gets each warning that changes no verdict once: faults in the hooks files. Other warnings are in the Outcome.
	// At slog.LevelDebug, Log gets the whole stdin of hooks, which can have secrets. nil: slog.Default.
	Log *slog.Logger
}

// Trust says whether a project's hooks run if no person has allowed them by `hookrun allow`.
type Trust string

// A person allows the hooks files and scripts as they are at that time. With TrustRequired and TrustBlock, if a script
// has changed, the calls for its hook are blocked; if a hooks file has changed or is gone, every tool call is.
const (
	TrustOff      Trust = "off"      // the hooks run; same as "", unless the user's own hooks file says "required"
	TrustRequired Trust = "required" // calls go on without the hooks until a person allows them
	TrustBlock    Trust = "block"    // tool calls are blocked until a person allows the hooks
)

// Runner runs the hooks of a Config. It is safe for concurrent use. A nil, zero or closed Runner blocks every call with
// ErrClosed. Close ends all processes that the Runner has started.
type Runner struct {
	engine *engine.Runner
	queue  *queue.Queue
	ask    func(ctx context.Context, c protocol.Call, reason string) bool
	pin    bool
	log    *slog.Logger
	logged sync.Map // warnings

	ofFiles bool // Trust or Pin is set

	mu  sync.Mutex
	dir string // the project's folder
}

// ErrClosed is the error of a call, for errors.Is, if the Runner is closed or was not made by New.
var ErrClosed = engine.ErrClosed

// New returns a Runner for the hooks of cfg. A nil or zero cfg, as after a failed Load, is an error, and so are wrong
// options. A program without hooks files gives projecthooks.Empty. New keeps no slice, map or pointer of the options
// but Log.
func New(cfg *hooks.Config, o Options) (*Runner, error) {
	r := &Runner{pin: o.Pin, log: o.Log, ask: o.Ask}
	if r.log == nil {
		r.log = slog.Default()
	}
	if o.Queue != nil {
		q := *o.Queue
		r.queue = &q
	}
	public := (*host.Config)(cfg)
	functions, err := o.check(public.Config())
	if err != nil {
		return nil, err
	}
	as := engine.Options{
		Timeout: o.Timeout, OnFailure: o.OnFailure, Env: o.Env, Functions: functions, MaxProcs: o.MaxProcs,
		RequireTrust: o.Trust == TrustRequired || o.Trust == TrustBlock, BlockUntilAllowed: o.Trust == TrustBlock,
		Pin: o.Pin, StateDir: o.StateDir, CheckTrust: public.Trust(),
	}
	if r.ofFiles = as.Pin || as.RequireTrust; r.ofFiles && isParsed(public) {
		return nil, errParsed
	}
	if r.log.Enabled(context.Background(), slog.LevelDebug) {
		as.OnInput = func(hook, source string, input []byte) {
			r.log.Debug("hook input", "hook", hook, "source", source, "input", string(input))
		}
	}
	if r.engine, err = engine.New(public.Config(), as); err != nil {
		return nil, err
	}
	r.dir = public.Dir()
	for _, f := range functions {
		for _, text := range f.ToolNameWarnings {
			r.warn("", []string{text.Text})
		}
	}
	return r, nil
}

// errParsed is the error for a Config without files, if Trust or Pin is set.
var errParsed = errors.New("Options.Trust and Options.Pin look after files, and Parse has read none; " +
	"use projecthooks.Load")

func isParsed(c *host.Config) bool {
	return c.Config() != nil && len(c.Config().Files) > 0 && c.Dir() == ""
}

// check converts the Hooks, and returns an error for each wrong option that the engine does not check. A nil cfg is the
// engine's to refuse: the rules of a Match are then not checked.
func (o *Options) check(cfg *hookfile.Config) (functions []hook.Hook, err error) {
	var wrong []error
	for i, h := range o.Hooks { // the caller may change its own slice later
		f, err := h.function(i, cfg)
		if err != nil {
			wrong = append(wrong, err)
		}
		functions = append(functions, f)
	}
	for _, v := range o.Env {
		// Windows has hidden variables such as =C:=C:\hooks, and os.Environ returns them.
		if at := strings.LastIndexByte(v, '='); at < 1 || strings.ContainsRune(v, 0) {
			wrong = append(wrong, fmt.Errorf("the environment has %q, which is not of the form KEY=VALUE", v))
		}
	}
	if info, err := os.Stat(o.StateDir); o.StateDir != "" && err == nil && !info.IsDir() {
		wrong = append(wrong, fmt.Errorf("the StateDir %s is no folder", o.StateDir))
	}
	switch o.Trust {
	case "", TrustOff, TrustRequired, TrustBlock:
	default:
		wrong = append(wrong, fmt.Errorf("trust %q is not one of %s, %s, %s", o.Trust, TrustOff, TrustRequired,
			TrustBlock))
	}
	return functions, errors.Join(wrong...)
}

// checkMade returns an error if New has not made the Runner.
func (r *Runner) checkMade() error {
	if r == nil || r.engine == nil {
		return fmt.Errorf("runner.New has not made this Runner: %w", ErrClosed)
	}
	return nil
}

// Reload replaces the hooks by the hooks of another config from the next call on. Calls in flight keep the old hooks,
// and old processes end after those calls. Reload does not wait. If New would refuse cfg, Reload returns an error, and
// the Runner blocks every call until another Reload. Reload also returns an error if the Runner is closed or was not
// made by New.
//
// If a file of the hooks is not among the files of cfg, Reload returns an error and the old hooks stay: an editor may
// have taken the file away for a moment. Reload projecthooks.Empty first if it is gone on purpose.
func (r *Runner) Reload(cfg *hooks.Config) error {
	if err := r.checkMade(); err != nil {
		return err
	}
	r.mu.Lock() // hooks and folder come from one config, even with several Reloads at once
	defer r.mu.Unlock()
	public := (*host.Config)(cfg)
	if r.ofFiles && isParsed(public) {
		if err := r.engine.Reload(nil); errors.Is(err, ErrClosed) { // block all calls
			return err
		}
		return errParsed
	}
	if lost := r.engine.Lost(public.Config()); len(lost) > 0 {
		for i := range lost {
			lost[i].Text += "; put it back, or Reload projecthooks.Empty first if it is gone on purpose"
		}
		return lost
	}
	if err := r.engine.Reload(public.Config()); err != nil {
		return err
	}
	r.dir = public.Dir()
	r.logged.Clear() // the new files have faults of their own
	return nil
}

// Close ends all processes that the runner has started. Close interrupts calls in flight, kills their hooks and async
// hooks, closes the stdin of persistent hooks and gives them a moment to exit. Close returns after all that, within
// about a second. Every later call is an error. Functions that ignore their context go on. The error is always nil.
func (r *Runner) Close() error {
	if r.checkMade() != nil {
		return nil
	}
	return r.engine.Close()
}

// Explain returns the hooks for a tool call: first the pre-tool hooks, then the post-tool hooks after a tool that did
// not fail. If the call has no Tool, Explain returns the hooks for the user's message. Runs and Why say whether a hook
// would run for this call, and why. Explain runs no hook.
func (r *Runner) Explain(c protocol.Call) ([]hooks.HookInfo, error) {
	if err := r.checkMade(); err != nil {
		return nil, err
	}
	if r.engine.Closed() {
		return nil, ErrClosed
	}
	events := []protocol.Event{protocol.PreTool, protocol.PostTool}
	if c.Tool == "" {
		events = []protocol.Event{protocol.PreExecute}
	}
	var all []hooks.HookInfo
	for _, event := range events {
		plan, err := r.plan(c, event, Output{})
		if err != nil {
			return nil, err
		}
		for _, h := range plan.Hooks() {
			if !h.Runs && !h.Wants(event, r.engine.Clients()) { // the event is for another kind of tools
				continue
			}
			info := host.InfoOf(h.Hook)
			info.Events, info.Runs, info.Why = []protocol.Event{event}, h.Runs, h.Why
			all = append(all, hooks.HookInfo(info))
		}
	}
	return all, nil
}

// warn logs each warning that changes no verdict once. It recovers if the log handler panics, because the program must
// not lose the output of a tool that has run.
func (r *Runner) warn(tool string, warnings []string) {
	defer crash.Catch(new(error))
	for _, text := range warnings {
		if _, is := r.logged.LoadOrStore(text, true); !is {
			r.log.Warn(text, "tool", tool)
		}
	}
}
