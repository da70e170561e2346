package hookfile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/hook"
)

// What "trust" may be.
const (
	TrustOff      = "off"
	TrustRequired = "required"
)

// FileName is the hooks file of a workspace.
const FileName = ".tenex-hooks.json"

// Config is the hooks of one or more files, in order. The zero Config has none.
type Config struct {
	Hooks    []hook.Hook
	Files    []File            // that were read, in the order of their hooks
	Absent   []File            // that would have been read, had they been there
	Warnings []hook.Diagnostic // what is odd but loads

	Trust string // what the user's file or the managed one says of "trust": off, required, or "" for neither
	Only  bool   // the managed file leaves all others out

	Dialect *dialect.Dialect // whose form the file is in; nil where it is not one file

	tools    []levelTools                            // of each file that has "tools", in the order of the files
	toolsAt  []*dialect.FileTools                    // as hooks see them, by how many of those are of no lower level
	wrappers []string                                // programs that run the command in their arguments
	disable  []disabledName                          // of local files
	agents   []string                                // of files in which hooks are not the same for all agents
	settings map[*dialect.Files]*hook.ClientSettings // of the files in clients' forms
}

// Add appends the hooks of another file. Settings of its own that concern all hooks of its client win over those of
// files that were added before.
func (c *Config) Add(more *Config) {
	sources := map[string]string{} // of the first hook of each name
	for i := len(c.Hooks) - 1; i >= 0; i-- {
		sources[c.Hooks[i].Name] = c.Hooks[i].Source()
	}
	for i := range more.Hooks {
		h := &more.Hooks[i]
		isEntry := h.Form == nil || h.Dialect.Own != nil // in clients' forms hooks need no names
		if source, ok := sources[h.Name]; ok && isEntry && !h.Unnamed && h.Rule == nil {
			c.Warnings = append(c.Warnings, sameName(h, source))
			delete(sources, h.Name) // its own file warns of the next
		}
	}
	c.Hooks = append(slices.Clip(c.Hooks), more.Hooks...)
	if c.Dialect = nil; len(c.Files) == 0 {
		c.Dialect = more.Dialect
	}
	c.Files = append(c.Files, more.Files...)
	c.Absent = append(c.Absent, more.Absent...)
	c.agents = append(c.agents, more.agents...)
	c.disable = append(c.disable, more.disable...)
	if c.Only = c.Only || more.Only; c.Trust == "" || more.Trust == TrustRequired { // nobody weakens another's
		c.Trust = cmp.Or(more.Trust, c.Trust)
	}
	c.Warnings = append(c.Warnings, more.Warnings...)
	c.tools = append(slices.Clip(c.tools), more.tools...)
	c.wrappers = union(c.wrappers, more.wrappers)
	all := maps.Clone(c.settings)
	for f, s := range more.settings {
		if all == nil {
			all = map[*dialect.Files]*hook.ClientSettings{}
		}
		all[f] = all[f].Under(s)
	}
	c.settings = all
	for i := range c.Hooks {
		if h := &c.Hooks[i]; h.Settings != nil {
			h.Settings = all[h.Form]
		}
	}
	c.share()
}

// union returns the names of both lists, each once.
func union(names, more []string) []string {
	names = slices.Clip(names)
	for _, name := range more {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Wrappers are the programs that the files name as ones that run the command in their arguments.
func (c *Config) Wrappers() []string { return c.wrappers }

// Paths are those of the files that were read.
func (c *Config) Paths() []string {
	paths := make([]string, len(c.Files))
	for i := range c.Files {
		paths[i] = c.Files[i].Path
	}
	return paths
}

// Warned are the warnings, with those about names of tools and that hooks are switched off, if they are.
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
	for _, d := range registry.WithFiles() {
		if s := c.settings[d.Files]; s.AllOff() {
			warnings = append(warnings, s.OffAt)
		}
	}
	return warnings
}

// UnknownAgent warns of a call by an agent that the files do not know, if they have hooks for some agents only: a
// misspelt name may have lost a gate.
func (c *Config) UnknownAgent(agent string) (warning string, unknown bool) {
	if len(c.agents) == 0 || slices.Contains(c.agents, agent) {
		return "", false
	}
	return fmt.Sprintf("the agent %s is none of the hooks files' (%s), so only hooks for all agents run",
		quote(agent), brief(strings.Join(c.agents, ", "))), true
}

// sameName is the warning that there is another hook of its name at other.
func sameName(h *hook.Hook, other string) hook.Diagnostic {
	return h.Diagnostic(fmt.Sprintf("hook %s: the hook of %s has the same name; reports will not tell them apart",
		quote(h.Name), other))
}
