// Package host has what host programs in Go need of a Config, and the binary does not.
package host

import (
	"slices"
	"sync"

	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/protocol"
)

// Config is the type from which hooks.Config is defined. The latter has no method that returns the inner Config:
// hookrun's own packages convert to this type, and no other module can.
type Config struct {
	config *hookfile.Config
	trust  engine.TrustCheck
	dir    string // folder of the project; "": no file was read
	begin  sync.Once
	files  *hookfile.Snapshot
}

// Parts are all that a program can hand to the loader: for the loader and, as Trust, for the Runner.
type Parts struct {
	hookfile.Parts
	Trust engine.TrustCheck // nil: a Runner that must check trust blocks every call
}

// Part is the type from which hooks.Part is defined. The zero Part adds nothing.
type Part struct{ add func(*Parts) }

// NewPart returns the Part that adds something to the Parts.
func NewPart(add func(*Parts)) Part { return Part{add} }

// AddTo adds the part.
func (p Part) AddTo(all *Parts) {
	if p.add != nil {
		p.add(all)
	}
}

// New returns the Config for files of the project in dir, which were read with the parts; "": no file was read.
func New(c *hookfile.Config, p Parts, dir string) *Config {
	return &Config{config: c, trust: p.Trust, dir: dir}
}

// Trust returns the check of trust that was handed to the loader, or nil.
func (p *Config) Trust() engine.TrustCheck {
	if p == nil {
		return nil
	}
	return p.trust
}

// Config returns the inner Config, or nil if p is nil or zero.
func (p *Config) Config() *hookfile.Config {
	if p == nil {
		return nil
	}
	return p.config
}

// Dir returns the folder of the project, or "" if no file was read.
func (p *Config) Dir() string { return p.dir }

// Snapshot returns the Snapshot of the files, the same at each call. A Config from a parsed text has no files.
func (p *Config) Snapshot() *hookfile.Snapshot {
	p.begin.Do(func() {
		if p.files = new(hookfile.Snapshot); p.dir != "" {
			p.files = hookfile.NewSnapshot(p.config)
		}
	})
	return p.files
}

// Info is hooks.HookInfo: the facts about a hook for host programs.
type Info struct {
	Name    string
	Source  string
	Level   string
	Events  []protocol.Event
	Matcher string
	If      string
	Command string
	Runs    bool
	Why     string
}

// InfoOf returns the facts about a hook as its file states them.
func InfoOf(h *hook.Hook) Info {
	i := Info{
		Name: h.Name, Source: h.Source(), Level: h.Level.String(), Events: slices.Clone(h.Events), If: h.IfText(),
		Command: h.String(), Runs: h.Disabled == "", Why: h.Disabled,
	}
	if h.Matcher != nil {
		i.Matcher = h.Matcher.String()
	}
	return i
}
