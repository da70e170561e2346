package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/clients/doctor"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/trust"
)

// State has a project's current hooks and allowed hooks.
type State struct {
	Config  *hookfile.Config
	Now     *trust.Fingerprint
	Store   *trust.Store
	Allowed *trust.Record // nil: never allowed
}

// Read reads the current hooks of a workspace.
func Read(store *trust.Store, cfg *hookfile.Config, workspace, binary string) (s State, err error) {
	s = State{Config: cfg, Store: store}
	look := trust.OutsideCall(workspace, binary)
	look.Texts = true
	if s.Now, err = trust.Take(cfg, look); err == nil {
		s.Allowed, err = store.Allowed(s.Now)
	}
	return s, err
}

// Trust returns the state of the hooks for hookrun doctor.
func (s *State) Trust() doctor.Trust {
	r, err := s.Report()
	if err != nil {
		return doctor.Trust{Problem: err.Error()}
	}
	t := doctor.Trust{Status: r.Status, Reason: r.why}
	if r.Allowed != nil {
		t.Allowed = *r.Allowed
	}
	return t
}

// Counted returns the number of the project's hooks, as a line.
func (s *State) Counted() string {
	return fmt.Sprintf("%s, in %s\n", hook.Count(s.Config.Hooks, hook.ProjectLevel, time.Now()),
		printable.Escape(s.Now.Workspace))
}

// Show returns the text for the person: first what has changed, then all hooks; the first time the hooks come first.
// unseen are the changed files whose change is not in the text.
func (s *State) Show() (text string, unseen []string, err error) {
	texts, err := s.Store.Texts(s.Now)
	if err != nil {
		return "", nil, err
	}
	changes, unseen := s.Now.Diff(s.Allowed, texts)
	hooks, since := s.list(time.Now()), ", which nobody has allowed yet"
	if s.Allowed == nil {
		changes = hooks + "\nThe texts:\n" + changes
	} else {
		since = ", last allowed " + s.Allowed.Time.Local().Format(time.DateTime)
		if changes == "" {
			changes = "no text has changed since\n"
		}
		for _, d := range s.Now.Since(&s.Allowed.Fingerprint) {
			since += "\n  " + d.String()
		}
		changes += "\n" + hooks
	}
	return fmt.Sprintf("hooks of %s%s\n\n%s\nhash %s\n", printable.Escape(s.Now.Workspace), since, changes,
		s.Now.Hash()), unseen, nil
}

// list returns the project's hooks as text: first commands, with their files, then rules, in
// short if they are of packs.
func (s *State) list(now time.Time) (text string) {
	const most = 50 // rules: a command must not be lost among them
	var commands, ofPacks string
	var rules []string
	var packs []string
	var packed []hook.Hook
	for i := range s.Config.Hooks {
		h := &s.Config.Hooks[i]
		_, holds := h.EffectAt(now)
		shown := describe(h, holds)
		switch pack, _, _ := strings.Cut(h.Name, "/"); {
		case h.Level < hook.ProjectLevel:
		case h.PackRule() != nil:
			if packed = append(packed, *h); !slices.Contains(packs, pack) {
				packs = append(packs, pack)
			}
			if holds != "" {
				ofPacks += "    " + h.Name + ": " + printable.Escape(holds) + "\n"
			}
		case h.Rule() != nil:
			rules = append(rules, shown)
		default:
			files := cmp.Or(strings.Join(s.Now.Named(h), ", "), "no file of the project")
			commands += shown + "    watched: " + printable.Escape(files) + "\n"
		}
	}
	if commands != "" {
		text = "Commands that run:\n" + commands
	}
	if packed != nil {
		ofPacks = fmt.Sprintf("  packs %s: %s\n%s", strings.Join(packs, ", "),
			hook.Count(packed, hook.ProjectLevel, now), ofPacks)
	}
	if more := len(rules) - most; more > 0 {
		rules = append(rules[:most], fmt.Sprintf("  and %d more\n", more))
	}
	if packed != nil || rules != nil {
		text += "Rules, which run nothing:\n" + ofPacks + strings.Join(rules, "")
	}
	if text == "" {
		return "no hooks\n"
	}
	return text + "After a change of a watched file the calls of its hook are blocked until hookrun allow; of a " +
		"hooks file,\nevery tool call.\n"
}

// describe returns the lines about a hook. holds is the reason why the hook does not act, or "".
func describe(h *hook.Hook, holds string) string {
	var events []string
	for _, e := range h.Events {
		events = append(events, string(e))
	}
	if holds != "" {
		holds = ", " + holds
	}
	at := fmt.Sprintf("  %s (%s) at %s%s", h.Name, h.Source(), strings.Join(events, ", "), holds)
	at, _ = printable.Fold(at)
	what, _ := printable.Fold(h.String())
	return at + "\n    " + what + "\n"
}
