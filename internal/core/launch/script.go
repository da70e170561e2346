package launch

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/core/hook"
)

// maxScript is the size, in bytes, of the largest file read as a script.
const maxScript = 1 << 20

// Doubts returns the words of a list that a shell would have expanded, and oddities of the scripts in the hook's
// command. An empty script does nothing, and so approves every call. A script whose last line has no end may have been
// cut while it was written. Doubts does not run the hook, and does not repeat the faults of Inspect.
func Doubts(h *hook.Hook, workspace string, env []string) (doubts []hook.Diagnostic) {
	doubts = literalWords(h, env)
	for _, name := range scripts(h, workspace, env) {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(workspace, path)
		}
		if found, err := lookPath(path, env); err == nil { // the name may lack the extension
			path = found
		}
		if doubt := scriptDoubt(path); doubt != "" {
			p := h.RunsAt
			p.Text = fmt.Sprintf("hook %q: %s %s", h.Name, name, doubt)
			doubts = append(doubts, p)
		}
	}
	return doubts
}

// scripts returns the paths in a hook's command: the program, and the script of an interpreter.
func scripts(h *hook.Hook, workspace string, env []string) (names []string) {
	var words []string
	c := h.Process()
	switch {
	case !h.Starts() || c.PowerShell || c.Callable != "":
		return nil
	case c.Argv == nil && c.Script == "":
		words = plainWords(c.Shell, env)
	default:
		_, argv, err := Program(h, workspace, env)
		if err != nil {
			return nil
		}
		if c.Script != "" { // a path even without a slash
			names = append(names, c.Script)
		}
		words = argv
	}
	if len(words) == 0 {
		return names
	}
	if filepath.Base(words[0]) != words[0] && c.Script == "" {
		names = append(names, words[0])
	}
	if script := scriptOf(words); script != "" && c.Script == "" {
		names = append(names, script)
	}
	return names
}

// scriptDoubt describes the oddity of a script, or returns "" if the script is fine or the file is no script.
func scriptDoubt(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxScript {
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxScript))
	switch {
	case err != nil || bytes.IndexByte(text, 0) >= 0: // a machine program
		return ""
	case len(text) == 0:
		return "is empty, so it does nothing; is the file whole?"
	case onlyComments(string(text)):
		return "has nothing in it but blanks and comments, so it does nothing; is the file whole?"
	case text[len(text)-1] != '\n' && text[len(text)-1] != '\r':
		return "ends in a line without a line end; is the file whole?"
	}
	return lineEndDoubt(path, string(text))
}

// lineEndDoubt reports line ends that the script's interpreter does not accept; otherwise "". Inspect checks the line
// end of the #! line.
func lineEndDoubt(path, text string) string {
	first, _, _ := strings.Cut(text, "\n")
	ending := strings.ToLower(filepath.Ext(path))
	forShell := ending == ".sh" || ending == ".bash"
	line, isProgram := strings.CutPrefix(first, "#!")
	if isProgram {
		forShell = slices.ContainsFunc(strings.Fields(line), func(word string) bool {
			return slices.Contains(shells, filepath.Base(word))
		})
	}
	switch {
	case forShell && strings.Contains(text, "\r\n") && (hashBangTakesCRLF || !isProgram):
		return "has CR LF line ends, which a shell takes for a part of its words; save it with LF line ends"
	case (ending == ".cmd" || ending == ".bat") && strings.Contains(text, "\n:") && !strings.Contains(text, "\r\n"):
		return "has LF line ends, with which cmd.exe does not find each of its labels; save it with CR LF line ends"
	}
	return ""
}

// onlyComments reports whether a script has only blank lines and comments of sh, Python or JavaScript.
func onlyComments(text string) bool {
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") &&
			!strings.HasPrefix(line, "//") {
			return false
		}
	}
	return true
}
