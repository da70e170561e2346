package hookfile

import (
	"slices"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/glob"
	"github.com/hookrun/hookrun/internal/hook"
)

// levelTools is the "tools" of one file.
type levelTools struct {
	level hook.Level
	names map[string]string // the project's by the client's; "": the tool has no other name
}

// share gives each hook what files have for hooks of other files too. A lower level adds to what a hook of a higher one
// sees, and takes nothing away.
func (c *Config) share() {
	c.toolsAt = make([]*dialect.FileTools, len(c.tools)+1)
	for i := range c.Hooks {
		h := &c.Hooks[i]
		h.Tools = c.namedAt(h.Level)
	}
	c.namedAt(hook.LocalLevel) // for NameTool and InFront, which must not write
	c.namedAt(hook.ManagedLevel)
}

// namedAt returns the names of tools as hooks of a level see them. Levels that see the same have the same ones.
func (c *Config) namedAt(level hook.Level) *dialect.FileTools {
	if len(c.tools) == 0 {
		return nil
	}
	own := 0
	for _, file := range c.tools {
		if file.level <= level {
			own++
		}
	}
	if c.toolsAt[own] == nil {
		c.toolsAt[own] = &dialect.FileTools{}
		for _, file := range c.tools {
			c.toolsAt[own].Add(file.names, file.level > level)
		}
	}
	return c.toolsAt[own]
}

// InFront returns hooks that are in no file, and behind them those of the Config. They are of the managed level: no
// file that somebody else can write takes from them what they see.
func (c *Config) InFront(hooks []hook.Hook) []hook.Hook {
	all := slices.Concat(hooks, c.Hooks)
	for i := range hooks {
		all[i].Level, all[i].Tools = hook.ManagedLevel, c.namedAt(hook.ManagedLevel)
	}
	return all
}

// NameTool finds the project's names for the tool of a client's call: those of the files' "tools", or those that are
// known. They are what hooks of the lowest level see; Named has those of others. The call also gets the files'
// "wrappers".
func (c *Config) NameTool(call *dialect.Call) {
	registry.NameTool(call, c.namedAt(hook.LocalLevel))
	call.Wrappers = c.wrappers
}

// names are all names in the "tools" of the files up to a level.
func (c *Config) names(lowest hook.Level) (names []string) {
	for _, file := range c.tools {
		if file.level <= lowest {
			for theirs, here := range file.names {
				names = append(names, theirs, here)
			}
		}
	}
	return names
}

// hasTool reports whether the "tools" of a file, up to a level, has a name that a glob matches.
func (c *Config) hasTool(pattern string, lowest hook.Level) bool {
	return len(c.tools) > 0 && slices.ContainsFunc(c.names(lowest), glob.New(pattern).Match)
}
