package hookfile

import (
	"slices"
	"sync"

	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/protocol"
)

// Public is what package projecthooks has a Config as. Its type Config is defined as a Public and has no method that
// returns the Config inside: hookrun's own packages convert to Public, and no other module can.
type Public struct {
	config *Config
	dir    string // of the project; "": the Config was read from no file
	begin  sync.Once
	files  *Snapshot
}

// NewPublic returns a Config, which was read for the project in dir, as projecthooks has it. "": no file was read.
func NewPublic(c *Config, dir string) *Public { return &Public{config: c, dir: dir} }

// Config returns the Config, nil of a nil or zero Public.
func (p *Public) Config() *Config {
	if p == nil {
		return nil
	}
	return p.config
}

// Dir returns the folder of the project, "" if the Config was read from no file.
func (p *Public) Dir() string { return p.dir }

// Snapshot returns the one Snapshot of the files that were read. A text that was parsed has none, whatever its name is.
func (p *Public) Snapshot() *Snapshot {
	p.begin.Do(func() {
		if p.files = new(Snapshot); p.dir != "" {
			p.files = NewSnapshot(p.config)
		}
	})
	return p.files
}

// Info is what projecthooks.HookInfo is: the facts of a hook that a host program shows.
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

// InfoOf returns the facts of a hook as its file has them.
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
