package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
)

// Program finds the program of a hook: the path to start and the arguments, with the program's name first. A name with
// a slash is relative to dir, the hook's working directory; any other name is looked up in the PATH of env, the hook's
// environment. Relative entries of PATH are skipped, because they depend on where hookrun was started.
func Program(h *hook.Hook, dir string, env []string) (path string, argv []string, err error) {
	c := h.Process()
	switch {
	case !h.Starts():
		return "", nil, errors.New("the hook runs no program")
	case c.PowerShell:
		path, err = findFirst(powerShells, dir, env)
		return path, []string{powerShells[0], "-NoProfile", "-NonInteractive", "-Command", c.Shell}, err
	case c.Callable != "":
		run := h.Dialect.Hooks.RunFunction()
		if run == nil {
			return "", nil, fmt.Errorf("hooks of the %s dialect run no functions", h.Dialect.Name)
		}
		path, err = find(run[0], dir, env)
		return path, append(run, c.Callable), err
	case c.Script != "":
		return findScript(c.Script, dir, env)
	case c.Bash:
		path, err = findShell("bash", dir, env)
		return path, []string{"bash", "-c", expandWritten(h, env)}, err
	case c.Argv == nil:
		path, err = findShell("sh", dir, env)
		name := "sh"
		if c.ByPath { // sh's messages begin with its path
			name = shell
		}
		return path, []string{name, "-c", expandWritten(h, env)}, err
	}
	argv = c.Argv
	if f := h.Dialect.Files; c.Placeholders && f != nil {
		var pairs []string
		for _, name := range f.FolderVariables {
			if value := lookup(env, name); value != "" { // otherwise the variable stays, and its file is not found
				pairs = append(pairs, "${"+name+"}", value)
			}
		}
		fill := strings.NewReplacer(pairs...)
		argv = make([]string, len(c.Argv))
		for i, a := range c.Argv {
			argv[i] = fill.Replace(a)
		}
	}
	if path, err = findProgram(argv[0], dir, env); err != nil {
		err = fmt.Errorf("%w%s", err, wordsHint(h, dir, env))
	}
	return path, argv, err
}

// findScript finds a handler of MassGen: a file, even if its name has no slash, else a program in PATH. A Python file
// need not be executable.
func findScript(name, dir string, env []string) (path string, argv []string, err error) {
	file := name
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, name)
	}
	path, err = lookPath(file, env)
	switch {
	case err == nil:
		return path, []string{name}, nil
	case errors.Is(err, fs.ErrPermission) && filepath.Ext(name) == ".py":
		path, err = find("python3", dir, env)
		return path, []string{"python3", file}, err
	case errors.Is(err, fs.ErrNotExist) && filepath.Base(name) == name:
		if path, err = find(name, dir, env); err == nil {
			return path, []string{name}, nil
		}
		err = fmt.Errorf("%s: neither a file of the workspace nor in PATH", name)
	default:
		err = startError(name, err)
	}
	if strings.ContainsRune(name, ' ') {
		err = fmt.Errorf("%w; for a command line add \"shell: true\"", err)
	}
	return "", nil, err
}

func find(name, workspace string, env []string) (string, error) {
	if filepath.Base(name) != name {
		if fault := pathFault(name); fault != "" {
			return "", fmt.Errorf("%s: %s", name, fault)
		}
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(workspace, path)
		}
		found, err := lookPath(path, env)
		if err == nil {
			if fault := stubFault(found); fault != "" {
				return "", fmt.Errorf("%s: %s", name, fault)
			}
		}
		return found, startError(name, err)
	}
	fault := "not found in PATH"
	for _, dir := range filepath.SplitList(lookup(env, "PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		found, err := lookPath(filepath.Join(dir, name), env)
		if err != nil {
			continue
		}
		stub := stubFault(found)
		if stub == "" {
			return found, nil
		}
		fault += "; " + stub
	}
	return "", fmt.Errorf("%s: %s", name, fault)
}

// findFirst finds the first of several programs that exists.
func findFirst(names []string, dir string, env []string) (path string, err error) {
	for _, name := range names {
		found, missing := find(name, dir, env)
		if missing == nil {
			return found, nil
		}
		if err == nil {
			err = missing
		}
	}
	return "", err
}

// startError explains why a program cannot start, with the name from the hooks file.
func startError(name string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: no such file", name)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: not executable; chmod +x it", name)
	}
	var e *exec.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	return fmt.Errorf("%s: %w", name, regular.UnwrapPath(err))
}

const markFault = ": there is a byte order mark before its #!, so that is no #! line; save it as UTF-8 without a " +
	"byte order mark"

// lookup returns the value of a variable, or "". Of duplicates the last counts.
func lookup(env []string, name string) string {
	value, _ := lookupVariable(env, name)
	return value
}

// lookupVariable is lookup, and also reports whether the variable is set.
func lookupVariable(env []string, name string) (value string, ok bool) {
	for i := len(env) - 1; i >= 0; i-- {
		if n, value, ok := strings.Cut(env[i], "="); ok && sameVariable(n, name) {
			return value, true
		}
	}
	return "", false
}

// interpreters run a script named in an argument. Each has an exit code of its own for a missing script.
var interpreters = []string{"sh", "bash", "dash", "zsh", "python", "python3", "node", "ruby", "perl"}

// plainWords are the words at the start of a command line that have the same meaning without a shell.
func plainWords(line string, env []string) (words []string) {
	for _, w := range strings.Fields(line) {
		path, ok := plainPath(w, env)
		if !ok {
			break
		}
		words = append(words, path)
	}
	return words
}

// plainPath returns the path meant by a word of a command line, if no shell is needed to expand it: plain letters,
// or a folder variable at the start as in clients' files.
func plainPath(word string, env []string) (path string, ok bool) {
	head, rest, _ := strings.Cut(word, "/")
	if whole, is := strings.CutSuffix(rest, `"`); is && strings.HasPrefix(head, `"`) {
		head, rest = head+`"`, whole
	}
	if inner, is := strings.CutPrefix(head, `"`); is && strings.HasSuffix(inner, `"`) {
		head = strings.TrimSuffix(inner, `"`)
	}
	name, is := strings.CutPrefix(head, "$")
	if inner, braced := strings.CutPrefix(name, "{"); braced && strings.HasSuffix(inner, "}") {
		name = strings.TrimSuffix(inner, "}")
	}
	if is && IsFolderVariable(name) && strings.Contains(word, "/") {
		return joinPlain(lookup(env, name), "/"+rest)
	}
	return joinPlain("", word)
}

// IsFolderVariable reports whether a client may set the variable to a folder in which it has hooks.
func IsFolderVariable(name string) bool {
	return strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == "" && (strings.HasSuffix(name, "_PROJECT_DIR") ||
		strings.HasSuffix(name, "_CWD") || strings.HasSuffix(name, "_PLUGIN_ROOT"))
}

func joinPlain(folder, rest string) (path string, ok bool) {
	return folder + rest, strings.Trim(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/") == ""
}

// scriptOf returns the script run by an interpreter, or "" if the script is unknown.
func scriptOf(argv []string) string {
	name := strings.TrimSuffix(filepath.Base(argv[0]), ".exe")
	for _, known := range interpreters {
		if name != known || len(argv) < 2 || argv[1] == "" || argv[1][0] == '-' {
			continue
		}
		if known == "node" && filepath.Ext(argv[1]) == "" {
			continue // node has subcommands, and for guard it looks for guard.js
		}
		return argv[1]
	}
	return ""
}

// PathInWorkspace returns the path in a hook's command that leads into the workspace, or "".
func PathInWorkspace(c hook.Command) string {
	words := c.Argv
	if words == nil {
		words = plainWords(c.Shell, nil)
	}
	if len(words) == 0 {
		return ""
	}
	for _, path := range []string{words[0], scriptOf(words)} {
		isPath := path != words[0] || strings.Contains(path, "/")
		if path != "" && isPath && !filepath.IsAbs(path) {
			return path
		}
	}
	return ""
}
