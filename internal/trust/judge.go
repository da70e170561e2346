package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/shellword"
	"github.com/hookrun/hookrun/protocol"
)

// Rules say what Judge checks.
type Rules struct {
	Required bool // a project's hooks run only if a person has allowed them
	Pin      bool // a session keeps the hooks of its first call
	Session  string
}

// Check is the check of trust for engine.Options: it compares the hooks of a call with the records in a state folder.
func Check(cfg *hookfile.Config, c *engine.TrustCall) (engine.TrustFiles, engine.Judgment, error) {
	var store *Store
	var err error
	if c.Required || c.Pin {
		if store, err = Open(c.StateDir, c.Workspace); err != nil {
			return nil, engine.Judgment{}, err
		}
	}
	o := Options{Workspace: c.Workspace, Dir: c.Dir, Worktree: c.Worktree, Environ: c.Environ, Hooks: c.Hooks,
		Store: store, AllLevels: store == nil}
	if c.Pin {
		o.Session = c.Session
	}
	now, err := Take(cfg, o)
	if err != nil {
		return nil, engine.Judgment{}, err
	}
	checked := checkedFiles{now, store, Rules{Required: c.Required, Pin: c.Pin, Session: c.Session}}
	if store == nil { // nothing to compare with
		return checked, engine.Judgment{}, nil
	}
	j, err := store.Judge(now, checked.rules)
	return checked, j, err
}

// checkedFiles are the files of a call's hooks.
type checkedFiles struct {
	*Fingerprint
	store *Store
	rules Rules
}

// Pin is Store.Pin by the rules of the call.
func (c checkedFiles) Pin(j engine.Judgment) (engine.Judgment, error) {
	return c.store.Pin(c.Fingerprint, c.rules, j)
}

// of returns the differences that concern some hooks, with these hooks alone.
func of(hooks []string, differences []Difference) (held []Difference) {
	isFor := func(name string) bool { return slices.Contains(hooks, name) }
	for _, d := range differences {
		if slices.ContainsFunc(d.Hooks, isFor) {
			d.Hooks = slices.DeleteFunc(slices.Clone(d.Hooks), func(name string) bool { return !isFor(name) })
			held = append(held, d)
		}
	}
	return held
}

// Judge compares the hooks with their records. It changes no record.
func (s *Store) Judge(f *Fingerprint, r Rules) (engine.Judgment, error) {
	allowed, err := s.record(allowedFolder, f.key(), f)
	if err != nil {
		return engine.Judgment{}, err
	}
	var j engine.Judgment
	if r.Required {
		if j, err = s.judgeTrust(f, allowed); err != nil {
			return j, err
		}
	}
	if !r.Pin {
		return j, nil
	}
	if unseen := f.unseen(); unseen != nil && j.Cause == "" && j.NotAllowedMessage == "" {
		return f.changed(protocol.CauseChanged, "the hooks of %s can change unseen: %s", unseen), nil
	}
	same := f
	if j.NotAllowedMessage != "" {
		same = nil // read the whole record
	}
	pinned, err := s.record(sessionsFolder, r.Session, same)
	if err != nil {
		return engine.Judgment{}, err
	}
	decided := j.Cause != "" && j.Held == nil
	if pinned == nil {
		j.Unpinned = !decided
		return j, nil
	}
	if pinned.Allowed && j.NotAllowedMessage != "" {
		const text = "the hooks of %s were allowed when this session began, and are not any more"
		j, decided = blocked(protocol.CauseChanged, fmt.Sprintf(text, f.shown()), everyCall, f.mend()), true
	}
	if decided {
		j.UserChanged = slices.ContainsFunc(f.SinceAtAnyLevel(&pinned.Fingerprint), isOuter)
		return j, nil
	}
	return s.judgePin(f, pinned, j, r.Required)
}

func isOuter(d Difference) bool { return d.outer }

func (s *Store) judgeTrust(f *Fingerprint, allowed *Record) (j engine.Judgment, err error) {
	if f.worktree != "" {
		if above, err := s.above(f.worktree); err != nil || above != "" && !inside(f.Workspace, above) {
			what, mend := f.foreignReason(above)
			return blocked(protocol.CauseUntrusted, what, everyCall, mend), err
		}
	}
	if allowed != nil {
		if differences := f.Since(&allowed.Fingerprint); len(differences) > 0 {
			const text = "the hooks of %s are not those that were allowed: %s"
			j = f.changed(protocol.CauseUntrusted, text, differences)
		}
		return j, nil
	}
	if above, err := s.above(f.Workspace); err != nil || above != "" {
		what, mend := f.parentReason(above)
		return blocked(protocol.CauseUntrusted, what, everyCall, mend), err
	}
	if moved, err := s.moved(f); err != nil || moved != "" {
		what := fmt.Sprintf("%s was allowed, and is %s now", printable.Escape(moved), f.shown())
		return blocked(protocol.CauseUntrusted, what, everyCall, f.mend()), err
	}
	if path := f.changeableByOthers(); path != "" {
		const text = "another user can change the hooks file %s, and nobody has allowed it"
		return blocked(protocol.CauseUntrusted, fmt.Sprintf(text, printable.Escape(path)), everyCall, f.mend()), nil
	}
	if f.HasHooks() {
		const text = "the hooks of %s do not run, since nobody has allowed them; look at them and run: %s " +
			"(there is no record of them in %s)"
		j.NotAllowedMessage = fmt.Sprintf(text, f.shown(), command("allow", f.Workspace), printable.Escape(s.folder))
	}
	return j, nil
}

// changed returns the Judgment of hooks with differences, which text names behind the workspace.
func (f *Fingerprint) changed(cause protocol.Cause, text string, differences []Difference) engine.Judgment {
	var held []string
	for _, d := range differences { // those that concern every tool call are the first
		held = append(held, d.Hooks...)
	}
	scope := everyCall
	if differences[0].Hooks == nil {
		held = nil
	} else {
		slices.Sort(held)
		held = slices.Compact(held)
		if on := slices.DeleteFunc(slices.Clone(held), f.isOff); len(on) > 0 {
			scope = "calls for " + hookNames(on) + " are blocked"
		} else {
			scope = "no call is blocked while " + hookNames(held) + " is switched off"
		}
	}
	j := blocked(cause, fmt.Sprintf(text, f.shown(), list(differences)), scope, f.mend())
	j.UserChanged = slices.ContainsFunc(differences, isOuter)
	if j.Held = held; held != nil {
		j.HeldAt = func(hooks []string) engine.Judgment {
			if held := of(hooks, differences); held != nil {
				return f.changed(cause, text, held)
			}
			return engine.Judgment{}
		}
	}
	return j
}

// isOff reports whether no hook of a name is switched on.
func (f *Fingerprint) isOff(name string) bool {
	return !slices.ContainsFunc(f.hooks, func(h hook.Hook) bool { return h.Name == name && h.Disabled == "" })
}

const everyCall = "every tool call is blocked"

// blocked returns a Judgment that blocks calls, with the reason, the blocked calls and the remedy.
func blocked(c protocol.Cause, why, scope, mend string) engine.Judgment {
	why += ", so " + scope
	return engine.Judgment{Cause: c, Reason: why + "; " + mend, Why: why, Scope: scope}
}

// parentReason returns why the allowed hooks of a folder above do not run here, and the remedy.
func (f *Fingerprint) parentReason(folder string) (what, mend string) {
	file := filepath.Join(folder, hookfile.FileName)
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return printable.Escape(file) + " is gone, which was allowed",
			"a person must put it back, or run: " + command("deny", folder)
	}
	const text = "the hooks of %s were allowed and are for this folder too, but %s has others, or none"
	return fmt.Sprintf(text, printable.Escape(folder), f.shown()), f.mend()
}

// foreignReason returns why the hooks of another repository do not run in a worktree in an allowed project, and the
// remedy.
func (f *Fingerprint) foreignReason(folder string) (what, mend string) {
	const text = "the hooks of %s were allowed and are for this folder too, but %s is a worktree of %s"
	return fmt.Sprintf(text, printable.Escape(folder), printable.Escape(f.worktree), f.shown()),
		"a person must give the worktree a hooks file of its own, and run: " + command("allow", f.worktree)
}

// above returns the nearest folder above with allowed hooks that count in subfolders, or else the nearest one in the
// main worktree.
func (s *Store) above(folder string) (string, error) {
	for _, at := range []string{filepath.Dir(folder), hookfile.InMainWorktree(folder)} {
		for ; at != "" && at != filepath.Dir(at); at = filepath.Dir(at) {
			r, err := s.record(allowedFolder, at, nil)
			if err != nil {
				return at, err
			}
			if r != nil && r.HasHooks() && (r.Repository || hookfile.InRepository(at, "") ||
				r.AppliesInSubfolders && !hookfile.InRepository(folder, at)) {
				return at, nil
			}
		}
	}
	return "", nil
}

// judgePin compares the hooks with those at the start of the session, or with hooks allowed since then. j is the
// result of judgeTrust, if trust is required.
func (s *Store) judgePin(f *Fingerprint, pinned *Record, j engine.Judgment, required bool) (engine.Judgment, error) {
	const text = "the hooks of %s changed within this session: %s"
	differences := f.SinceAtAnyLevel(&pinned.Fingerprint)
	if len(differences) == 0 {
		return j, nil
	}
	allowed, err := s.Allowed(f)
	if err != nil {
		return j, err
	}
	if allowed != nil && allowed.Time.After(pinned.Time) {
		if differences = f.SinceAtAnyLevel(&allowed.Fingerprint); len(differences) == 0 {
			return j, nil
		}
	}
	if j.NotAllowedMessage != "" { // none of the hooks runs, so every tool call is blocked
		for i := range differences {
			differences[i].Hooks = nil
		}
	}
	now := f.changed(protocol.CauseChanged, text, differences)
	if required && now.Held != nil { // judgeTrust compared the files with those that a person has allowed
		return j, nil
	}
	return now, nil
}

// ChangedWithin returns the Judgment of a call without its cause, after a file of a hook changed while the hooks ran.
func (f *Fingerprint) ChangedWithin(h *hook.Hook, path string) engine.Judgment {
	what := fmt.Sprintf("%s was changed while the hooks of this call ran (%s)", printable.Escape(path),
		hookNames([]string{h.Name}))
	return blocked("", what, "nobody knows what did run", f.mend())
}

// Pin records the hooks at a session's first call, or compares them with the record of a quicker process.
func (s *Store) Pin(f *Fingerprint, r Rules, j engine.Judgment) (engine.Judgment, error) {
	path, err := s.path(sessionsFolder, r.Session, ".json")
	if err != nil {
		return engine.Judgment{}, err
	}
	record := newRecord(f)
	record.Allowed = r.Required && j.NotAllowedMessage == "" && f.HasHooks()
	text, err := record.document()
	if err != nil {
		return engine.Judgment{}, err
	}
	// Write under another name first, so no process reads half a record.
	temporary, err := os.CreateTemp(filepath.Dir(path), ".new.")
	if err != nil {
		return engine.Judgment{}, fmt.Errorf("recording the session: %w", err)
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.WriteString(text)
	if err = errors.Join(err, temporary.Close()); err != nil {
		return engine.Judgment{}, fmt.Errorf("recording the session: %w", err)
	}
	switch err := os.Link(temporary.Name(), path); {
	case errors.Is(err, fs.ErrExist):
		return s.Judge(f, r)
	case err != nil:
		return engine.Judgment{}, fmt.Errorf("recording the session: %w", err)
	}
	j.Unpinned = false
	return j, nil
}

func (f *Fingerprint) shown() string { return printable.Escape(f.Workspace) }

// command returns a command line for a person.
func command(name, folder string) string {
	return "hookrun " + name + " " + printable.Escape(shellword.Local(folder))
}

func (f *Fingerprint) mend() string {
	return "a person must look at them and run: " + command("allow", f.Workspace)
}
