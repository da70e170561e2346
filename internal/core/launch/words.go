package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/shellword"
	"github.com/hookrun/hookrun/internal/lib/spelling"
)

// wordsHint returns how to mend an argv whose program is not found, if the first word shows the intention; otherwise
// "". hookrun starts the words of a list as they are, but people write words for a shell.
func wordsHint(h *hook.Hook, dir string, env []string) string {
	c := h.Process()
	if c.Argv == nil || c.Placeholders { // a client's form of a list has no string form
		return ""
	}
	switch program := c.Argv[0]; {
	case needsShell(program, env) || strings.HasPrefix(program, "$"):
		return "; nothing expands the words of a list: write one string, which sh runs, or the path"
	case strings.ContainsAny(program, " \t"):
		return "; each word is a string of its own in a list: split it, or write one string, which sh runs"
	case strings.Contains(program, `\`) && filepath.Separator == '/':
		return "; on this system the separator of a path is /: write " + strings.ReplaceAll(program, `\`, "/")
	case filepath.Base(program) == program && isRegular(filepath.Join(dir, program)):
		return "; a name without a slash is looked up in PATH: write ./" + program
	}
	return ""
}

func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// needsShell reports whether a shell would expand the whole word: ~/path, $NAME, ${NAME}/path. The variable must be
// set, because $x may be a word of another language.
func needsShell(word string, env []string) bool {
	if word == "~" || strings.HasPrefix(word, "~/") {
		return true
	}
	if !strings.HasPrefix(word, "$") {
		return false
	}
	name, _, size := shellword.Variable(word)
	_, set := lookupVariable(env, name)
	isOurs := strings.HasPrefix(name, "HOOKRUN") // some are set at some events only
	return size > 0 && (set || isOurs) && (size == len(word) || word[size] == '/')
}

// literalWords reports the words of a list that a shell would have expanded. It skips the word after a flag of an
// interpreter, which may be a program in another language.
func literalWords(h *hook.Hook, env []string) (doubts []hook.Diagnostic) {
	argv := h.Process().Argv
	if h.Process().Placeholders {
		return nil
	}
	for i := 1; i < len(argv); i++ {
		isProgram := slices.Contains(interpreters, filepath.Base(argv[0])) && strings.HasPrefix(argv[i-1], "-")
		if !needsShell(argv[i], env) || isProgram {
			continue
		}
		p := h.RunsAt
		p.Text = fmt.Sprintf("hook %q: the argument %s is passed as it is, since nothing expands the words of a list; "+
			"write the command as one string, which sh runs", h.Name, spelling.Quote(argv[i]))
		doubts = append(doubts, p)
	}
	return doubts
}
