package launch

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/core/hook"
)

// shells run the line of text after -c.
var shells = []string{"sh", "bash", "dash", "zsh", "ash", "ksh"}

// RunsShell reports whether a shell runs a line of text for the hook. If so, 126 and 127 are the shell's exit codes for
// a program that cannot run. PowerShell has other codes.
func RunsShell(h *hook.Hook) bool {
	if h.Process().PowerShell {
		return false
	}
	_, is := shellLine(h)
	return is
}

// shellLine returns the line of text that a shell runs for the hook.
func shellLine(h *hook.Hook) (line string, is bool) {
	argv, shell := h.Process().Argv, h.Process().Shell
	if len(argv) == 0 {
		return shell, shell != ""
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

// StartFault returns why the hook's file cannot run, as far as its first line tells, in the words of FileFault; "" if
// no fault is known. In a line for a shell it checks the path at the start. It is for hooks that ended with the exit
// code of a program that cannot run: env misses its program only after the script has started.
func StartFault(h *hook.Hook, dir string, env []string) string {
	line, byShell := shellLine(h)
	switch c := h.Process(); {
	case !h.Starts() || c.PowerShell || c.Callable != "":
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
	path, argv, err := Program(h, dir, env)
	if err != nil {
		return ""
	}
	return FileFault(path, argv[0], dir, env)
}
