// Package report shows a person, or the run log, whether a person has allowed a project's hooks: the text
// before hookrun allow, hookrun status, and heartbeats.
package report

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/doctor"
	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/printable"
	"github.com/hookrun/hookrun/internal/lib/shellword"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/record/runlog"
	"github.com/hookrun/hookrun/internal/trust"
	"github.com/hookrun/hookrun/protocol"
)

// Report says whether a person has allowed the hooks, and which present run the hooks: the output of hookrun status.
type Report struct {
	Version     int                `json:"version"`
	Workspace   string             `json:"workspace"`
	Status      string             `json:"status"` // allowed, changed, unknown or none
	Hash        string             `json:"hash"`
	Allowed     *time.Time         `json:"allowed,omitempty"` // when a person allowed the hooks
	Differences []trust.Difference `json:"differences,omitempty"`
	Reason      string             `json:"reason,omitempty"` // why calls are blocked, or hooks do not run
	why, scope  string             // Reason without the advice, and the calls that are blocked
	Files       []trust.File       `json:"files"`
	Programs    map[string]string  `json:"programs,omitempty"`
	Missing     []string           `json:"missing,omitempty"` // events without an entry of an installed client
	Off         []switchedOff      `json:"switched_off,omitempty"`
	Observe     []string           `json:"observe,omitempty"`    // observing hooks
	Unresolved  []string           `json:"unresolved,omitempty"` // commands that may run unrecorded files
	tally       hook.Tally
	runlog.Facts
}

// switchedOff is a hook or a client that a file switches off.
type switchedOff struct {
	Hook   string `json:"hook,omitempty"`
	Client string `json:"client,omitempty"`
	Source string `json:"source"`
	Why    string `json:"why"`
}

func (s switchedOff) String() string {
	if s.Client != "" {
		return fmt.Sprintf("%s (%s): %s", s.Client, s.Source, s.Why)
	}
	return fmt.Sprintf("hook %s (%s): %s", spelling.Quote(s.Hook), s.Source, s.Why)
}

// AddOff adds hooks that a file switches off, observing hooks, and present that do not run hookrun's entries.
func (r *Report) AddOff(s *State, m Machine) error {
	cfg := s.Config
	for i := range cfg.Hooks {
		if h := &cfg.Hooks[i]; h.Off() != "" && h.AtTools() {
			r.Off = append(r.Off, switchedOff{Hook: h.Name, Source: h.Source(), Why: h.Off()})
		}
	}
	if skip := os.Getenv(engine.SkipVariable); skip != "" {
		r.Off = append(r.Off, switchedOff{Hook: skip, Source: "$" + engine.SkipVariable,
			Why: "sessions of present that start from here skip it"})
	}
	for _, d := range hook.Observing(cfg.Hooks, time.Now()) {
		r.Observe = append(r.Observe, d.Error())
	}
	present, err := r.addFacts(s, m)
	for _, c := range present {
		client, _ := clients.All().Named(c.Name)
		for _, f := range c.Off {
			r.Off = append(r.Off, switchedOff{Client: client.Files.Client, Source: f.Where, Why: f.What})
		}
	}
	return err
}

// Report compares the hooks with the allowed hooks.
func (s *State) Report() (r Report, err error) {
	r = Report{Version: 1, Workspace: s.Now.Workspace, Status: "none", Hash: s.Now.Hash(),
		Files: append([]trust.File{}, s.Now.Files...), Programs: s.Now.Programs}
	j, err := s.Store.Judge(s.Now, trust.Rules{Required: true})
	switch {
	case j.Cause == protocol.CauseUntrusted:
		r.Status, r.Reason, r.why = "changed", j.Reason, j.Why
		r.scope = j.Scope
	case j.NotAllowedMessage != "":
		r.Status, r.Reason = "unknown", j.NotAllowedMessage
	case s.Allowed != nil:
		r.Status = "allowed"
	}
	for _, m := range install.MissingHere(s.Config.Hooks, s.Now.Workspace) {
		if !m.RunsElsewhere || m.Mend != "" {
			r.Missing = append(r.Missing, m.String())
		}
	}
	entries, ofClients := s.Now.Unresolved(s.Config)
	for _, d := range slices.Concat(entries, ofClients) {
		r.Unresolved = append(r.Unresolved, d.Error())
	}
	if s.Allowed != nil {
		r.Allowed, r.Differences = &s.Allowed.Time, s.Now.Since(&s.Allowed.Fingerprint)
	}
	return r, err
}

func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: ", printable.Escape(r.Workspace))
	switch {
	case r.Status == "none":
		b.WriteString("no hooks")
	case r.Status == "unknown":
		b.WriteString("unknown, nobody has allowed the hooks")
	case r.Allowed == nil, r.Status == "changed" && len(r.Differences) == 0:
		b.WriteString("changed, " + r.Reason)
	case r.Status == "allowed":
		fmt.Fprintf(&b, "allowed on %s", r.Allowed.Local().Format(time.DateTime))
	default:
		fmt.Fprintf(&b, "changed since it was allowed on %s", r.Allowed.Local().Format(time.DateTime))
	}
	b.WriteString("\n")
	if r.Status != "none" {
		fmt.Fprintf(&b, "  %s\n", r.tally)
	}
	for _, d := range r.Differences {
		fmt.Fprintf(&b, "  %s\n", d)
	}
	if r.scope != "" && len(r.Differences) > 0 {
		fmt.Fprintf(&b, "  so, where trust is required, %s\n", r.scope)
	}
	for _, off := range r.Off {
		fmt.Fprintf(&b, "  switched off: %s\n", printable.Escape(off.String()))
	}
	for _, text := range r.Observe {
		fmt.Fprintf(&b, "  observe: %s\n", printable.Escape(text))
	}
	for _, text := range r.Unresolved {
		fmt.Fprintf(&b, "  unresolved: %s\n", printable.Escape(text))
	}
	fmt.Fprintf(&b, "hash %s\n", r.Hash)
	if r.Status == "unknown" || len(r.Differences) > 0 {
		fmt.Fprintf(&b, "next: hookrun allow %s, which shows them first\n",
			printable.Escape(shellword.Local(r.Workspace)))
	}
	for _, text := range r.Missing {
		fmt.Fprintf(&b, "missing: %s\n", text)
	}
	return b.String()
}

// Line returns one line for a status bar.
func (r *Report) Line(now time.Time) string {
	hooks := r.tally.String()
	switch r.Status {
	case "allowed":
		hooks += ", allowed"
	case "unknown":
		hooks += ", NOT ALLOWED"
	case "changed":
		hooks += ", CHANGED"
	}
	var on, off []string
	for _, c := range r.Clients {
		switch {
		case len(c.Entries) == 0:
		case len(c.Off) > 0:
			off = append(off, c.Name+" SWITCHED OFF")
		case c.Canary != nil && !c.Canary.OK:
			off = append(off, c.Name+" FAILED THE TEST CALL")
		default:
			on = append(on, c.Name)
		}
	}
	present := strings.Join(append(on, off...), ", ")
	if present == "" {
		present = "no client runs it"
	}
	last := "no call known"
	if r.LastCall != nil {
		last = "last call " + doctor.Ago(now.Sub(*r.LastCall))
	}
	return "hookrun: " + hooks + "; " + present + "; " + last
}
