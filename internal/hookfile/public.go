package hookfile

import (
	"slices"
	"sync"

	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/protocol"
)

// Public is the type from which projecthooks.Config is defined. The latter has no method that returns the inner Config:
// hookrun's own packages convert to Public, and no other module can.
type Public struct {
	config *Config
	dir    string // folder of the project; "": no file was read
	begin  sync.Once
	files  *Snapshot
}

// NewPublic returns a Public for a Config of the project in dir; "": no file was read.
func NewPublic(c *Config, dir string) *Public { return &Public{config: c, dir: dir} }

// Config returns the inner Config, or nil if p is nil or zero.
func (p *Public) Config() *Config {
	if p == nil {
		return nil
	}
	return p.config
}

// Dir returns the folder of the project, or "" if no file was read.
func (p *Public) Dir() string { return p.dir }

// Snapshot returns the Snapshot of the files, the same at each call. A Config from a parsed text has no files.
func (p *Public) Snapshot() *Snapshot {
	p.begin.Do(func() {
		if p.files = new(Snapshot); p.dir != "" {
			p.files = NewSnapshot(p.config)
		}
	})
	return p.files
}

// Info is projecthooks.HookInfo: the facts about a hook for host programs.
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
		Name: h.Name, Source: h.Source(), Level: h.Level.String(), Events: slices.Clone(h.Events), If: h.If.String(),
		Command: h.String(), Runs: h.Disabled == "", Why: h.Disabled,
	}
	if h.Matcher != nil {
		i.Matcher = h.Matcher.String()
	}
	return i
}
