package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/core/process"
	"github.com/hookrun/hookrun/internal/core/stops"
	"github.com/hookrun/hookrun/protocol"
)

// Options change how a Runner runs its hooks. The zero value suits a long-running program with other work to do.
type Options struct {
	Timeout   time.Duration         // of every hook; 0: each hook's own
	OnFailure dialect.FailurePolicy // for hooks without on_failure; nil: the dialect's policy
	Env       []string              // for hooks, besides their own variables; nil: this process's environment
	// Binary is the path of a hookrun binary; hooks get it as $HOOKRUN. If Binary is "", New looks in the environment
	// of the hooks: first for HOOKRUN, if it is the absolute path of a program, then for hookrun in PATH. If both are
	// missing, HOOKRUN is not set, and a call gets a warning if one of its hooks uses $HOOKRUN. On Windows, hookrun
	// also starts a given Binary to ask a hook to end at its deadline; without Binary the hook is killed at once.
	Binary string
	// Functions are hooks of the program itself. They run before the hooks of the config.
	Functions []hook.Hook
	// MaxProcs bounds the processes that calls wait for at the same time, except persistent hooks; 0: no bound.
	MaxProcs int

	// OnInput is called before a hook runs, with the hook's stdin or the body of its request. Parallel hooks call it in
	// parallel. It is for debugging: the input can contain secrets. nil: no call.
	OnInput func(hook, source string, input []byte)
	// RequireTrust and Pin check the hooks files of the Config and the scripts in their commands. If a file is not as
	// it must be, the call is blocked with the cause untrusted or changed, whatever on_failure says. StateDir has the
	// record of allowed hooks and of the hooks of each session; "" is the user's own folder, as for `hookrun allow`.
	//
	// RequireTrust: hooks of a project do not run before a person has allowed them, and the call goes on without them.
	// If hooks were allowed by `hookrun allow` and have changed since, or are gone, the calls that the change can
	// affect are blocked. The user's own hooks file can require the same.
	RequireTrust bool
	Pin          bool // a session keeps the hooks of its first call; calls need a SessionID
	StateDir     string
	// BlockUntilAllowed: with RequireTrust, tool calls are blocked, where they can be, until a person has allowed the
	// hooks of the project. Otherwise the calls go on without those hooks.
	BlockUntilAllowed bool
	// CheckTrust makes the check (trust.Check). If it is nil, RequireTrust, Pin and a Config that requires trust are an
	// error of New and Reload.
	CheckTrust TrustCheck

	// Skip names hooks that do not run. Each call that a skipped hook is for gets a warning. A managed hook runs
	// anyway.
	Skip []string

	// NoApprovals is for tests: no person can let a blocked call pass.
	NoApprovals bool

	// OneShot is for a process that makes one call and ends. The runner does not wait for async hooks. A persistent
	// hook gets one line and the end of its input, unless Keeper has a process for the hook. Close has no effect.
	OneShot bool
	Keeper  Keeper // nil: no process stays between the calls of OneShot runners

	// Subreaper makes this process the parent of descendants orphaned by hooks. At a deadline the runner then also
	// finds descendants that escaped every other search (Linux). It takes any unknown child for such an orphan and
	// reaps it, so Subreaper is for programs that start no other children.
	Subreaper bool
}

// Runner runs the hooks of a Config. It is safe for concurrent use. A nil, zero or closed Runner blocks every call with
// ErrClosed. Close ends all processes and connections that the Runner keeps between calls.
type Runner struct {
	options      Options
	binary       string // Options.Binary, or found in the environment; "": not found
	hooks        atomic.Pointer[hookSet]
	asyncResults asyncResults
	requests     requests // of all HTTP hooks
	notices      notices
	stops        stops.Store   // of a Runner that stays up
	lastID       atomic.Int64  // of a call of a persistent hook
	slots        chan struct{} // one for each running process; nil: no bound

	processes *process.Supervisor // of all hooks, unless Options.OneShot

	end     context.Context // cancelled by Close
	stop    context.CancelCauseFunc
	mu      sync.Mutex
	closed  bool
	closing sync.Once
	running sync.WaitGroup // calls, and async hooks
}

// ErrClosed is the error of a call to a closed Runner, or to a Runner not made by New.
var ErrClosed = errors.New("the runner is closed")

// errNotMade is the ErrClosed of a nil or zero Runner.
func errNotMade() error { return fmt.Errorf("engine.New has not made this Runner: %w", ErrClosed) }

// errNoConfig is the error of a nil Config, and of calls to a Runner without a Config.
var errNoConfig = errors.New("the config is nil or zero, so nobody knows which hooks there are; if there are none, " +
	"give projecthooks.Empty")

// New returns a runner for the hooks of cfg. It returns an error for a nil cfg, the result of a failed Load, and for
// invalid options.
func New(cfg *hookfile.Config, o Options) (*Runner, error) {
	if o.Timeout < 0 {
		return nil, fmt.Errorf("the timeout %v is negative; 0 is each hook's own", o.Timeout)
	}
	if err := checkPolicy(o.OnFailure); err != nil {
		return nil, err
	}
	if o.MaxProcs < 0 {
		return nil, fmt.Errorf("at most %d processes are negative; 0 is no bound", o.MaxProcs)
	}
	if cfg == nil {
		return nil, errNoConfig
	}
	// the caller may change its slices and maps later
	o.Functions, o.Env, o.OnFailure = slices.Clone(o.Functions), slices.Clone(o.Env), maps.Clone(o.OnFailure)
	r := &Runner{options: o, binary: o.Binary}
	if r.binary == "" {
		r.binary = launch.FindBinary(o.Env)
	}
	if o.MaxProcs > 0 {
		r.slots = make(chan struct{}, o.MaxProcs)
	}
	r.end, r.stop = context.WithCancelCause(context.Background())
	r.processes = r.newSupervisor()
	set := r.newHookSet(cfg)
	if set.err != nil {
		return nil, set.err
	}
	r.hooks.Store(set)
	return r, nil
}

// checkPolicy returns an error for a policy with an unknown cause, or with a decision other than block and continue.
func checkPolicy(p dialect.FailurePolicy) error {
	for _, cause := range slices.Sorted(maps.Keys(p)) {
		if !slices.Contains(dialect.FailureCauses(), cause) {
			return fmt.Errorf("the failure policy has the cause %q; a failure has one of %q", cause,
				dialect.FailureCauses())
		}
		if d := p[cause]; d != protocol.Block && d != protocol.Continue {
			return fmt.Errorf("the failure policy has %q for the cause %q; it is %s or %s", d, cause, protocol.Block,
				protocol.Continue)
		}
	}
	return nil
}

func (r *Runner) newSupervisor() *process.Supervisor {
	return &process.Supervisor{
		OneShot: r.options.OneShot, Subreaper: r.options.Subreaper, Binary: r.options.Binary,
	}
}

// Lost returns the files whose hooks are in use and that cfg, for a Reload, lacks.
func (r *Runner) Lost(cfg *hookfile.Config) hook.Diagnostics {
	if r.isZero() || cfg == nil {
		return nil
	}
	return r.hooks.Load().files.Lost(cfg)
}

// Clients returns the clients that the hooks were read with.
func (r *Runner) Clients() dialect.Clients {
	if r.isZero() {
		return dialect.NoClients{}
	}
	return r.hooks.Load().config.Clients()
}

// isZero reports whether the Runner is nil or its zero value.
func (r *Runner) isZero() bool { return r == nil || r.hooks.Load() == nil }

// Reload replaces the hooks with those of another config, from the next call on. Calls in flight keep the old hooks,
// whose processes end after those calls. Reload does not wait. If cfg is nil, or requires a check of trust that the
// Runner does not have, Reload returns an error and the Runner blocks every call until the next Reload. Reload also
// returns an error if the Runner is closed or not made by New.
func (r *Runner) Reload(cfg *hookfile.Config) error {
	if r.isZero() {
		return errNotMade()
	}
	if err := r.enter(); err != nil {
		return err
	}
	defer r.running.Done()
	old := r.hooks.Load()
	next := &hookSet{config: old.config.Parts().Empty(), files: old.files, err: errNoConfig}
	if cfg != nil {
		next = r.newHookSet(cfg)
	}
	for _, pool := range r.hooks.Swap(next).pools {
		r.running.Go(pool.Close)
	}
	return next.err
}

// Close ends everything that the runner started. It interrupts calls in flight, kills their hooks and async hooks,
// closes the input of persistent hooks and gives them a moment to exit. It returns when all processes are gone, after
// about a second at most. Every later Fire returns an error. A function that ignores its context runs on. Close always
// returns nil.
func (r *Runner) Close() error {
	if r.isZero() {
		return nil
	}
	r.closing.Do(func() {
		r.mu.Lock()
		r.closed = true
		r.mu.Unlock()
		r.stop(ErrClosed)
		r.running.Wait()
		var all sync.WaitGroup
		for _, pool := range r.hooks.Load().pools {
			all.Go(pool.Close)
		}
		all.Wait()
		r.processes.Close()
		r.requests.close()
	})
	return nil
}

// Closed reports whether Close was called.
func (r *Runner) Closed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

// enter begins work that Close waits for. The caller must call running.Done after it.
func (r *Runner) enter() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return ErrClosed
	}
	r.running.Add(1)
	return nil
}
