package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookrun/hookrun/internal/hook"
)

// inspectEndpoint looks at the files that an endpoint names, and whether the settings allow its address.
func inspectEndpoint(h *hook.Hook) (problems []hook.Diagnostic) {
	note := func(at hook.Diagnostic, err error) {
		if err != nil {
			at.Text = fmt.Sprintf("hook %q: %v", h.Name, err)
			problems = append(problems, at)
		}
	}
	_, err := h.Endpoint()
	note(h.RunsAt, err)
	roots, certificate := h.HTTP.CheckFiles()
	note(h.FilesAt[0], roots)
	note(h.FilesAt[1], certificate)
	return problems
}

// Inspect looks for what would make the hook fail when it runs, or would let anybody change what it does: a program
// that does not exist or is not executable, a script whose interpreter is missing or whose #! line ends in CR LF, a
// file that everybody may write to. dir is where the hook runs. It runs nothing.
func Inspect(h *hook.Hook, dir string, env []string) []hook.Diagnostic {
	var faults []string
	if h.Unsupported != "" || h.StaticVerdict != nil {
		return nil
	}
	if h.HTTP != nil {
		return inspectEndpoint(h)
	}
	path, argv, err := Program(h, dir, env)
	if err == nil {
		_, _, err = Resolve(path, argv, dir, env)
	}
	switch {
	case h.Folder != "" && !isFolder(dir):
		faults = []string{fmt.Sprintf("it runs in %s: no such folder", h.Folder)}
	case err != nil:
		faults = []string{err.Error()}
	case h.Command.PowerShell: // nothing of the project's is there to be looked at
	case h.Command.Callable != "": // only Python can tell whether it is there
	case h.Command.Script != "":
		faults = inspectProgram(path, argv[0], dir, env, FileFault)
		if s := scriptOf(argv); s != "" {
			faults = append(faults, inspectScript(s, dir)...)
		}
	case h.Command.Argv == nil:
		faults = inspectCommandLine(h.Command.Shell, dir, env)
	default:
		faults = inspectProgram(path, argv[0], dir, env, FileFault)
		if script := scriptOf(argv); script != "" {
			faults = append(faults, inspectScript(script, dir)...)
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

// fileFault explains why a program cannot be started, as FileFault does.
type fileFault = func(path, name, dir string, env []string) string

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// inspectCommandLine looks at the plain path that a command line starts with, or that an interpreter at its start is
// given. Only a shell can tell what else a line runs.
func inspectCommandLine(line, workspace string, env []string) []string {
	words := plainWords(line, env)
	switch {
	case len(words) == 0:
		return nil
	case strings.Contains(words[0], "/"):
		path, err := find(words[0], workspace, env)
		if err != nil {
			return []string{err.Error()}
		}
		return inspectProgram(path, words[0], workspace, env, byShellFault)
	}
	if script := scriptOf(words); script != "" {
		return inspectScript(script, workspace)
	}
	return nil
}

// inspectScript looks at a script that needs to be readable only.
func inspectScript(script, workspace string) []string {
	path := script
	if !filepath.IsAbs(path) {
		path = filepath.Join(workspace, path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return []string{startError(script, err).Error()}
	}
	if fault := worldWritable(path, info, script); fault != "" {
		return []string{fault}
	}
	return nil
}
