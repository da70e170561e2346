package engine

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/protocol"
)

// trustState is the result of checking the files of a call's hooks. The zero value checks and blocks nothing.
type trustState struct {
	files    TrustFiles // nil: not checked
	required bool
	judgment Judgment // of the hooks

	blocks  Judgment // of this call
	without bool     // the hooks of the project do not run at this call
	message string   // for the user
}

// requiresTrust reports whether hooks of a project run only if a person has allowed them. The maker of the runner, the
// user's hooks file and the managed file can each require it.
func (r *Runner) requiresTrust(cfg *hookfile.Config) bool {
	return r.options.RequireTrust || cfg.Trust == hookfile.TrustRequired
}

// checksFiles reports whether the files of the hooks are checked before they run. If the managed file leaves all others
// out, no hook of the project runs, so the check is not needed.
func (p *Plan) checksFiles() bool {
	return p.loaded.userOnly != nil && !p.loaded.config.ManagedOnly
}

// checkTrust finds out whether the hooks may run. An error of the check blocks the call.
func (p *Plan) checkTrust() {
	p.trust = trustState{}
	if !p.checksFiles() {
		return
	}
	g, j, c := &p.trust, &p.trust.judgment, p.trustCall()
	g.required = c.Required
	var err error
	if g.files, *j, err = p.runner.options.CheckTrust(p.loaded.config, c); err != nil {
		p.failTrust(err)
	}
	if p.loaded.files != nil && (j.Cause == "" || j.Held != nil) && (j.NotAllowedMessage == "" || c.Pin) {
		if changed := p.loaded.files.Changed(); len(changed) > 0 {
			const text = "hooks files are others than those that were read: %s, so every tool call is blocked; a " +
				"person must look at them, run hookrun allow, and have them read again"
			*j = Judgment{Cause: g.cause(), Reason: fmt.Sprintf(text,
				printable.Escape(strings.Join(changed, ", ")))}
		}
	}
}

// selectTrusted selects the hooks that may run, and finds out whether trust blocks the call: a tool call if the set of
// hooks may be another, and any call that a changed hook is for. Other events go on. A prompt has the message, because
// the person is there.
func (p *Plan) selectTrusted() {
	g, j := &p.trust, &p.trust.judgment
	if p.set != p.loaded {
		p.prepare(p.loaded)
	}
	p.run, p.duplicates = selectFrom(p.match, p.candidates)
	g.blocks, g.without, g.message = Judgment{}, false, ""
	if j.Cause == "" && j.NotAllowedMessage == "" {
		return
	}
	hasTool, canBlock := p.call.IsAboutTool(), p.call.CanBlock()
	tell, selected := p.call.Common() == protocol.PreExecute, len(p.run)
	switch at := j.At(p.heldHere()); {
	case j.Held != nil && (hasTool || canBlock), j.Cause != "" && hasTool:
		g.blocks = at
	case j.Held != nil:
		p.run = slices.DeleteFunc(p.run, p.isHeld)
	default:
		p.prepare(p.loaded.userOnly)
		p.run, p.duplicates = selectFrom(p.match, p.candidates)
		p.run = slices.DeleteFunc(p.run, p.mayBeOther)
		g.without = true
	}
	text, until := j.Reason, j.Cause == "" && p.blocksUntilAllowed()
	switch {
	case until:
		text = "every tool call is blocked until a person has allowed the hooks of this project, in a terminal: " +
			j.NotAllowedMessage
	case j.Cause == "":
		text, tell = j.NotAllowedMessage, false
	}
	if until && hasTool && canBlock {
		g.blocks = Judgment{Cause: protocol.CauseUntrusted, Reason: text}
	}
	if tell || len(p.run) < selected {
		g.message = text
	}
}

// heldHere returns the names of the changed hooks that would run at the call.
func (p *Plan) heldHere() (names []string) {
	for _, h := range p.run {
		if p.isHeld(h) {
			names = append(names, h.Name)
		}
	}
	return names
}

// isHeld reports whether a hook has changed, so that calls for it are blocked.
func (p *Plan) isHeld(h *hook.Hook) bool {
	return h.Level >= hook.ProjectLevel && h.Rule() == nil &&
		slices.Contains(p.trust.judgment.Held, h.Name)
}

// mayBeOther reports whether a hook of the user's file was not in the file when the session began.
func (p *Plan) mayBeOther(h *hook.Hook) bool {
	return p.trust.judgment.UserChanged && h.Level == hook.UserLevel
}

// blocksUntilAllowed reports whether calls are blocked until a person has allowed the hooks of the project.
func (p *Plan) blocksUntilAllowed() bool {
	ofProject := func(h hook.Hook) bool { return h.Level >= hook.ProjectLevel && h.Disabled == "" }
	return p.runner.options.BlockUntilAllowed && slices.ContainsFunc(p.loaded.config.Hooks, ofProject)
}

// trustCall describes the call to the check.
func (p *Plan) trustCall() *TrustCall {
	c := &TrustCall{Workspace: p.call.Workspace, Worktree: p.call.Worktree, Hooks: p.loaded.hooks,
		StateDir: p.runner.options.StateDir, Required: p.runner.requiresTrust(p.loaded.config), Pin: p.isPinned(),
		Session: p.session()}
	c.Environ = func(h *hook.Hook) []string {
		call := dialect.NewCall(dialect.Call{Workspace: p.call.Workspace}) // without further fields of the call
		return p.runner.environ(h, call)
	}
	if filepath.IsAbs(p.call.Dir) {
		c.Dir = filepath.Clean(p.call.Dir)
	}
	return c
}

// failTrust blocks the call because the check failed.
func (p *Plan) failTrust(err error) {
	const text = "whether the hooks may run cannot be found out, so every tool call is blocked: %v"
	p.trust.judgment = Judgment{Cause: p.trust.cause(), Reason: fmt.Sprintf(text, err), UserChanged: p.isPinned()}
}

func (g *trustState) cause() protocol.Cause {
	if g.required {
		return protocol.CauseUntrusted
	}
	return protocol.CauseChanged
}

// session returns the session that a call is pinned to. A client may name none, and its entry must judge the call all
// the same: then all such calls in the workspace are one session.
func (p *Plan) session() string {
	if p.call.SessionID == "" && p.runner.options.BlockUntilAllowed {
		return "without an id, in " + p.call.Workspace
	}
	return p.call.SessionID
}

// isPinned reports whether the call's session keeps the hooks of its first call.
func (p *Plan) isPinned() bool { return p.runner.options.Pin && p.session() != "" }

// pin records the hooks at the first call of a session.
func (p *Plan) pin() (err error) {
	g := &p.trust
	switch {
	case p.runner.options.Pin && !p.isPinned():
		return errors.New("--pin needs the id of the session; give --session-id, or leave --pin out")
	case !g.judgment.Unpinned:
		return nil
	}
	if g.judgment, err = g.files.Pin(g.judgment); err != nil {
		p.failTrust(err)
	}
	p.selectTrusted()
	return nil
}

// messages returns the message for the user of the call.
func (g *trustState) messages() []string {
	if g.message == "" {
		return nil
	}
	return []string{"hookrun: " + g.message}
}

// notices returns the texts for a person who asks what would happen.
func (g *trustState) notices() (texts []string) {
	switch j := &g.judgment; {
	case g.blocks.Cause != "":
		texts = append(texts, fmt.Sprintf("the call is blocked (%s): %s", g.blocks.Cause, g.blocks.Reason))
	case j.Cause != "":
		texts = append(texts, "this call is not blocked, but "+j.Reason)
	}
	if g.judgment.NotAllowedMessage != "" {
		texts = append(texts, g.judgment.NotAllowedMessage)
	}
	return texts
}

// untrustedReason returns why the trust check keeps a hook from running, or "" if the hook may run.
func (p *Plan) untrustedReason(h *hook.Hook) string {
	g := &p.trust
	switch {
	case g.blocks.Cause != "":
		return "the call is blocked before any hook runs: " + string(g.blocks.Cause)
	case !g.without || h.Level < hook.ProjectLevel && !p.mayBeOther(h):
		return ""
	case g.judgment.Cause == "":
		return "nobody has allowed the hooks of this project"
	}
	return "it may be another hook now: " + string(g.judgment.Cause)
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

// isTouched reports whether a hook that is about to run has changed since the call began, or is held and was selected
// only by a rewrite. It records why the call is blocked.
func (f *firing) isTouched(h *hook.Hook) bool {
	if f.trust.files == nil {
		return false
	}
	if f.isHeld(h) {
		j := f.trust.judgment.At([]string{h.Name})
		f.touched.CompareAndSwap(nil, &j)
		return true
	}
	return f.noteTouched(h, f.trust.files.ChangedBeforeRun(h))
}

// noteRewritten records a change of the files of a hook that has run, or of an async hook that was started.
func (f *firing) noteRewritten(h *hook.Hook) {
	if f.trust.files != nil {
		f.noteTouched(h, f.trust.files.ChangedDuringRun(h))
	}
}

// noteTouched records a changed path, and reports whether path is not "".
func (f *firing) noteTouched(h *hook.Hook, path string) bool {
	if path != "" {
		j := f.trust.files.ChangedWithin(h, path)
		j.Cause = f.trust.cause()
		f.touched.CompareAndSwap(nil, &j)
	}
	return path != ""
}

// blocked is the outcome of a call that is blocked whatever the hooks answered.
func (p *Plan) blocked(begin time.Time, ran []dialect.HookVerdict, cause protocol.Cause, reason string) Fired {
	o, _ := failedCall(&p.call, ran, cause, errors.New(reason))
	o.Duration = protocol.Milliseconds(time.Since(begin))
	return o
}
