package hookfile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
)

// The values of "trust" in a hooks file.
const (
	TrustOff      = "off"
	TrustRequired = "required"
)

// FileName is the hooks file of a workspace.
const FileName = ".tenex-hooks.json"

// Config is the hooks of one or more files, in order. The zero Config has no hooks.
type Config struct {
	Hooks    []hook.Hook
	Files    []File            // the files read, in the order of their hooks
	Absent   []File            // missing files: Load would have read them
	Warnings []hook.Diagnostic // faults of files that load all the same

	Trust       string // the "trust" of the user's or the managed file: off, required, or "" without one
	ManagedOnly bool   // the managed file leaves out all other files
	// Main is the folder of the project, if it was found from a linked worktree, and Worktree the folder there.
	Main, Worktree string

	Dialect *dialect.Dialect // the form of the file; nil for several files

	parts    Parts                                   // that the files were read with
	tools    []levelTools                            // of each file with "tools", in the order of the files
	toolsAt  []*dialect.FileTools                    // index: how many of tools are of the hook's level or above
	wrappers []string                                // programs that run the command in their arguments
	disable  []disabledName                          // of local files
	agents   []string                                // of files with hooks for single agents
	settings map[*dialect.Files]*hook.ClientSettings // of files in clients' forms
}

// Add appends the hooks of another file. Settings of that file for all hooks of its client override the settings of
// files added before.
func (c *Config) Add(more *Config) {
	sources := map[string]string{} // position of the first hook of each name
	keys := map[string]bool{}      // of equal hooks, which may have one name
	for i := len(c.Hooks) - 1; i >= 0; i-- {
		sources[c.Hooks[i].Name], keys[c.Hooks[i].DedupKey] = c.Hooks[i].Source(), c.Hooks[i].DedupKey != ""
	}
	for i := range more.Hooks {
		h := &more.Hooks[i]
		isEntry := h.Form == nil || h.Dialect.Own != nil // in clients' forms hooks need no names
		if source, ok := sources[h.Name]; ok && isEntry && !h.Unnamed && h.PackRule() == nil && !keys[h.DedupKey] {
			c.Warnings = append(c.Warnings, duplicateName(h, source))
			delete(sources, h.Name) // the parser has warned about further hooks of this name
		}
	}
	c.Hooks = append(slices.Clip(c.Hooks), more.Hooks...)
	if c.parts == (Parts{}) {
		c.parts = more.parts
	}
	if c.Dialect = nil; len(c.Files) == 0 {
		c.Dialect = more.Dialect
	}
	c.Files = append(c.Files, more.Files...)
	c.Absent = append(c.Absent, more.Absent...)
	c.agents = append(c.agents, more.agents...)
	c.disable = append(c.disable, more.disable...)
	if c.ManagedOnly = c.ManagedOnly || more.ManagedOnly; c.Trust == "" || more.Trust == TrustRequired {
		c.Trust = cmp.Or(more.Trust, c.Trust) // no file weakens trust
	}
	c.Warnings = append(c.Warnings, more.Warnings...)
	c.tools = append(slices.Clip(c.tools), more.tools...)
	c.wrappers = union(c.wrappers, more.wrappers)
	settings := maps.Clone(c.settings)
	for f, s := range more.settings {
		if settings == nil {
			settings = map[*dialect.Files]*hook.ClientSettings{}
		}
		settings[f] = settings[f].OverriddenBy(s)
	}
	c.settings = settings
	for i := range c.Hooks {
		if h := &c.Hooks[i]; h.Settings != nil {
			h.Settings = settings[h.Form]
		}
	}
	c.shareTools()
}

// union returns the names of both lists without duplicates.
func union(names, more []string) []string {
	names = slices.Clip(names)
	for _, name := range more {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// HasLevel reports whether a file of a level was read.
func (c *Config) HasLevel(l hook.Level) bool {
	return slices.ContainsFunc(c.Files, func(f File) bool { return f.Level == l })
}

// Wrappers returns the programs in the files' "wrappers", which run the command in their arguments.
func (c *Config) Wrappers() []string { return c.wrappers }

// Paths returns the paths of the files read.
func (c *Config) Paths() []string {
	paths := make([]string, len(c.Files))
	for i := range c.Files {
		paths[i] = c.Files[i].Path
	}
	return paths
}

// Warned returns all warnings, including warnings about names of tools and about hooks that are switched off.
func (c *Config) Warned() []hook.Diagnostic {
	warnings := c.WarnedOfFiles()
	for i := range c.Hooks {
		warnings = append(warnings, c.doubtsInCalls(&c.Hooks[i])...)
	}
	return warnings
}

// WarnedOfFiles is Warned without the warnings about names of tools.
func (c *Config) WarnedOfFiles() []hook.Diagnostic {
	warnings := slices.Clip(c.Warnings)
	if len(c.settings) == 0 {
		return warnings
	}
	for _, d := range c.Clients().Forms() {
		if s := c.settings[d.Files]; s.AllOff() {
			warnings = append(warnings, s.OffAt)
		}
	}
	return warnings
}

// UnknownAgent returns a warning if the files have hooks for single agents and do not know this agent: a misspelt name
// may have lost a gate.
func (c *Config) UnknownAgent(agent string) (warning string, unknown bool) {
	if len(c.agents) == 0 || slices.Contains(c.agents, agent) {
		return "", false
	}
	return fmt.Sprintf("the agent %s is none of the hooks files' (%s), so only hooks for all agents run",
		quote(agent), brief(strings.Join(c.agents, ", "))), true
}

// duplicateName returns the warning that the hook at position other has the same name as h.
func duplicateName(h *hook.Hook, other string) hook.Diagnostic {
	return h.Diagnostic(fmt.Sprintf("hook %s: the hook of %s has the same name; reports will not tell them apart",
		quote(h.Name), other))
}
