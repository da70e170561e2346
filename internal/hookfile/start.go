package hookfile

import (
	"path/filepath"
	"slices"
	"strings"
)

// shells run a line of text that they are given behind -c.
var shells = []string{"sh", "bash", "dash", "zsh", "ash", "ksh"}

// RunsShell reports whether a shell runs a line of text for the hook: 126 and 127 are the shell's own exit codes then,
// for what it could not run. PowerShell has others.
func (h *Hook) RunsShell() bool {
	if h.Command.PowerShell {
		return false
	}
	_, is := h.shellLine()
	return is
}

// shellLine is the line of text that a shell runs for the hook.
func (h *Hook) shellLine() (line string, is bool) {
	argv := h.Command.Argv
	if len(argv) == 0 {
		return h.Command.Shell, h.Command.Shell != ""
	}
	if !slices.Contains(shells, strings.TrimSuffix(filepath.Base(argv[0]), ".exe")) {
		return "", false
	}
	for i, a := range argv[1:] {
		if len(a) < 2 || a[0] != '-' || a[1] == '-' {
			if !strings.HasPrefix(a, "--") {
				return "", false // a script, or the word of an option
			}
			continue
		}
		if strings.HasSuffix(a, "c") && i+2 < len(argv) {
			return argv[i+2], true
		}
	}
	return "", false
}

// StartFault returns why the file that the hook runs cannot run, as far as its first line tells: see the function of
// that name. Of a line for a shell it looks at the path that the line begins with. "" is that nothing is known. It is
// for hooks that ended as what cannot be run does: a program that env was to start is missed when the script has begun.
func (h *Hook) StartFault(dir string, env []string) string {
	line, byShell := h.shellLine()
	switch {
	case h.StaticVerdict != nil || h.HTTP != nil || h.Unsupported != "" || h.Command.PowerShell ||
		h.Command.Callable != "":
		return ""
	case byShell:
		words := plainWords(line, env)
		if len(words) == 0 || !strings.Contains(words[0], "/") {
			return ""
		}
		path, err := find(words[0], dir, env)
		if err != nil {
			return ""
		}
		return byShellFault(path, words[0], dir, env)
	}
	path, argv, err := h.Program(dir, env)
	if err != nil {
		return ""
	}
	return StartFault(path, argv[0], dir, env)
}
