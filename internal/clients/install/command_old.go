package install

import (
	"strings"

	"github.com/hookrun/hookrun/internal/lib/lazy"
)

// Entries of older versions ran hookrun with a blocking command behind ||, and took any output for an answer.

// olderLookUp matches the start of an older script that looks hookrun up in PATH.
var olderLookUp = lazy.Regexp{Text: `^command -v hookrun >/dev/null \|\| \{ echo "[^"$` + "`" +
	`\\]*" >&2; exit 1; \}; exec hookrun `}

// olderWords returns the words at the start of a command, or of the script that the command runs in a shell, and the
// text after them. byName: the script looks hookrun up in PATH; its message may be of another version.
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
	if behind != "" || !plain && !byName { // written or edited by a user
		return nil, "", false
	}
	return inside, rest, byName
}
