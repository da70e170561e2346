package launch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
)

// binaryVariable is the variable with the hookrun that hooks call, as in "$HOOKRUN" get args.command.
const binaryVariable = "HOOKRUN"

// FindBinary returns the hookrun binary for hooks of another Go program: HOOKRUN in env, if it is the absolute path of
// a program, else the first hookrun in the PATH of env. It returns "" if both are missing. A nil env is this process's
// environment.
func FindBinary(env []string) string {
	if env == nil {
		env = os.Environ()
	}
	if named := lookup(env, binaryVariable); filepath.IsAbs(named) {
		if path, err := find(named, "", env); err == nil {
			return path
		}
	}
	path, err := find("hookrun", "", env)
	if err != nil {
		return ""
	}
	return path
}

// CallsBinary reports whether the hook's command, or a script in the command, uses $HOOKRUN. dir is the hook's working
// directory.
func CallsBinary(h *hook.Hook, dir string) bool {
	c := h.Process()
	texts := append(slices.Clone(c.Argv), c.Shell, c.Script)
	for _, word := range strings.Fields(strings.Join(texts, " ")) {
		if namesBinary(word) {
			return true
		}
		path := strings.Trim(word, `"'();&|<>`)
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if text, _, err := regular.Read(path, maxScript); err == nil && namesBinary(string(text)) {
			return true
		}
	}
	return false
}

// namesBinary reports whether a text has the name HOOKRUN, other than in HOOKRUN_TOOL and the like.
func namesBinary(text string) bool {
	for {
		_, rest, found := strings.Cut(text, binaryVariable)
		if !found {
			return false
		}
		longer := strings.TrimLeft(rest, "_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
		if len(longer) == len(rest) {
			return true
		}
		text = longer
	}
}
