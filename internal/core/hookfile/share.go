package hookfile

import (
	"slices"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/glob"
)

// levelTools is the "tools" of one file.
type levelTools struct {
	level hook.Level
	names map[string]string // the project's name by the client's name; "": no other name
}

// shareTools gives each hook the tool names of all files. A lower level adds names for hooks of a higher level, and
// takes no name away.
func (c *Config) shareTools() {
	c.toolsAt = make([]*dialect.FileTools, len(c.tools)+1)
	for i := range c.Hooks {
		h := &c.Hooks[i]
		h.Tools = c.toolNamesAt(h.Level)
	}
	c.toolNamesAt(hook.LocalLevel) // for NameTool and WithFunctions, which must not write
	c.toolNamesAt(hook.ManagedLevel)
}

// toolNamesAt returns the tool names for hooks of a level. Levels with equal names share the result.
func (c *Config) toolNamesAt(level hook.Level) *dialect.FileTools {
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

// WithFunctions returns hooks without a file, followed by the hooks of the Config. Hooks without a file get the managed
// level, so a file of another user takes no tool name away from them.
func (c *Config) WithFunctions(hooks []hook.Hook) []hook.Hook {
	all := slices.Concat(hooks, c.Hooks)
	for i := range hooks {
		all[i].Level, all[i].Tools = hook.ManagedLevel, c.toolNamesAt(hook.ManagedLevel)
	}
	return all
}

// NameTool sets the project's names for the tool of a client's call: names in the files' "tools", or known names. They
// are the names for hooks of the lowest level; Hook.Named has the names for other levels. The call also gets the files'
// "wrappers".
func (c *Config) NameTool(call *dialect.Call) {
	c.Clients().NameTool(call, c.toolNamesAt(hook.LocalLevel))
	call.Wrappers, call.Reader = c.wrappers, c.parts.Rules
}

// names returns all names in the "tools" of the files, down to a level.
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

// hasTool reports whether a glob matches a name in the "tools" of the files, down to a level.
func (c *Config) hasTool(pattern string, lowest hook.Level) bool {
	return len(c.tools) > 0 && slices.ContainsFunc(c.names(lowest), glob.New(pattern).Match)
}
