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

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/httphook"
	"github.com/hookrun/hookrun/internal/launch"
	"github.com/hookrun/hookrun/internal/process"
	"github.com/hookrun/hookrun/protocol"
)

// Options change how a Runner runs its hooks. The zero value is right for a program that stays up and has other things
// to do.
type Options struct {
	Timeout   time.Duration         // of every hook; 0: each hook's own
	OnFailure dialect.FailurePolicy // for hooks that do not say; nil: the dialect's
	Env       []string              // that hooks get besides their own; nil: this process's environment
	// Binary is the path of a hookrun binary, which hooks find as $HOOKRUN. If it is "", New looks for one in the
	// environment of the hooks: HOOKRUN itself, if that is the absolute path of a program, else hookrun in PATH. If
	// there is none, HOOKRUN is not set, and a call of a hook that uses it has a warning. On Windows a Binary that is
	// given is also started to ask a hook to end at its deadline; without it the hook is killed at once.
	Binary string
	// Functions are hooks of the program itself. They run before those of the config.
	Functions []Function
	// MaxProcs is how many processes run at once that a call waits for, those of persistent hooks aside; 0: no bound.
	MaxProcs int

	// OnInput is called with what a hook gets on stdin, or as the body of its request, before it runs. Hooks that run
	// at once call it at once. It is for debugging: the input can have secrets in it. nil: nobody looks.
	OnInput func(hook, source string, input []byte)
	// Trust and Pin look after the hooks files of the Config and the scripts that they name. A call whose files are not
	// as they must be is blocked, with the cause untrusted or changed, whatever on_failure says. StateDir is where is
	// kept what was allowed, and what sessions began with; "" is the user's own folder of `hookrun allow`.
	Trust    Trust
	Pin      bool // the hooks of a session stay what they were at its first call; calls need a SessionID
	StateDir string
	// BlockUntilAllowed: with TrustRequired, calls are blocked while nobody has allowed the hooks of the project, at
	// each event at which a call can be held up. Else they go on without those hooks.
	BlockUntilAllowed bool

	// Skip are names of hooks that do not run, each with a warning at the calls that it is for. A managed hook runs.
	Skip []string

	// NoApprovals is for tests: no person can let a blocked call pass.
	NoApprovals bool

	// OneShot is for a process that makes one call and ends. Nothing stays between calls: a persistent hook gets its
	// one line and the end of its input, and nobody waits for an async hook. Close has nothing to do then.
	OneShot bool

	// Subreaper makes this process the parent of descendants that hooks orphan, so that those which hid from everything
	// else are found at a deadline (Linux). Unknown children are then taken for such orphans and reaped: it is for
	// programs that start no other children.
	Subreaper bool
}

// Trust says whether the hooks of a project run that nobody has allowed.
type Trust string

const (
	TrustOff Trust = "off" // they do; the zero value means the same, unless the user's own hooks file says "required"
	// TrustRequired: they do not run, and the call goes on without them. Hooks that were allowed by `hookrun allow` and
	// have changed since, or are gone, block every call.
	TrustRequired Trust = "required"
)

// Runner runs the hooks of a Config. It is safe for concurrent use. A nil, zero or closed Runner blocks every call with
// ErrClosed. What it starts and keeps between calls ends with Close.
type Runner struct {
	options      Options
	binary       string // of Options.Binary, or found; "": there is none
	hooks        atomic.Pointer[hookSet]
	asyncResults asyncResults
	http         httphook.Client // of all HTTP hooks
	said         said
	stops        stopCounts
	lastID       atomic.Int64  // of a call of a persistent hook
	slots        chan struct{} // one for each process that runs; nil: Options.MaxProcs bounds nothing

	processes *process.Supervisor // of all hooks, unless Options.OneShot

	end     context.Context // by Close
	stop    context.CancelCauseFunc
	mu      sync.Mutex
	closed  bool
	closing sync.Once
	running sync.WaitGroup // calls, and async hooks
}

// ErrClosed is the cause of a call that a Runner did not answer which is closed, or which New did not make.
var ErrClosed = errors.New("the runner is closed")

// notMade is ErrClosed of a nil or zero Runner.
func notMade() error { return fmt.Errorf("engine.New has not made this Runner: %w", ErrClosed) }

// errNoConfig is the error of a nil Config, and of calls while a Runner has none.
var errNoConfig = errors.New("the config is nil or zero, so nobody knows which hooks there are; if there are none, " +
	"give projecthooks.Empty")

// New returns a runner for the hooks of cfg. A nil cfg is an error, as that of a failed Load, and so are options that
// are wrong.
func New(cfg *hookfile.Config, o Options) (*Runner, error) {
	switch o.Trust {
	case "", TrustOff, TrustRequired:
	default:
		return nil, fmt.Errorf("trust %q is not one of %s, %s", o.Trust, TrustOff, TrustRequired)
	}
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
	// the caller may go on with its own
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
	r.hooks.Store(r.newHookSet(cfg))
	return r, nil
}

// checkPolicy returns an error for a policy that names what no failure is, or that says neither block nor continue.
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

// isZero reports whether the Runner is nil or its zero value.
func (r *Runner) isZero() bool { return r == nil || r.hooks.Load() == nil }

// Reload takes the hooks of another config from the next call on. Calls that have begun keep the old ones, whose
// processes end when those calls are over. It waits for nothing. With a nil cfg, which is an error, the Runner
// blocks every call until it gets another one. It is an error too if the Runner is closed or New did not make it.
func (r *Runner) Reload(cfg *hookfile.Config) error {
	if r.isZero() {
		return notMade()
	}
	if err := r.enter(); err != nil {
		return err
	}
	defer r.running.Done()
	next, err := &hookSet{config: &hookfile.Config{}, err: errNoConfig}, errNoConfig
	if cfg != nil {
		next, err = r.newHookSet(cfg), nil
	}
	for _, pool := range r.hooks.Swap(next).pools {
		r.running.Go(pool.Close)
	}
	return err
}

// Close ends everything that the runner started. It interrupts calls in flight, kills their hooks and async ones, and
// gives persistent hooks the end of their input and a moment to go. It returns when nothing is left, which takes
// about a second at most. Every later Fire is an error. Functions that do not heed their context run on. The error is
// always nil.
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
		r.http.Close()
	})
	return nil
}

// Closed reports whether Close was called.
func (r *Runner) Closed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

// enter begins something that Close waits for.
func (r *Runner) enter() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return ErrClosed
	}
	r.running.Add(1)
	return nil
}
