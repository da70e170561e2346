package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/dialect/registry"
	"github.com/hookrun/hookrun/internal/files/regular"
	"github.com/hookrun/hookrun/internal/hook"
)

// Program finds what the hook runs: the path to start and the arguments, the program's name first. A name
// with a slash is looked up in dir, where the hook will run, any other in the PATH of env, which is the environment
// that it will have. Entries of PATH that are no absolute paths are passed over: what they mean depends on where
// hookrun was started.
func Program(h *hook.Hook, dir string, env []string) (path string, argv []string, err error) {
	c := h.Command
	switch {
	case h.HTTP != nil:
		return "", nil, errors.New("an HTTP hook runs no program")
	case c.PowerShell:
		path, err = findFirst(powerShells, dir, env)
		return path, []string{powerShells[0], "-NoProfile", "-NonInteractive", "-Command", c.Shell}, err
	case c.Callable != "":
		functions, can := h.Dialect.ClientHooks().(dialect.Functions)
		if !can {
			return "", nil, fmt.Errorf("hooks of the %s dialect run no functions", h.Dialect.Name)
		}
		run := functions.RunFunction()
		path, err = find(run[0], dir, env)
		return path, append(run, c.Callable), err
	case c.Script != "":
		return script(c.Script, dir, env)
	case c.Bash:
		path, err = findShell("bash", dir, env)
		return path, []string{"bash", "-c", filled(h, env)}, err
	case c.Argv == nil:
		path, err = findShell("sh", dir, env)
		name := "sh"
		if c.ByPath { // which its messages begin with
			name = shell
		}
		return path, []string{name, "-c", filled(h, env)}, err
	}
	argv = c.Argv
	if f := h.Dialect.Files; c.Placeholders && f != nil {
		var pairs []string
		for _, name := range f.FolderVariables {
			if value := lookup(env, name); value != "" { // without one it stays, and what it stands in is not found
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

// script finds a handler of MassGen's: a file, also where its name has no slash, else a program in PATH. A Python file
// need not be executable.
func script(name, dir string, env []string) (path string, argv []string, err error) {
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

// findFirst finds the first of several programs that is there.
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

// startError explains in the words of the file why a program cannot be started.
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

// lookup returns the last value of a variable, which is the one that counts.
func lookup(env []string, name string) string {
	value, _ := given(env, name)
	return value
}

// given also reports whether the variable is there.
func given(env []string, name string) (value string, ok bool) {
	for i := len(env) - 1; i >= 0; i-- {
		if n, value, ok := strings.Cut(env[i], "="); ok && sameVariable(n, name) {
			return value, true
		}
	}
	return "", false
}

// interpreters run a script that they are given as an argument, and end with a code of their own if it is missing.
var interpreters = []string{"sh", "bash", "dash", "zsh", "python", "python3", "node", "ruby", "perl"}

// plainWords are the words at the start of a command line that take no shell to tell.
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

// plainPath returns the path that a word of a command line is, if that takes no shell to tell: letters that mean
// nothing to it, and the variables with folders that commands in clients' files begin their paths with.
func plainPath(word string, env []string) (path string, ok bool) {
	const quote = `"`
	path = word
	var folders []string
	for _, d := range registry.WithFiles() {
		folders = append(folders, d.Files.FolderVariables...)
	}
	for _, name := range folders {
		for _, form := range []string{quote + "${" + name + "}" + quote, quote + "$" + name + quote, "${" + name + "}",
			"$" + name} {
			if rest, found := strings.CutPrefix(path, form); found && strings.HasPrefix(rest, "/") {
				return plainRest(lookup(env, name), rest)
			}
			if rest, found := strings.CutPrefix(path, quote+form); found && strings.HasPrefix(rest, "/") &&
				strings.HasSuffix(rest, quote) {
				return plainRest(lookup(env, name), strings.TrimSuffix(rest, quote))
			}
		}
	}
	return plainRest("", path)
}

func plainRest(folder, rest string) (path string, ok bool) {
	return folder + rest, strings.Trim(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/") == ""
}

// scriptOf returns the script that an interpreter is started with, "" if there is none that could be told.
func scriptOf(argv []string) string {
	name := strings.TrimSuffix(filepath.Base(argv[0]), ".exe")
	for _, known := range interpreters {
		if name != known || len(argv) < 2 || argv[1] == "" || argv[1][0] == '-' {
			continue
		}
		if known == "node" && filepath.Ext(argv[1]) == "" {
			continue // it has subcommands, and looks for guard.js when it is told guard
		}
		return argv[1]
	}
	return ""
}

// PathInWorkspace returns the path in a hook's command that leads into the workspace, "" for none.
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
