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

// trustCheck is the result of checking the files of a call's hooks. The zero value checks and blocks nothing.
type trustCheck struct {
	now      *trust.Fingerprint
	store    *trust.Store
	rules    trust.Rules
	judgment trust.Judgment
	skips    bool // hooks of the project would have run, but are not allowed
}

// requiresTrust reports whether hooks of a project run only if a person has allowed them. The maker of the runner, the
// user's hooks file and the managed file can each require it.
func (r *Runner) requiresTrust(cfg *hookfile.Config) bool {
	return r.options.Trust == TrustRequired || cfg.Trust == hookfile.TrustRequired
}

// checksFiles reports whether the files of the hooks are checked before they run. If the managed file leaves all others
// out, no hook of the project runs, so the check is not needed.
func (p *Plan) checksFiles() bool {
	return (p.loaded.userOnly != nil || p.runner.options.Pin) && !p.loaded.config.ManagedOnly
}

// checkTrust finds out whether the hooks may run. If the hooks of the project are not allowed, it removes them from the
// plan. An error of the check blocks the call.
func (p *Plan) checkTrust() {
	p.trust = trustCheck{}
	if !p.checksFiles() {
		return
	}
	g := &p.trust
	g.rules = trust.Rules{
		Required: p.loaded.userOnly != nil, Pin: p.runner.options.Pin && p.call.SessionID != "",
		Session: p.call.SessionID,
	}
	err := g.fingerprint(p)
	if err == nil {
		g.judgment, err = g.store.Judge(g.now, g.rules)
	}
	if err != nil {
		g.fail(err)
	}
	if p.loaded.files != nil && g.judgment.Cause == "" && (g.judgment.NotAllowedMessage == "" || g.rules.Pin) {
		if changed := p.loaded.files.Changed(); len(changed) > 0 {
			const text = "hooks files are others than those that were read: %s; a person must look at them, run " +
				"hookrun allow, and have them read again"
			g.judgment = trust.Judgment{Cause: g.cause(), Reason: fmt.Sprintf(text,
				printable.Escape(strings.Join(changed, ", ")))}
		}
	}
	if g.judgment.NotAllowedMessage == "" {
		return
	}
	run, _ := selectFrom(p.match, p.candidates)
	p.prepare(p.loaded.userOnly)
	left, _ := selectFrom(p.match, p.candidates)
	g.skips = len(left) < len(run)
}

// fingerprint takes the Fingerprint of the hooks.
func (g *trustCheck) fingerprint(p *Plan) (err error) {
	if g.store, err = trust.Open(p.runner.options.StateDir); err != nil {
		return err
	}
	o := trust.Options{Workspace: p.call.Workspace, Environ: func(h *hook.Hook) []string {
		call := dialect.NewCall(dialect.Call{Workspace: p.call.Workspace}) // without further fields of the call
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

// fail blocks the call because the check failed.
func (g *trustCheck) fail(err error) {
	const text = "whether the hooks may run cannot be found out: %v"
	g.judgment = trust.Judgment{Cause: g.cause(), Reason: fmt.Sprintf(text, err)}
}

func (g *trustCheck) cause() protocol.Cause {
	if g.rules.Required {
		return protocol.CauseUntrusted
	}
	return protocol.CauseChanged
}

// pin records the hooks at the first call of a session.
func (p *Plan) pin() (err error) {
	g := &p.trust
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

// blockUntilAllowed blocks a call until a person has allowed the hooks of the project. Events that cannot block go on;
// a block at the end of a turn would only start the next turn.
func (p *Plan) blockUntilAllowed() {
	j := &p.trust.judgment
	if j.NotAllowedMessage == "" || j.Cause != "" ||
		!p.runner.options.BlockUntilAllowed || !registry.CanBlock(&p.call) {
		return
	}
	ofProject := func(h hook.Hook) bool { return h.Level >= hook.ProjectLevel && h.Disabled == "" }
	if !slices.ContainsFunc(p.loaded.config.Hooks, ofProject) {
		return
	}
	j.Cause, j.Reason = protocol.CauseUntrusted, "every call is blocked until a person has allowed the hooks of this "+
		"project, in a terminal: "+j.NotAllowedMessage
}

// messages returns the message for the user of the call.
func (g *trustCheck) messages() []string {
	if !g.skips {
		return nil
	}
	return []string{"hookrun: " + g.judgment.NotAllowedMessage}
}

// notices returns the texts for a person who asks what would happen.
func (g *trustCheck) notices() (texts []string) {
	if g.judgment.Cause != "" {
		texts = append(texts, fmt.Sprintf("the call is blocked (%s): %s", g.judgment.Cause, g.judgment.Reason))
	}
	if g.judgment.NotAllowedMessage != "" {
		texts = append(texts, g.judgment.NotAllowedMessage)
	}
	return texts
}

// untrustedReason returns why the trust check keeps a hook from running, or "" if the hook may run.
func (p *Plan) untrustedReason(h *hook.Hook) string {
	switch {
	case p.trust.judgment.Cause != "":
		return "the call is blocked before any hook runs: " + string(p.trust.judgment.Cause)
	case p.trust.judgment.NotAllowedMessage != "" && h.Level >= hook.ProjectLevel && p.set.funcs[h] == nil:
		return "nobody has allowed the hooks of this project"
	}
	return ""
}

// loadedHook returns the plan's copy of hook i, or the loaded hook if the plan dropped it.
func (p *Plan) loadedHook(i int) *hook.Hook {
	h := &p.loaded.hooks[i]
	if p.set == p.loaded {
		return h
	}
	for j := range p.set.hooks {
		if other := &p.set.hooks[j]; other.Level == h.Level && other.Name == h.Name && other.SourceNextTo(h) ==
			h.SourceNextTo(other) {
			return other
		}
	}
	return h
}

// isTouched reports whether files of a hook that is about to run have changed since the call began, and records the
// changed path.
func (f *firing) isTouched(h *hook.Hook) bool {
	if f.trust.now == nil {
		return false
	}
	return f.noteTouched(f.trust.now.ChangedBeforeRun(h))
}

// noteRewritten records a change of the files of a hook that has run, or of an async hook that was started.
func (f *firing) noteRewritten(h *hook.Hook) {
	if f.trust.now != nil {
		f.noteTouched(f.trust.now.ChangedDuringRun(h))
	}
}

// noteTouched records a changed path, and reports whether path is not "".
func (f *firing) noteTouched(path string) bool {
	if path != "" {
		f.touched.CompareAndSwap(nil, &path)
	}
	return path != ""
}

// touchedReason returns the cause and the reason for a file that changed while the hooks ran.
func (p *Plan) touchedReason(path string) (protocol.Cause, string) {
	const text = "%s was changed while the hooks of this call ran, so nobody knows what did run"
	return p.trust.cause(), fmt.Sprintf(text, printable.Escape(path))
}

// blocked is the outcome of a call that is blocked whatever the hooks answered.
func (p *Plan) blocked(begin time.Time, ran []dialect.HookVerdict, cause protocol.Cause,
	reason string) Fired {
	o, _ := failedCall(&p.call, ran, cause, errors.New(reason))
	o.Duration = protocol.Milliseconds(time.Since(begin))
	return o
}
