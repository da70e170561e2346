package trust

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/lazyregexp"
	"github.com/hookrun/hookrun/internal/shellline"
	"github.com/hookrun/hookrun/protocol"
)

// hook adds what the command of a hook names.
func (t *taker) hook(h *hookfile.Hook) error {
	if h.StaticVerdict != nil || h.Unsupported != "" {
		return nil
	}
	own := t.folder(h)
	folders := []string{own}
	if t.Dir != "" && t.Dir != t.Options.Workspace && own == t.Options.Workspace && h.Dialect.FollowsDir {
		folders = append(folders, t.Dir)
	}
	if h.HTTP != nil {
		return t.endpoint(h)
	}
	env := t.Environ(h)
	for _, dir := range folders {
		c := commandLine{taker: t, hook: h, env: env, folders: []string{dir}}
		path, argv := "", h.Command.Argv
		if len(argv) == 0 || h.Command.Placeholders || !strings.Contains(argv[0], "/") {
			found, filled, err := h.Program(dir, env)
			if err == nil {
				path = found
			}
			if len(filled) > 0 { // also of one that cannot be started yet, for want of a shell
				argv = filled
			}
		}
		c.ran(argv, path)
		c.loaded(h.Env)
		if c.err != nil {
			return c.err
		}
	}
	return nil
}

// folder is where the hook runs, wherever the call is.
func (t *taker) folder(h *hookfile.Hook) string {
	return h.Dir(&protocol.Call{Workspace: t.Options.Workspace})
}

// loaders are variables with files that an interpreter or the linker loads before the program.
var loaders = []string{"BASH_ENV", "ENV", "LD_PRELOAD", "NODE_OPTIONS", "PERL5OPT", "PYTHONSTARTUP", "RUBYOPT"}

// loaded adds the files that the variables of a hook have loaded.
func (c *commandLine) loaded(env []string) {
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		if !slices.Contains(loaders, name) {
			continue
		}
		parts := func(r rune) bool { return strings.ContainsRune(betweenFiles, r) }
		for _, word := range strings.FieldsFunc(value, parts) {
			c.file(word)
		}
	}
}

// endpoint adds the certificates and the key of an HTTP hook.
func (t *taker) endpoint(h *hookfile.Hook) error {
	for _, path := range []string{h.HTTP.CAFile, h.HTTP.ClientCert, h.HTTP.ClientKey} {
		if path == "" {
			continue
		}
		if err := t.candidate(h, t.in(t.Options.Workspace, path), false); err != nil {
			return err
		}
	}
	return nil
}

func (t *taker) in(dir, path string) string {
	path = native(path)
	if !filepath.IsAbs(path) {
		path = dir + string(filepath.Separator) + path
	}
	if clean := filepath.Clean(path); !strings.Contains(path, "..") {
		return clean
	}
	return path // behind a link, .. leads elsewhere than to the folder above by the name
}

// commandLine finds the paths in one hook's command. It tries too many rather than too few, since only files count.
type commandLine struct {
	*taker
	hook    *hookfile.Hook
	env     []string
	folders []string // where relative paths may start: where the hook runs, and where it changes to
	depth   int
	err     error
}

// Programs by what they do with their arguments.
var (
	// otherShells do not read a line as sh does.
	otherShells = []string{"pwsh", "powershell", "cmd"}
	// writers write to the files that they are given, and run none of them.
	writers = []string{"tee", "touch", "mkdir", "rm"}
	// endings that interpreters add to the name of a file
	endings = []string{".py", ".js", ".mjs", ".cjs", ".ts", "/__main__.py", "/index.js"}
)

// ran adds the files that a program and its arguments name. path is where the program was found, "" if unknown.
func (c *commandLine) ran(argv []string, path string) {
	if len(argv) == 0 || c.err != nil {
		return
	}
	name := strings.TrimSuffix(foldName(filepath.Base(argv[0])), ".exe")
	switch {
	case filepath.Base(argv[0]) != argv[0] || c.hook.Command.Script != "":
		c.file(argv[0])
		for _, ending := range programEndings(c.env) {
			c.file(argv[0] + ending)
		}
	default:
		c.program(argv[0], path)
	}
	if path != "" && inside(path, c.Options.Workspace) {
		c.file(path)
	}
	if slices.Contains(writers, name) {
		return
	}
	interprets := strings.HasPrefix(name, "python") || slices.Contains([]string{"node", "bun", "deno"}, name)
	for i, word := range argv[1:] {
		if flag := strings.HasPrefix(word, "-"); flag {
			_, word, _ = strings.Cut(word, "=")
		}
		c.file(word)
		switch {
		case i > 0 && argv[i] == "-m" && interprets:
			word = strings.ReplaceAll(word, ".", "/")
			fallthrough
		case interprets && word != "":
			for _, ending := range endings {
				c.file(word + ending)
			}
		}
		if i > 0 && isCommandFlag(argv[i]) && slices.Contains(otherShells, name) {
			c.words(word)
			c.line(word)
		}
	}
	if c.hook.Command.Callable != "" {
		module := strings.ReplaceAll(c.hook.Command.Callable, ".", "/")
		c.file(filepath.Dir(module) + ".py")
		c.file(filepath.Dir(module) + "/__init__.py")
	}
	for _, l := range shellline.Behind(argv) {
		if l.Words == nil {
			c.line(l.Line)
		} else {
			c.ran(l.Words, "")
		}
	}
	if name == "cd" && len(argv) == 2 && len(c.folders) < 8 {
		c.folders = append(c.folders, c.in(c.folders[0], argv[1]))
	}
}

// isCommandFlag reports whether a command line follows the flag, as in pwsh -Command and cmd /c.
func isCommandFlag(word string) bool {
	return len(word) > 1 && (strings.HasPrefix(word, "-") || strings.HasPrefix(word, "/")) &&
		(strings.EqualFold(word[len(word)-1:], "c") || strings.EqualFold(word[1:], "command"))
}

// file adds the files that a word may mean.
func (c *commandLine) file(word string) {
	const longest = 4 << 10
	if word == "" || len(word) > longest || strings.ContainsAny(word, "\x00\n") {
		return
	}
	for _, dir := range c.folders {
		path := c.in(dir, word)
		known := slices.Contains(c.byHook[c.hook], path)
		// Who chooses the folder of a call must not choose with it what runs.
		chosen := !filepath.IsAbs(word) && c.folders[0] != c.folder(c.hook)
		if err := c.candidate(c.hook, path, chosen); err != nil && c.err == nil {
			c.err = err
		}
		if !known {
			c.ran(c.watched[path].interpreter, "")
		}
	}
}

// inPath is where PATH has a program, "" for nowhere.
func (c *commandLine) inPath(name string) string {
	for _, dir := range filepath.SplitList(hookfile.Variable(c.env, "PATH")) {
		dir = c.in(c.folders[0], dir) // a shell takes relative ones, as hookrun does not
		if found := filepath.Join(dir, name); name != "" && isProgram(found) {
			return found
		}
	}
	return ""
}

// program adds a program that PATH has. Another one there, wherever, is a difference.
func (c *commandLine) program(name, path string) {
	if path == "" {
		path = c.inPath(name)
	}
	switch {
	case path == "" || path == shellPath: // a builtin of the shell, or the shell itself
	case c.Programs[name] == "":
		c.Programs[name] = path
	case !slices.Contains(filepath.SplitList(c.Programs[name]), path): // another hook has another PATH
		c.Programs[name] += string(filepath.ListSeparator) + path
	}
	if path != "" && (inside(path, c.Options.Workspace) || inside(path, c.Fingerprint.Workspace)) {
		c.file(path)
	}
}

// line adds the files that a shell's command line names. If it cannot be parsed, it is split at blanks.
func (c *commandLine) line(text string) {
	if c.depth++; c.depth > 4 {
		return
	}
	defer func() { c.depth-- }()
	file, why := shellline.Parse(text)
	if why != "" || c.hook.Command.PowerShell {
		c.words(text)
		return
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Assign:
			if value, known := c.value(n.Value); known && n.Name != nil {
				c.env = append(slices.Clip(c.env), n.Name.Value+"="+value)
				c.file(value)
			}
		case *syntax.Redirect:
			if word, known := c.value(n.Word); known && n.Op == syntax.RdrIn {
				c.file(word)
			}
		case *syntax.CallExpr:
			var argv []string
			for i, arg := range n.Args {
				word, known := c.value(arg)
				if !known && i == 0 {
					word = "(computed)"
				}
				argv = append(argv, word)
			}
			c.ran(argv, "")
		}
		return true
	})
}

var (
	// variables are those of PowerShell, those that a client fills in, and those of cmd.exe.
	variables = lazyregexp.New(`(?i)\$\{?(?:env:)?(\w+)\}?|%(\w+)%`)
	// printed is the text that another command prints, as git rev-parse --show-toplevel does.
	printed = lazyregexp.New(`\$\([^()]*\)`)
	// quoted are words of which a part is in quotes, where blanks end no word.
	quoted = lazyregexp.New(`[^\s"']*(?:"[^"]*"|'[^']*')(?:"[^"]*"|'[^']*'|[^\s"'])*`)
	quotes = strings.NewReplacer(`"`, "", "''", "'", "'", "")
)

// words adds the files that are named by a command line which sh would not read. PowerShell and cmd.exe know what a
// backslash is to Windows, and add endings to the names of programs, also of those in the current folder.
func (c *commandLine) words(text string) {
	value := func(variable string) string {
		name := variables().FindStringSubmatch(variable)
		return cmp.Or(hookfile.Variable(c.env, name[1]+name[2]), ".") // $PWD, too
	}
	text = printed().ReplaceAllString(text, ".")
	all := strings.Fields(text) // also between quotes: cmd.exe has no single ones
	for _, word := range quoted().FindAllString(text, -1) {
		all = append(all, quotes.Replace(word))
	}
	for _, word := range all {
		if word = strings.Trim(word, `"'&;()`); word == "" {
			continue
		}
		word = variables().ReplaceAllStringFunc(word, value) // PowerShell does not split it at a blank
		word = strings.ReplaceAll(word, `\`, "/")
		c.file(word)
		for _, ending := range append(programEndings(c.env), ".ps1") {
			c.file(word + ending)
		}
	}
}

// value returns a shell's word without quotes and with variables expanded. A command substitution at its start is taken
// for the workspace, as $(git rev-parse --show-toplevel) is.
func (c *commandLine) value(w *syntax.Word) (text string, known bool) {
	if w == nil {
		return "", false
	}
	var b strings.Builder
	known = c.parts(&b, w.Parts, plainText)
	return b.String(), known
}

// plainText and quotedText remove the backslashes of a shell's word. In double quotes a backslash stays before most
// characters.
var (
	plainText  = strings.NewReplacer(`\\`, `\`, `\`, "")
	quotedText = strings.NewReplacer(`\\`, `\`, `\$`, "$", "\\`", "`", `\"`, `"`, "\\\n", "")
)

func (c *commandLine) parts(b *strings.Builder, parts []syntax.WordPart, unescape *strings.Replacer) bool {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescape.Replace(p.Value))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			if !c.parts(b, p.Parts, quotedText) {
				return false
			}
		case *syntax.ParamExp:
			if p.Param == nil || p.Length || p.Excl || p.Index != nil || p.Slice != nil || p.Repl != nil {
				return false
			}
			b.WriteString(hookfile.Variable(c.env, p.Param.Value)) // with :- too, where the variable is set
		case *syntax.CmdSubst:
			if b.Len() > 0 {
				return false
			}
			b.WriteString(c.Options.Workspace)
		default:
			return false
		}
	}
	return true
}
