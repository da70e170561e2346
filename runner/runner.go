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

	"github.com/hookrun/hookrun/internal/crash"
	"github.com/hookrun/hookrun/internal/gate/engine"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/projecthooks"
	"github.com/hookrun/hookrun/protocol"
	"github.com/hookrun/hookrun/queue"
)

// Options change how a Runner runs its hooks. The zero value is right for most programs.
type Options struct {
	Hooks   []Hook        // Go functions; they run before the hooks of the files
	Timeout time.Duration // of every hook, whatever its file says; 0: each hook's own, and 30 s of a function
	// OnFailure says what a failure means for hooks of the files that do not say: protocol.Block or protocol.Continue,
	// by cause. nil: what the form of each file says.
	OnFailure map[protocol.Cause]protocol.Decision
	Env       []string     // KEY=VALUE that hooks get besides their own; nil: this process's environment
	MaxProcs  int          // processes at once that a call waits for, but for persistent ones; 0: no bound
	Queue     *queue.Queue // Tool gives its texts to the agent; nil: there are none
	// Ask is how Tool asks a person, if a hook wants that. The tool runs if it returns true. nil: nobody is there, and
	// the call is blocked.
	Ask func(ctx context.Context, c protocol.Call, reason string) bool

	// Trust and Pin look after the hooks files of the Config and the scripts that they name. A call whose files are not
	// as they must be is blocked, with the cause untrusted or changed, whatever on_failure says.
	Trust    Trust
	Pin      bool   // the hooks of a session stay what they were at its first call; calls need a Session
	StateDir string // where it is kept what was allowed and pinned; "": the user's folder of `hookrun allow`

	// Log gets warnings that change no verdict, each once: faults in how hooks files are written. The others are in the
	// Outcome. At the level Debug it gets all that hooks have on stdin, which can be secrets. nil: slog.Default.
	Log *slog.Logger
}

// Trust says whether the hooks of a project run if no person has allowed them by `hookrun allow`.
type Trust string

// A person's leave counts for the hooks files and scripts as they were then. With both that require it, hooks that have
// changed since, or are gone, block every call.
const (
	TrustOff      Trust = "off"      // they run; "" is the same, unless the user's own hooks file says "required"
	TrustRequired Trust = "required" // they do not run, and calls go on without them until somebody has allowed them
	TrustBlock    Trust = "block"    // they do not run, and calls are blocked until then
)

func (t Trust) isRequired() bool { return t == TrustRequired || t == TrustBlock }

// Runner runs the hooks of a Config. It is safe for concurrent use. A nil, zero or closed Runner blocks every call with
// ErrClosed. What it starts and keeps between calls ends with Close.
type Runner struct {
	engine *engine.Runner
	queue  *queue.Queue
	ask    func(ctx context.Context, c protocol.Call, reason string) bool
	pin    bool
	log    *slog.Logger
	logged sync.Map // texts

	ofFiles bool // Trust or Pin is set

	mu  sync.Mutex
	dir string // of the project
}

// ErrClosed is the cause of a call that a Runner did not answer which is closed, or which New did not make.
var ErrClosed = engine.ErrClosed

// New returns a Runner for the hooks of cfg, and an error for a nil or zero cfg, which is what a failed Load returns.
// A program without hooks in files gives projecthooks.Empty. Options that are wrong are an error, too. New keeps no
// slice, map or pointer of the options but Log.
func New(cfg *projecthooks.Config, o Options) (*Runner, error) {
	r := &Runner{pin: o.Pin, log: o.Log, ask: o.Ask}
	if r.log == nil {
		r.log = slog.Default()
	}
	if o.Queue != nil {
		q := *o.Queue
		r.queue = &q
	}
	functions, err := o.check()
	if err != nil {
		return nil, err
	}
	public := (*hookfile.Public)(cfg)
	if r.ofFiles = o.Pin || o.Trust.isRequired(); r.ofFiles && isParsed(public) {
		return nil, errParsed
	}
	as := engine.Options{
		Timeout: o.Timeout, OnFailure: o.OnFailure, Env: o.Env, Functions: functions, MaxProcs: o.MaxProcs,
		Trust: engine.Trust(o.Trust), Pin: o.Pin, StateDir: o.StateDir,
	}
	if o.Trust == TrustBlock {
		as.Trust, as.BlockUntilAllowed = engine.TrustRequired, true
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
		for _, text := range f.Doubts {
			r.warn("", []string{text.Text})
		}
	}
	return r, nil
}

// errParsed is the error of a Config that Trust and Pin can find no files of.
var errParsed = errors.New("Trust and Pin look after files, and Parse has read none; use projecthooks.Load")

func isParsed(c *hookfile.Public) bool {
	return c.Config() != nil && len(c.Config().Files) > 0 && c.Dir() == ""
}

// check returns an error for each option that is wrong and not looked at by the engine.
func (o *Options) check() (functions []engine.Function, err error) {
	var wrong []error
	for i, h := range o.Hooks { // a copy: the caller may go on with its own
		f, err := h.function(i)
		if err != nil {
			wrong = append(wrong, err)
		}
		functions = append(functions, f)
	}
	for _, v := range o.Env {
		// Windows has its own variables, as =C:=C:\hooks, and os.Environ has them, too.
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

// made returns an error if New has not made the Runner.
func (r *Runner) made() error {
	if r == nil || r.engine == nil {
		return fmt.Errorf("runner.New has not made this Runner: %w", ErrClosed)
	}
	return nil
}

// Reload takes the hooks of another config from the next call on. Calls that have begun keep the old ones, whose
// processes end when those calls are over. It waits for nothing. With a cfg that New would not take, such as a nil
// one, which is an error, the Runner blocks every call until it gets another one. It is an error too if the Runner is
// closed or New did not make it.
func (r *Runner) Reload(cfg *projecthooks.Config) error {
	if err := r.made(); err != nil {
		return err
	}
	r.mu.Lock() // the hooks and the folder are of one config, whichever Reload is the last
	defer r.mu.Unlock()
	public := (*hookfile.Public)(cfg)
	if r.ofFiles && isParsed(public) {
		if err := r.engine.Reload(nil); errors.Is(err, ErrClosed) { // else all calls are blocked
			return err
		}
		return errParsed
	}
	if err := r.engine.Reload(public.Config()); err != nil {
		return err
	}
	r.dir = public.Dir()
	r.logged.Clear() // the new files have faults of their own
	return nil
}

// Close ends everything that the runner started. It interrupts calls in flight, kills their hooks and async ones, and
// gives persistent hooks the end of their input and a moment to go. It returns when nothing is left, which takes
// about a second at most. Every later call is an error. Functions that do not heed their context run on. The error is
// always nil.
func (r *Runner) Close() error {
	if r.made() != nil {
		return nil
	}
	return r.engine.Close()
}

// Explain returns the hooks that there are for a tool call, first those before the tool and then those after it, if it
// does not fail, or, if the call has no Tool, those at the user's message. Runs and Why say whether and why each would
// run for this call. Nothing runs.
func (r *Runner) Explain(c protocol.Call) ([]projecthooks.HookInfo, error) {
	if err := r.made(); err != nil {
		return nil, err
	}
	if r.engine.Closed() {
		return nil, ErrClosed
	}
	events := []protocol.Event{protocol.PreTool, protocol.PostTool}
	if c.Tool == "" {
		events = []protocol.Event{protocol.PreExecute}
	}
	var all []projecthooks.HookInfo
	for _, event := range events {
		plan, err := r.plan(c, event, Output{})
		if err != nil {
			return nil, err
		}
		for _, h := range plan.Hooks() {
			if !h.Runs && !h.Wants(event) { // one of an event for a kind of tools runs at a call of such a tool
				continue
			}
			info := hookfile.InfoOf(h.Hook)
			info.Events, info.Runs, info.Why = []protocol.Event{event}, h.Runs, h.Why
			all = append(all, projecthooks.HookInfo(info))
		}
	}
	return all, nil
}

// warn logs the warnings of a call that change no verdict. A handler that panics must not cost the program the output
// of a tool that has run.
func (r *Runner) warn(tool string, warnings []string) {
	defer crash.Catch(new(error))
	for _, text := range warnings {
		if _, is := r.logged.LoadOrStore(text, true); !is {
			r.log.Warn(text, "tool", tool)
		}
	}
}
