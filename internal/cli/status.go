package cli

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/doctor"
	"github.com/hookrun/hookrun/internal/gate/engine"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/printable"
	"github.com/hookrun/hookrun/internal/spelling"
	"github.com/hookrun/hookrun/internal/trust"
	"github.com/hookrun/hookrun/protocol"
)

var status = command{
	name:    "status",
	args:    "[DIR] [FLAGS]",
	takes:   folders,
	summary: "show whether a project's hooks are those that were allowed",
	about: `Shows whether the hooks of the project are allowed, how they differ from what was allowed, and which
are switched off or only observe.
The exit code is
  0  allowed, or there are none
  1  hookrun could not do its work
  2  changed: with --trust required every call is blocked
  3  unknown: nobody has allowed them, and with --trust required they do not run`,
	example: "  hookrun status\n  hookrun status -o json",
	setup: func(flags *pflag.FlagSet) func([]string, Streams) (int, error) {
		var f callFlags
		f.defineFiles(flags)
		var output string
		defineOutput(flags, &output, "text", "json")
		return func(args []string, std Streams) (int, error) {
			if err := checkOutput(flags); err != nil {
				return 0, err
			}
			s, err := f.trustState(args)
			if err != nil {
				return 0, err
			}
			report, err := s.report()
			if err != nil {
				return 0, err
			}
			if err := report.addOff(s.config); err != nil {
				return 0, err
			}
			if output == "json" {
				return report.exit(), writeJSON(std, report)
			}
			return report.exit(), write(std, report.String())
		}
	},
}

// trustReport is the output of status.
type trustReport struct {
	Version     int                `json:"version"`
	Workspace   string             `json:"workspace"`
	Status      string             `json:"status"` // allowed, changed, unknown or none
	Hash        string             `json:"hash"`
	Allowed     *time.Time         `json:"allowed,omitempty"` // when a person allowed the hooks
	Differences []trust.Difference `json:"differences,omitempty"`
	Reason      string             `json:"reason,omitempty"` // why calls are blocked, or hooks do not run
	why         string             // Reason without the advice
	Files       []trust.File       `json:"files"`
	Programs    map[string]string  `json:"programs,omitempty"`
	Missing     []string           `json:"missing,omitempty"` // events without an entry of an installed client
	Off         []switchedOff      `json:"switched_off,omitempty"`
	Observe     []string           `json:"observe,omitempty"`    // hooks that only observe
	Unresolved  []string           `json:"unresolved,omitempty"` // commands that may run unrecorded files
}

// switchedOff is a hook that never runs, or a client that runs no hook.
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

// addOff adds hooks that a file switches off, hooks that only observe, and clients that do not run hookrun's entries.
func (r *trustReport) addOff(cfg *hookfile.Config) error {
	for i := range cfg.Hooks {
		if h := &cfg.Hooks[i]; h.Off() != "" && h.AtTools() {
			r.Off = append(r.Off, switchedOff{Hook: h.Name, Source: h.Source(), Why: h.Off()})
		}
	}
	if skip := os.Getenv(engine.SkipVariable); skip != "" {
		r.Off = append(r.Off, switchedOff{Hook: skip, Source: "$" + engine.SkipVariable,
			Why: "sessions of clients that start from here skip it"})
	}
	for _, d := range hook.Observing(cfg.Hooks, time.Now()) {
		r.Observe = append(r.Observe, d.Error())
	}
	project := doctor.Workspace{Folder: r.Workspace, Started: r.Workspace}
	d := doctor.Doctor{Getenv: os.Getenv, Look: exec.LookPath, Workspace: project}
	d.Home, _ = os.UserHomeDir()
	var err error
	d.Binary, err = ownPath()
	for _, f := range d.Switches() {
		client, _ := registry.Named(f.Client)
		r.Off = append(r.Off, switchedOff{Client: client.Files.Client, Source: f.Where, Why: f.What})
	}
	return err
}

func (s *trustState) report() (r trustReport, err error) {
	r = trustReport{Version: 1, Workspace: s.now.Workspace, Status: "none", Hash: s.now.Hash(),
		Files: append([]trust.File{}, s.now.Files...), Programs: s.now.Programs}
	j, err := s.store.Judge(s.now, trust.Rules{Required: true})
	switch {
	case j.Cause == protocol.CauseUntrusted:
		r.Status, r.Reason, r.why = "changed", j.Reason, j.Why
	case j.NotAllowedMessage != "":
		r.Status, r.Reason = "unknown", j.NotAllowedMessage
	case s.allowed != nil:
		r.Status = "allowed"
	}
	for _, m := range missingEvents(s.config, s.now.Workspace) {
		if !m.RunsElsewhere || m.Mend != "" {
			r.Missing = append(r.Missing, m.String())
		}
	}
	entries, ofClients := s.now.Unresolved(s.config)
	for _, d := range slices.Concat(entries, ofClients) {
		r.Unresolved = append(r.Unresolved, d.Error())
	}
	if s.allowed != nil {
		r.Allowed, r.Differences = &s.allowed.Time, s.now.Since(&s.allowed.Fingerprint)
	}
	return r, err
}

func (r *trustReport) exit() int {
	switch r.Status {
	case "changed":
		return exitBlock
	case "unknown":
		return 3
	}
	return exitOK
}

func (r *trustReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: ", printable.Escape(r.Workspace))
	switch {
	case r.Status == "none":
		b.WriteString("no hooks")
	case r.Status == "unknown":
		b.WriteString("unknown, nobody has allowed the hooks")
	case r.Allowed == nil:
		b.WriteString("changed, " + r.Reason)
	case r.Status == "allowed":
		fmt.Fprintf(&b, "allowed on %s", r.Allowed.Local().Format(time.DateTime))
	default:
		fmt.Fprintf(&b, "changed since it was allowed on %s", r.Allowed.Local().Format(time.DateTime))
	}
	b.WriteString("\n")
	for _, d := range r.Differences {
		fmt.Fprintf(&b, "  %s\n", d)
	}
	for _, off := range r.Off {
		fmt.Fprintf(&b, "  switched off: %s\n", printable.Escape(off.String()))
	}
	for _, text := range r.Observe {
		fmt.Fprintf(&b, "  only observed: %s\n", printable.Escape(text))
	}
	for _, text := range r.Unresolved {
		fmt.Fprintf(&b, "  unresolved: %s\n", printable.Escape(text))
	}
	fmt.Fprintf(&b, "hash %s\n", r.Hash)
	for _, text := range r.Missing {
		fmt.Fprintf(&b, "missing: %s\n", text)
	}
	return b.String()
}
