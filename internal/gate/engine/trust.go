package engine

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/trust"
	"github.com/hookrun/hookrun/protocol"
)

// guard is what was found out about the files of a call's hooks. The zero guard looks after nothing.
type guard struct {
	now      *trust.Fingerprint
	store    *trust.Store
	rules    trust.Rules
	judgment trust.Judgment
	skips    bool // hooks of the project, which nobody has allowed, would have run
}

// requiresTrust reports whether hooks of a project run only if a person has allowed them. Who makes the runner, and the
// user's and the machine's own hooks files, can each ask for it.
func (r *Runner) requiresTrust(cfg *hookfile.Config) bool {
	return r.options.Trust == TrustRequired || cfg.Trust == hookfile.TrustRequired
}

// guarded reports whether the files of the hooks are looked at before they run. Where root's file leaves all others out
// nothing of the project's runs.
func (p *Plan) guarded() bool {
	return (p.loaded.ofUser != nil || p.runner.options.Pin) && !p.loaded.config.Only
}

// judge finds out whether the hooks may run, and takes those of the project out of the plan if nobody has allowed them.
// What keeps it from finding out blocks the call.
func (p *Plan) judge() {
	p.guard = guard{}
	if !p.guarded() {
		return
	}
	g := &p.guard
	g.rules = trust.Rules{
		Required: p.loaded.ofUser != nil, Pin: p.runner.options.Pin && p.call.SessionID != "",
		Session: p.call.SessionID,
	}
	err := g.take(p)
	if err == nil {
		g.judgment, err = g.store.Judge(g.now, g.rules)
	}
	if err != nil {
		g.fail(err)
	}
	if p.loaded.files != nil && g.judgment.Cause == "" && (g.judgment.Unknown == "" || g.rules.Pin) {
		if changed := p.loaded.files.Changed(); len(changed) > 0 {
			const text = "hooks files are others than those that were read: %s; a person must look at them, run " +
				"hookrun allow, and have them read again"
			g.judgment = trust.Judgment{Cause: g.cause(), Reason: fmt.Sprintf(text,
				printable.Escape(strings.Join(changed, ", ")))}
		}
	}
	if g.judgment.Unknown == "" {
		return
	}
	run, _ := chosen(p.match, p.candidates)
	p.prepare(p.loaded.ofUser)
	left, _ := chosen(p.match, p.candidates)
	g.skips = len(left) < len(run)
}

// take takes the Fingerprint of the hooks.
func (g *guard) take(p *Plan) (err error) {
	if g.store, err = trust.Open(p.runner.options.StateDir); err != nil {
		return err
	}
	o := trust.Options{Workspace: p.call.Workspace, Environ: func(h *hook.Hook) []string {
		call := dialect.NewCall(dialect.Call{Workspace: p.call.Workspace}) // and nothing else of a call
		return p.runner.environ(h, call)
	}}
	if filepath.IsAbs(p.call.Dir) {
		o.Dir = filepath.Clean(p.call.Dir)
	}
	if o.Store = g.store; g.rules.Pin {
		o.Session = g.rules.Session
	}
	g.now, err = trust.Take(p.loaded.config, o)
	return err
}

// fail blocks the call, since nothing can be said about its hooks.
func (g *guard) fail(err error) {
	const text = "whether the hooks may run cannot be found out: %v"
	g.judgment = trust.Judgment{Cause: g.cause(), Reason: fmt.Sprintf(text, err)}
}

func (g *guard) cause() protocol.Cause {
	if g.rules.Required {
		return protocol.CauseUntrusted
	}
	return protocol.CauseChanged
}

// pin records what the hooks are, at the first call of a session.
func (p *Plan) pin() (err error) {
	g := &p.guard
	switch {
	case p.runner.options.Pin && p.call.SessionID == "":
		return errors.New("a pinned call needs the id of its session; give --session-id, or leave --pin out")
	case !g.judgment.Unpinned:
		return nil
	}
	if g.judgment, err = g.store.Pin(g.now, g.rules, g.judgment); err != nil {
		g.fail(err)
	}
	return nil
}

// blockUntilAllowed blocks a call while nobody has allowed the hooks of the project. What holds nothing up goes on: at
// the end of a turn a block would start the next one.
func (p *Plan) blockUntilAllowed() {
	j := &p.guard.judgment
	if j.Unknown == "" || j.Cause != "" || !p.runner.options.BlockUntilAllowed || !registry.CanHold(&p.call) {
		return
	}
	ofProject := func(h hook.Hook) bool { return h.Level >= hook.ProjectLevel && h.Disabled == "" }
	if !slices.ContainsFunc(p.loaded.config.Hooks, ofProject) {
		return
	}
	j.Cause, j.Reason = protocol.CauseUntrusted, "every call is blocked until a person has allowed the hooks of this "+
		"project, in a terminal: "+j.Unknown
}

// messages are for the user of the call.
func (g *guard) messages() []string {
	if !g.skips {
		return nil
	}
	return []string{"hookrun: " + g.judgment.Unknown}
}

// notices are for who asks what would happen.
func (g *guard) notices() (texts []string) {
	if g.judgment.Cause != "" {
		texts = append(texts, fmt.Sprintf("the call is blocked (%s): %s", g.judgment.Cause, g.judgment.Reason))
	}
	if g.judgment.Unknown != "" {
		texts = append(texts, g.judgment.Unknown)
	}
	return texts
}

// untrusted returns why a hook of the call does not run for want of trust, "" if it may run.
func (p *Plan) untrusted(h *hook.Hook) string {
	switch {
	case p.guard.judgment.Cause != "":
		return "the call is blocked before any hook runs: " + string(p.guard.judgment.Cause)
	case p.guard.judgment.Unknown != "" && h.Level >= hook.ProjectLevel && p.set.funcs[h] == nil:
		return "nobody has allowed the hooks of this project"
	}
	return ""
}

// loadedHook returns the i-th hook that there is: the one of the plan's hooks that it is, if they have it.
func (p *Plan) loadedHook(i int) *hook.Hook {
	h := &p.loaded.all[i]
	if p.set == p.loaded {
		return h
	}
	for j := range p.set.all {
		if other := &p.set.all[j]; other.Level == h.Level && other.Name == h.Name && other.SourceBeside(h) ==
			h.SourceBeside(other) {
			return other
		}
	}
	return h
}

// isTouched reports whether the files of a hook that is to run are no longer those that were looked at when the call
// began, and notes it.
func (f *firing) isTouched(h *hook.Hook) bool {
	if f.guard.now == nil {
		return false
	}
	return f.noteTouched(f.guard.now.Touched(h))
}

// noteRewritten notes that files of a hook that has run, or of an async one that was started, are no longer those.
func (f *firing) noteRewritten(h *hook.Hook) {
	if f.guard.now != nil {
		f.noteTouched(f.guard.now.Rewritten(h))
	}
}

// noteTouched notes a path that was changed, and reports whether there is one.
func (f *firing) noteTouched(path string) bool {
	if path != "" {
		f.touched.CompareAndSwap(nil, &path)
	}
	return path != ""
}

// touchedReason says that a file changed while its hook was to run.
func (p *Plan) touchedReason(path string) (protocol.Cause, string) {
	const text = "%s was changed while the hooks of this call ran, so nobody knows what did run"
	return p.guard.cause(), fmt.Sprintf(text, printable.Escape(path))
}

// refused is the outcome of a call that is blocked whatever its hooks said.
func (p *Plan) refused(begin time.Time, ran []dialect.HookVerdict, cause protocol.Cause,
	reason string) Fired {
	o, _ := failed(&p.call, ran, cause, errors.New(reason))
	o.Duration = protocol.Milliseconds(time.Since(begin))
	return o
}
