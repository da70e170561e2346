package install

import (
	"strings"

	"github.com/hookrun/hookrun/internal/lazy"
)

// Entries of older versions ran hookrun with what blocks behind a ||, and took whatever it printed for an answer.

// olderLookUp is how the script of such an entry begins that looks hookrun up in PATH.
var olderLookUp = lazy.Regexp{Text: `^command -v hookrun >/dev/null \|\| \{ echo "[^"$` + "`" +
	`\\]*" >&2; exit 1; \}; exec hookrun `}

// olderWords returns the words that a command begins with, or the script in it that a shell runs, and what follows
// them. byName: the script looks hookrun up in PATH, whatever message another version of it has.
func olderWords(command string) (words []string, rest string, byName bool) {
	if program, behind, found := windowsProgram(command); found {
		words, rest = shellWords(behind)
		return append([]string{program}, words...), rest, false
	}
	words, rest = shellWords(command)
	if len(words) != 3 || words[0] != "/bin/sh" || words[1] != "-c" {
		return words, rest, false
	}
	script, plain := strings.CutPrefix(words[2], "exec ")
	if !plain {
		before, behind, _ := strings.Cut(words[2], "; exec hookrun ")
		byName = strings.HasPrefix(before, "command -v hookrun ")
		script = "hookrun " + behind
	}
	inside, behind := shellWords(script)
	if behind != "" || !plain && !byName { // somebody wrote it, or has edited it
		return nil, "", false
	}
	return inside, rest, byName
}
