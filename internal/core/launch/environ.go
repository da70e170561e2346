package launch

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/process"
	"github.com/hookrun/hookrun/internal/core/tenex"
)

// stale are variables of an outer hookrun. They are removed unless this hookrun sets them.
var stale = []string{binaryVariable, "HOOKRUN_TOOL", process.RunVariable}

// mergeEnviron returns the variables of all lists, later lists over earlier ones.
func mergeEnviron(base []string, more ...[]string) []string {
	over := make([]string, 0, 16) // for a few names a list is faster than a map
	over = append(over, stale...)
	for i := range over {
		over[i] = variableName(over[i])
	}
	for _, list := range more {
		for _, v := range list {
			over = append(over, variableName(v))
		}
	}
	env := make([]string, 0, len(base)+len(over)+1)
	for _, v := range base {
		if !slices.Contains(over, variableName(v)) {
			env = append(env, v)
		}
	}
	for i, list := range more {
		for _, v := range list {
			if !laterHas(more[i+1:], variableName(v)) {
				env = append(env, v)
			}
		}
	}
	return env
}

func laterHas(lists [][]string, n string) bool {
	for _, list := range lists {
		for _, v := range list {
			if variableName(v) == n {
				return true
			}
		}
	}
	return false
}

// variableName returns the part before =. Windows has hidden variables that start with =.
func variableName(v string) string {
	if i := strings.Index(v[min(1, len(v)):], "="); i >= 0 {
		v = v[:i+1]
	}
	return foldVariable(v)
}

// Dir is the hook's working directory: the folder in the hooks file, else the workspace. If the hook follows the
// session, the session's current directory comes before the workspace, if it still exists.
func Dir(h *hook.Hook, c *dialect.Call) string {
	if h.Folder != "" && !filepath.IsAbs(h.Folder) {
		return filepath.Join(c.Workspace, h.Folder)
	} else if h.Folder != "" {
		return h.Folder
	}
	if h.FollowsDir() && filepath.IsAbs(c.Dir) && isFolder(c.Dir) {
		return c.Dir
	}
	return c.Workspace
}

// unbuffered makes Python print each line at once. With a pipe for stdout Python otherwise prints only at its end,
// which a persistent hook does not reach.
const unbuffered = "PYTHONUNBUFFERED"

// Environ is the environment of the hook's process: the caller's variables, the hook's own, and HOOKRUN_*. Variables of
// a call are left out if the call has no event, because a persistent process sees many calls. Each name occurs once,
// because programs differ in whether the first or the last duplicate counts. A nil base is this process's environment.
// Hooks get binary, the path of a hookrun binary, as $HOOKRUN; "" leaves $HOOKRUN out.
func Environ(h *hook.Hook, c *dialect.Call, base []string, binary string) []string {
	if base == nil {
		base = os.Environ()
	}
	ours := []string{
		"HOOKRUN_HOOK=" + h.Name,
		"HOOKRUN_WORKSPACE=" + c.Workspace,
		"HOOKRUN_CWD=" + cmp.Or(c.Dir, c.Workspace),
		"PWD=" + Dir(h, c), // printed by a shell's pwd
	}
	persistent, files := h.Process().Workers > 0, h.Environment()
	last := h.Dialect.Hooks.Environment(c)
	for i, v := range last {
		if len(v) > dialect.MaxVariable() || strings.ContainsRune(v, 0) {
			last[i] = variableName(v) // empty, because an inherited value would be wrong
		}
	}
	for _, hidden := range h.Dialect.Hooks.HiddenVariables() {
		base = slices.DeleteFunc(slices.Clone(base), func(v string) bool { return strings.HasPrefix(v, hidden) })
	}
	if h.Inherit != nil {
		base = slices.DeleteFunc(slices.Clone(base), func(v string) bool { return !admits(h.Inherit, v) })
	}
	if persistent && !laterHas([][]string{base, files}, unbuffered) {
		ours = append(ours, unbuffered+"=1")
	}
	if c.Event != "" {
		ours = append(ours, "HOOKRUN_EVENT="+string(c.Common()))
	}
	if binary != "" {
		ours = append(ours, binaryVariable+"="+binary)
	}
	tool := c.Tool
	if h.Dialect == tenex.Dialect {
		tool = c.ProjectTool()
	}
	if c.IsAboutTool() && len(tool) <= dialect.MaxVariable() && !strings.ContainsRune(tool, 0) {
		ours = append(ours, "HOOKRUN_TOOL="+tool)
	}
	if h.Dialect.Run.FileVariablesWin {
		return mergeEnviron(base, ours, last, files)
	}
	return mergeEnviron(base, ours, files, last)
}

// needed are variables without secrets that most programs need.
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
	matches := func(pattern string) bool {
		if prefix, isPrefix := strings.CutSuffix(pattern, "*"); isPrefix {
			return len(name) >= len(prefix) && sameVariable(name[:len(prefix)], prefix)
		}
		return sameVariable(name, pattern)
	}
	return slices.ContainsFunc(needed, matches) || slices.ContainsFunc(neededHere, matches) ||
		slices.ContainsFunc(i.Names, matches)
}

// Variable returns the value of a variable in an environment, or "".
func Variable(env []string, name string) string { return lookup(env, name) }
