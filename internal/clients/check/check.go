// Package check finds the faults of hooks files and of the programs in them. No hook runs.
//
//	c := check.Checker{Options: options, Trust: trust}
//	files, err := c.Select(nil, &project)
//	report := c.Check(files, project.Workspace, &project)
package check

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/clients"
	"github.com/hookrun/hookrun/internal/clients/install"
	"github.com/hookrun/hookrun/internal/clients/parts"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/core/project"
	"github.com/hookrun/hookrun/internal/core/tenex"
)

// Report is the result of a check.
type Report struct {
	Version  int      `json:"version"`
	OK       bool     `json:"ok"`
	Files    []File   `json:"files"`
	Warnings []string `json:"warnings,omitempty"` // about no checked file
}

// File is a hooks file with its diagnostics.
type File struct {
	Path     string            `json:"file"`
	Level    hook.Level        `json:"level"`
	Hooks    int               `json:"hooks"`
	Errors   []hook.Diagnostic `json:"errors"`
	Warnings []hook.Diagnostic `json:"warnings"`
	Notes    []hook.Diagnostic `json:"notes,omitempty"` // possibly intended, so no warning

	Tally hook.Tally `json:"-"`
	Label string     `json:"-"` // the level, for a file in hookrun's own format
}

// HasWarnings reports whether anything has a warning.
func (r *Report) HasWarnings() bool {
	return len(r.Warnings) > 0 || slices.ContainsFunc(r.Files, func(f File) bool { return len(f.Warnings) > 0 })
}

// Trust is what trust says of hooks, outside of any call.
type Trust struct {
	// CannotStart returns why a hook could not start where trust is required.
	CannotStart func(h *hook.Hook, workspace, binary string) (errors, warnings []hook.Diagnostic)
	// Unresolved returns the commands whose files hookrun allow could not determine: of entries, and of clients' hooks.
	Unresolved func(hooks []hook.Hook, workspace, binary string) (entries, ofClients []hook.Diagnostic)
	// Cold returns why each one-shot call starts a persistent hook, or nil if the hook's processes stay between calls.
	Cold func(h *hook.Hook, workspace, binary string) error
}

// Checker checks the hooks files that a call would read with these options.
type Checker struct {
	hookfile.Options
	Trust Trust
}

// Select returns the files to check: those of all levels, or the named ones, with Claude Code's settings if the options
// have them. It completes the options and the project.
func (c *Checker) Select(named []string, p *project.Project) (there []hookfile.File, err error) {
	c.Workspace, c.Project, p.Configs = p.Workspace, &p.Project, named
	if len(named) == 0 {
		there, _, err = c.Find()
		return there, err
	}
	there = c.Named(named)
	if !c.Claude {
		return there, nil
	}
	settings, err := parts.All().ClaudeFiles(p.Workspace)
	for _, f := range settings {
		if !slices.Contains(named, f.Path) {
			there = append(there, f)
		}
	}
	return there, err
}

// Check checks files. workspace is the folder in which hooks run; "": the folder that each file belongs to.
func (c *Checker) Check(files []hookfile.File, workspace string, p *project.Project) *Report {
	r := &Report{Version: 1, OK: true, Files: []File{}}
	c.add(r, files, workspace)
	hooks := 0
	for _, f := range r.Files {
		hooks += f.Hooks + len(f.Errors) // a file that does not load may have hooks
	}
	p.FindAbove(hooks)
	r.Warnings = project.Texts(p.Remarks()...)
	return r
}

// add adds the files to a report.
func (c *Checker) add(r *Report, files []hookfile.File, workspace string) {
	var loaded []*hookfile.Config
	var reads []bool
	for _, file := range files {
		f := File{Path: file.Path, Level: file.Level, Errors: []hook.Diagnostic{},
			Warnings: []hook.Diagnostic{}}
		cfg, err := c.LoadFile(file)
		reads = append(reads, !f.addError(err))
		if err != nil {
			cfg = &hookfile.Config{}
		}
		f.warn(cfg.WarnedOfFiles())
		if cfg.Dialect == tenex.Dialect && f.Level != hook.ProjectLevel {
			f.Label = " (" + f.Level.String() + ")"
		}
		if cfg.ManagedOnly {
			f.Notes = append(f.Notes, hook.Diagnostic{File: f.Path, Text: project.OnlyNote})
		}
		if file.Level == hook.LocalLevel {
			f.Notes = append(f.Notes, gitNotes(file.Path)...)
		}
		loaded, r.Files = append(loaded, cfg), append(r.Files, f)
		if cfg.ManagedOnly {
			break
		}
	}
	all, unreached := hookfile.Merge(loaded)
	hooks := all.Hooks
	projectLoads := !slices.ContainsFunc(r.Files, func(f File) bool {
		return f.Level == hook.ProjectLevel && len(f.Errors) > 0
	})
	for i := range r.Files {
		f, n := &r.Files[i], len(loaded[i].Hooks)
		if reads[i] {
			f.check(all, hooks[:n], workspace, &c.Trust)
		}
		hooks = hooks[n:]
		for _, w := range unreached {
			if w.File == f.Path && projectLoads { // otherwise the project's hooks are unknown
				f.Warnings = append(f.Warnings, w)
			}
		}
		r.OK = r.OK && len(f.Errors) == 0
	}
}

// AddMissing adds the events whose hooks never run, because no installed client has an entry for them.
func (c *Checker) AddMissing(r *Report, there []hookfile.File, workspace string) {
	cfg, err := c.LoadFiles(there)
	if err != nil {
		return // already reported
	}
	for _, m := range install.MissingHere(cfg.Hooks, workspace) {
		for i := range r.Files {
			f := &r.Files[i]
			switch {
			case f.Path != m.Hook.File:
			case m.RunsElsewhere && m.Mend == "":
				f.Notes = append(f.Notes, m.Hook.Diagnostic(m.String()))
			case m.RunsElsewhere:
				f.Warnings = append(f.Warnings, m.Hook.Diagnostic(m.String()))
			default:
				r.OK = false
				f.Errors = append(f.Errors, m.Hook.Diagnostic(m.String()))
			}
		}
	}
}

// projectOf returns the folder in which the hooks of a file run, unless the caller names another: the file's folder, or
// the parent of a client's folder such as .claude. A plugin's file can be anywhere, so the hooks run in the current
// folder.
func projectOf(path string) string {
	folder := filepath.Dir(path)
	switch {
	case slices.Contains(clients.All().ClientNames(), strings.TrimPrefix(filepath.Base(folder), ".")):
		return filepath.Dir(folder)
	case parts.All().ClientProject(path) != "":
		return parts.All().ClientProject(path)
	case filepath.Base(path) == "hooks.json":
		return "."
	}
	return folder
}

// Parsed are hooks as they are loaded, in order.
type Parsed struct {
	Version  int               `json:"version"`
	Files    []string          `json:"files"`
	Wrappers []string          `json:"wrappers,omitempty"`
	Hooks    []hookfile.Values `json:"hooks"`
	Warnings []hook.Diagnostic `json:"warnings"`
}

// Parse loads files without a look at the files and programs of the hooks. An error is a hook.Diagnostics with the
// faults of all files.
func (c *Checker) Parse(files []hookfile.File) (*Parsed, error) {
	cfg, err := c.LoadFiles(files)
	if err != nil {
		return nil, err
	}
	p := &Parsed{Version: 1, Files: cfg.Paths(), Wrappers: cfg.Wrappers(), Hooks: []hookfile.Values{},
		Warnings: append([]hook.Diagnostic{}, cfg.Warned()...)}
	for i := range cfg.Hooks {
		p.Hooks = append(p.Hooks, hookfile.Loaded(&cfg.Hooks[i]))
	}
	return p, nil
}
