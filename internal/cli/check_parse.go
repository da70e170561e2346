package cli

import (
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/hookfile"
)

// parsed is the output of check --parse: the hooks as loaded, in order.
type parsed struct {
	Version  int               `json:"version"`
	Files    []string          `json:"files"`
	Wrappers []string          `json:"wrappers,omitempty"`
	Hooks    []hookfile.Values `json:"hooks"`
	Warnings []hook.Diagnostic `json:"warnings"`
}

// parse loads files without a look at the files and programs of the hooks. An error is a hookfile.Diagnostics with the
// faults of all files.
func (c *checker) parse(files []hookfile.File) (*parsed, error) {
	cfg, err := c.LoadFiles(files)
	if err != nil {
		return nil, err
	}
	p := &parsed{Version: 1, Files: cfg.Paths(), Hooks: []hookfile.Values{}}
	p.Wrappers = cfg.Wrappers()
	p.Warnings = append([]hook.Diagnostic{}, cfg.Warned()...)
	for i := range cfg.Hooks {
		p.Hooks = append(p.Hooks, hookfile.Loaded(&cfg.Hooks[i]))
	}
	return p, nil
}
