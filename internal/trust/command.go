package trust

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/lib/lazy"
)

// addHook adds the files in a hook's command.
func (t *collector) addHook(h *hook.Hook) error {
	if to := h.Request(); to != nil {
		return t.addCertificates(h, to)
	}
	if !h.Starts() {
		return nil
	}
	own := t.folder(h)
	folders := []string{own}
	if t.Dir != "" && t.Dir != t.Options.Workspace && own == t.Options.Workspace && h.FollowsDir() {
		folders = append(folders, t.Dir)
	}
	env := t.Environ(h)
	for _, dir := range folders {
		c := newCommandLine(t, h, env, dir)
		path, argv := "", h.Process().Argv
		if len(argv) == 0 || h.Process().Placeholders || !strings.Contains(argv[0], "/") {
			found, filled, err := launch.Program(h, dir, env)
			if err == nil {
				path = found
			}
			if len(filled) > 0 { // even if the shell for the program is missing
				argv = filled
			}
		}
		c.environment(h.Environment())
		c.addCommand(literalWords(argv), path)
		if c.err != nil {
			return c.err
		}
	}
	return t.addListed(h)
}

// folder returns the folder in which the hook runs, without regard to the call's folder.
func (t *collector) folder(h *hook.Hook) string {
	return launch.Dir(h, &dialect.Call{Workspace: t.Options.Workspace})
}

// addCertificates adds the certificates and the key of an HTTP hook.
func (t *collector) addCertificates(h *hook.Hook, to *hook.Request) error {
	for _, path := range []string{to.CAFile, to.ClientCert, to.ClientKey} {
		if path == "" {
			continue
		}
		if err := t.candidate(h, t.in(t.Options.Workspace, path), false); err != nil {
			return err
		}
	}
	return nil
}

func (t *collector) in(dir, path string) string {
	path = native(path)
	if !filepath.IsAbs(path) {
		path = dir + string(filepath.Separator) + path
	}
	if clean := filepath.Clean(path); !strings.Contains(path, "..") {
		return clean
	}
	return path // after a link, .. is the parent of the link's target
}

// commandLine finds the paths in one hook's command. Too many paths are harmless, because only files count.
type commandLine struct {
	*collector
	hook    *hook.Hook
	env     []string
	folders []string // for relative paths: the hook's folder, and folders of cd
	depth   int
	err     error

	commands int // so far

	set       map[string]word // variables set by the line
	unknown   map[string]bool // variables with a value known only to the shell
	globbed   int             // files matched by globs so far
	setsGlobs bool            // the line sets options that change the meaning of globs
	input     *word           // the text on the command's stdin; nil: none
	inputFile bool            // the command's stdin is a file
	sourced   bool            // the shell has read a file, which may redefine commands
	loops     int             // number of loops around the command
	// inClientEnv: the variables of a client's form are read, which has no key for files.
	inClientEnv bool
	script      bool // the program is from a #! line: files that a script reads by itself do not count
}

func newCommandLine(t *collector, h *hook.Hook, env []string, dir string) commandLine {
	return commandLine{collector: t, hook: h, env: env, folders: []string{dir}, set: map[string]word{}}
}

// maxDepth bounds the nesting of commands, and maxCommands the number of commands, repeats in loops included.
const (
	maxDepth    = 32
	maxCommands = 4096
)

// file adds the files that a word may name.
func (c *commandLine) file(name string) {
	const longest = 4 << 10
	if name == "" || len(name) > longest || strings.ContainsAny(name, "\x00\n") {
		return
	}
	for _, dir := range c.folders {
		path := c.in(dir, name)
		known := c.seen[hookPath{c.hook, path}]
		// The caller chooses the folder of a call, but must not choose the program with it.
		chosen := !filepath.IsAbs(name) && c.folders[0] != c.folder(c.hook)
		if err := c.candidate(c.hook, path, chosen); err != nil && c.err == nil {
			c.err = err
		}
		if w := c.watched[path]; !known && len(w.interpreter) > 0 {
			outer := c.script
			c.script = true
			c.addCommand(append(literalWords(w.interpreter), word{Text: path}), "")
			c.script = outer
		}
	}
}

// inPath returns the path of a program in PATH, or "".
func (c *commandLine) inPath(name string) string {
	for _, dir := range filepath.SplitList(launch.Variable(c.env, "PATH")) {
		dir = c.in(c.folders[0], dir) // a shell accepts relative folders in PATH, unlike hookrun
		if found := filepath.Join(dir, name); name != "" && isProgram(found) {
			return found
		}
	}
	return ""
}

// program adds a program in PATH. If PATH later leads to another path, that is a difference, in any folder.
func (c *commandLine) program(name, path string) {
	c.programs = append(c.programs, use{c.hook.Name, name})
	if path == "" {
		path = c.inPath(name)
	}
	switch {
	case path == "" || path == shellPath: // a builtin of the shell, or the shell
	case c.Programs[name] == "":
		c.Programs[name] = path
	case !slices.Contains(filepath.SplitList(c.Programs[name]), path): // another hook has another PATH
		c.Programs[name] += string(filepath.ListSeparator) + path
	}
	if strings.Contains(path, "/shims/") {
		for file := range strings.FieldsSeq(versions) {
			c.file(file)
		}
	}
	if path != "" && (inside(path, c.Options.Workspace) || inside(path, c.Fingerprint.Workspace)) {
		c.file(path)
	}
}

var (
	// variables matches variables of PowerShell and cmd.exe, and placeholders of clients.
	variables = lazy.Regexp{Text: `(?i)\$\{?(?:env:)?(\w+)\}?|%(\w+)%`}
	// printed matches a command substitution, such as $(git rev-parse --show-toplevel).
	printed = lazy.Regexp{Text: `\$\([^()]*\)`}
	// quoted matches a word with a part in quotes: a blank in quotes does not end the word.
	quoted = lazy.Regexp{Text: `[^\s"']*(?:"[^"]*"|'[^']*')(?:"[^"]*"|'[^']*'|[^\s"'])*`}
	quotes = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
		return strings.NewReplacer(`"`, "", "''", "'", "'", "")
	}}
)

// words adds the files in a command line for PowerShell or cmd.exe. These shells read a backslash as Windows does, and
// add extensions to the names of programs, even in the current folder.
func (c *commandLine) words(text string) {
	value := func(variable string) string {
		name := variables.Get().FindStringSubmatch(variable)
		return cmp.Or(launch.Variable(c.env, name[1]+name[2]), ".") // $PWD, too
	}
	text = printed.Get().ReplaceAllString(text, ".")
	all := strings.Fields(text) // also inside quotes: cmd.exe has no single quotes
	for _, word := range quoted.Get().FindAllString(text, -1) {
		all = append(all, quotes.Get().Replace(word))
	}
	for _, word := range all {
		if word = strings.Trim(word, `"'&;()`); word == "" {
			continue
		}
		word = variables.Get().ReplaceAllStringFunc(word, value) // PowerShell does not split values at blanks
		word = strings.ReplaceAll(word, `\`, "/")
		c.file(word)
		for _, ending := range append(programEndings(c.env), ".ps1") {
			c.file(word + ending)
		}
	}
}
