package hookfile

import (
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/permission"
)

// projectNames are the names that the tool has in a project's own hooks files besides its own: those of the tables, and
// those that its input gives it.
func projectNames(c *dialect.Call) []string {
	names := c.ProjectTools()
	add := func(more ...string) {
		for _, name := range more {
			if name != c.Tool && !slices.Contains(names, name) {
				names = append(slices.Clip(names), name)
			}
		}
	}
	add(registry.ToolAliases(c.Tool)...)
	add(c.AddedTools()...)
	if _, looksLikeShell := shellByInput(c); looksLikeShell {
		add(shellTool)
	}
	if isPatch(c) {
		add(permission.PatchTools...)
	}
	return names
}

const shellTool = "shell"

// shellByInput reports whether the call is one of a tool that nobody knows, and that has a command under a key.
func shellByInput(c *dialect.Call) (key string, ok bool) {
	if !c.Event.HasTool() || len(knownNames(c)) > 0 {
		return "", false
	}
	if c.FileTools().Has(c.Tool) {
		return "", false
	}
	args, err := c.InputText()
	if err != nil {
		return "", false
	}
	return permission.HasCommand(args)
}

// isPatch reports whether the call's input is a patch, or its shell line runs apply_patch.
func isPatch(c *dialect.Call) bool {
	if !c.Event.HasTool() || !strings.ContainsAny(c.Args, "*\\") && !strings.Contains(c.Args, "apply") {
		return false
	}
	names := knownNames(c)
	if len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool {
		return name == shellTool || slices.Contains(permission.PatchTools, name)
	}) {
		return false
	}
	args, err := c.InputText()
	return err == nil && permission.HasPatch(kindOfNames(names), args, c.Wrappers)
}

// knownNames are the project's names for the tool as tables have them, whichever client's they are.
func knownNames(c *dialect.Call) []string {
	if names := c.ProjectTools(); len(names) > 0 {
		return names
	}
	if !c.FileTools().Has(c.Tool) {
		if names := registry.ToolNames(c.Tool); len(names) > 0 {
			return names
		}
	}
	if registry.IsProjectName(c.Tool) {
		return []string{c.Tool}
	}
	return nil
}

func kindOfNames(names []string) permission.Kind {
	for _, name := range names {
		if kind := permission.KindOf(name); kind != permission.Unknown {
			return kind
		}
	}
	return permission.Unknown
}
