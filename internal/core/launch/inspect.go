package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookrun/hookrun/internal/core/hook"
)

// inspectEndpoint checks the files of an endpoint, and whether the settings allow its address.
func inspectEndpoint(h *hook.Hook, to *hook.Request) (problems []hook.Diagnostic) {
	note := func(at hook.Diagnostic, err error) {
		if err != nil {
			at.Text = fmt.Sprintf("hook %q: %v", h.Name, err)
			problems = append(problems, at)
		}
	}
	_, err := h.Endpoint()
	note(h.RunsAt, err)
	roots, certificate := to.By.CheckFiles(&to.Endpoint)
	note(to.FilesAt[0], roots)
	note(to.FilesAt[1], certificate)
	return problems
}

// Inspect looks for faults that would make the hook fail when it runs, or let anybody change what it does: a program
// that is missing or not executable, a script with a missing interpreter or with a #! line that ends in CR LF, a file
// that all users may write to. dir is the hook's working directory. Inspect does not run the hook.
func Inspect(h *hook.Hook, dir string, env []string) []hook.Diagnostic {
	var faults []string
	if to := h.Request(); to != nil {
		return inspectEndpoint(h, to)
	}
	if !h.Starts() {
		return nil
	}
	path, argv, err := Program(h, dir, env)
	if err == nil {
		_, _, err = Resolve(path, argv, dir, env)
	}
	switch c := h.Process(); {
	case h.Folder != "" && !isFolder(dir):
		faults = []string{fmt.Sprintf("it runs in %s: no such folder", h.Folder)}
	case err != nil:
		faults = []string{err.Error()}
	case c.PowerShell: // the command names no file of the project to check
	case c.Callable != "": // only Python can tell whether the function exists
	case c.Argv == nil && c.Script == "":
		faults = inspectCommandLine(c.Shell, dir, env)
	default:
		faults = inspectProgram(path, argv[0], dir, env, FileFault)
		if fault := ScriptFault(scriptOf(argv), dir); fault != "" {
			faults = append(faults, fault)
		}
	}
	var problems []hook.Diagnostic
	for _, f := range faults {
		p := h.RunsAt
		p.Text = fmt.Sprintf("hook %q: %s", h.Name, f)
		problems = append(problems, p)
	}
	return problems
}

// fileFault explains why a program cannot start, as FileFault does.
type fileFault = func(path, name, dir string, env []string) string

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// inspectCommandLine checks the plain path at the start of a command line, or the script after an interpreter at the
// start. Only a shell can tell what else a line runs.
func inspectCommandLine(line, workspace string, env []string) []string {
	words := plainWords(line, env)
	switch {
	case len(words) == 0:
		return nil
	case strings.Contains(words[0], "/"):
		return LineFaults(words[0], workspace, env)
	}
	if fault := ScriptFault(scriptOf(words), workspace); fault != "" {
		return []string{fault}
	}
	return nil
}

// ScriptFault returns the fault of an interpreter's script, which only needs to be readable, or "".
func ScriptFault(script, dir string) string {
	if script == "" {
		return ""
	}
	path := script
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return startError(script, err).Error()
	}
	return worldWritable(path, info, script)
}

// LineFaults returns the faults of a program in a line for a shell, which runs a file of unknown kind as its own
// script.
func LineFaults(name, dir string, env []string) []string {
	path, err := find(name, dir, env)
	switch {
	case err != nil:
		return []string{err.Error()}
	case filepath.Base(name) == name:
		return nil
	}
	return inspectProgram(path, name, dir, env, byShellFault)
}
