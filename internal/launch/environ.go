package launch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/process"
)

// stale are the variables that base has from a hookrun which runs this one, and that this one may not set.
var stale = []string{binaryVariable, "HOOKRUN_TOOL", process.RunVariable}

// merged returns the variables of all lists, later lists over earlier ones.
func merged(base []string, more ...[]string) []string {
	over := make([]string, 0, 16) // a few names: to look through them is quicker than to build a map
	over = append(over, stale...)
	for i := range over {
		over[i] = name(over[i])
	}
	for _, list := range more {
		for _, v := range list {
			over = append(over, name(v))
		}
	}
	env := make([]string, 0, len(base)+len(over)+1)
	for _, v := range base {
		if !slices.Contains(over, name(v)) {
			env = append(env, v)
		}
	}
	for i, list := range more {
		for _, v := range list {
			if !laterHas(more[i+1:], name(v)) {
				env = append(env, v)
			}
		}
	}
	return env
}

func laterHas(lists [][]string, n string) bool {
	for _, list := range lists {
		for _, v := range list {
			if name(v) == n {
				return true
			}
		}
	}
	return false
}

// name returns the part before =; Windows has hidden variables that start with one.
func name(v string) string {
	if i := strings.Index(v[min(1, len(v)):], "="); i >= 0 {
		v = v[:i+1]
	}
	return foldVariable(v)
}

// Dir is where the hook runs: where its file has it, else in the workspace, or where its dialect has it so in the
// session's current directory, if that is still there.
func Dir(h *hook.Hook, c *dialect.Call) string {
	if h.Folder != "" && !filepath.IsAbs(h.Folder) {
		return filepath.Join(c.Workspace, h.Folder)
	} else if h.Folder != "" {
		return h.Folder
	}
	if h.Dialect.Run.FollowsDir && filepath.IsAbs(c.Dir) {
		if isFolder(c.Dir) {
			return c.Dir
		}
	}
	return c.Workspace
}

// unbuffered has Python print each line at once. With a pipe for stdout it does so at its end, and a persistent hook
// has none.
const unbuffered = "PYTHONUNBUFFERED"

// Environ is what the process of the hook gets: the caller's variables, the hook's own, and HOOKRUN_*; those of a call
// only where it has an event, since a persistent process sees many calls. A name occurs once, since programs differ in
// whether the first or the last of two counts. A nil base is this process's environment; binary is the path of a
// hookrun binary, which hooks find as $HOOKRUN, "" leaves that out.
func Environ(h *hook.Hook, c *dialect.Call, base []string, binary string) []string {
	if base == nil {
		base = os.Environ()
	}
	ours := []string{
		"HOOKRUN_HOOK=" + h.Name,
		"HOOKRUN_WORKSPACE=" + c.Workspace,
		"PWD=" + Dir(h, c), // what a shell's pwd prints
	}
	last := h.Dialect.Hooks.Environment(c)
	for i, v := range last {
		if len(v) > dialect.MaxVariable() || strings.ContainsRune(v, 0) {
			last[i] = name(v) // empty, rather than one that was inherited
		}
	}
	for _, hidden := range h.Dialect.HiddenVariables() {
		base = slices.DeleteFunc(slices.Clone(base), func(v string) bool { return strings.HasPrefix(v, hidden) })
	}
	if h.Inherit != nil {
		base = slices.DeleteFunc(slices.Clone(base), func(v string) bool { return !admits(h.Inherit, v) })
	}
	if h.Persistent && !laterHas([][]string{base, h.Environment()}, unbuffered) {
		ours = append(ours, unbuffered+"=1")
	}
	if c.Event != "" {
		ours = append(ours, "HOOKRUN_EVENT="+string(dialect.Canonical(c.Event)))
	}
	if binary != "" {
		ours = append(ours, binaryVariable+"="+binary)
	}
	tool := c.Tool
	if h.Dialect == registry.Project() {
		tool = c.ProjectTool()
	}
	if dialect.HasTool(c.Event) && len(tool) <= dialect.MaxVariable() && !strings.ContainsRune(tool, 0) {
		ours = append(ours, "HOOKRUN_TOOL="+tool)
	}
	if h.Dialect.Run.FileVariablesWin {
		return merged(base, ours, last, h.Environment())
	}
	return merged(base, ours, h.Environment(), last)
}

// needed are variables that hold no secrets, and that most programs need.
var needed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TERM", "TMPDIR", "TZ", "HOOKRUN", "HOOKRUN_*",
}

// admits reports whether a hook gets a variable, given as NAME=VALUE. A nil Inherited admits all.
func admits(i *hook.Inherited, variable string) bool {
	if i == nil {
		return true
	}
	name := variable // Windows has hidden variables that start with =
	if at := strings.Index(variable[min(1, len(variable)):], "="); at >= 0 {
		name = variable[:at+1]
	}
	meant := func(pattern string) bool {
		if prefix, isPrefix := strings.CutSuffix(pattern, "*"); isPrefix {
			return len(name) >= len(prefix) && sameVariable(name[:len(prefix)], prefix)
		}
		return sameVariable(name, pattern)
	}
	return slices.ContainsFunc(needed, meant) || slices.ContainsFunc(neededHere, meant) ||
		slices.ContainsFunc(i.Names, meant)
}

// Variable returns the value that an environment has for a name, "" if it has none.
func Variable(env []string, name string) string { return lookup(env, name) }
