package trust

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/hook"
	"github.com/hookrun/hookrun/internal/launch"
	"github.com/hookrun/hookrun/internal/lazy"
	"github.com/hookrun/hookrun/internal/shellline"
)

// hook adds what the command of a hook names.
func (t *taker) hook(h *hook.Hook) error {
	if h.StaticVerdict != nil || h.Unsupported != "" {
		return nil
	}
	own := t.folder(h)
	folders := []string{own}
	if t.Dir != "" && t.Dir != t.Options.Workspace && own == t.Options.Workspace && h.Dialect.Run.FollowsDir {
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
			found, filled, err := launch.Program(h, dir, env)
			if err == nil {
				path = found
			}
			if len(filled) > 0 { // also of one that cannot be started yet, for want of a shell
				argv = filled
			}
		}
		for _, variable := range h.Env {
			name, value, _ := strings.Cut(variable, "=")
			c.variable(name, word{text: value})
		}
		c.ran(fixed(argv), path)
		if c.err != nil {
			return c.err
		}
	}
	return t.listed(h)
}

// folder is where the hook runs, wherever the call is.
func (t *taker) folder(h *hook.Hook) string {
	return launch.Dir(h, &dialect.Call{Workspace: t.Options.Workspace})
}

// variable adds the files that a variable has a program load, and notes a doubt if it may have it find others.
func (c *commandLine) variable(name string, value word) {
	if slices.Contains(loaders, name) {
		parts := func(r rune) bool { return strings.ContainsRune(betweenFiles, r) }
		for _, file := range strings.FieldsFunc(value.text, parts) {
			c.file(file)
		}
	}
	switch {
	case name == "PATH" && slices.ContainsFunc(filepath.SplitList(value.text), c.isOwnFolder):
		c.doubt("PATH has a folder of the workspace, or one that is not absolute")
	case value.computed && (slices.Contains(options, name) || slices.Contains(modulePaths, name) ||
		findsFiles.Get().MatchString(name)):
		c.doubt("the value of %s is known only when it runs", name)
	case slices.Contains(options, name):
		for option := range strings.FieldsSeq(value.text) {
			isPath := strings.Contains(option, "/") && !requireOption.Get().MatchString(option)
			if isPath || !strings.HasPrefix(option, "--") {
				c.doubt("%s has an option that is not known", name)
			}
		}
	case !value.computed && (strings.Contains(value.text, "$(") || strings.Contains(value.text, "`")):
		c.doubt("%s has a command in its text", name)
	case (slices.Contains(modulePaths, name) || findsFiles.Get().MatchString(name)) &&
		slices.ContainsFunc(filepath.SplitList(value.text), c.isFolder):
		c.doubt("%s names a folder", name)
	case strings.HasPrefix(name, "GIT_") && strings.ContainsAny(value.text, " /"), name == "IFS", name == "LESSOPEN":
		c.doubt("%s may have a program run others", name)
	}
}

func (c *commandLine) isOwnFolder(path string) bool {
	return !filepath.IsAbs(path) || inside(filepath.Clean(path), c.Options.Workspace)
}

// findsFiles matches variables that have a shell or a program look for files.
var findsFiles = lazy.Regexp{Text: `^(?:PATH|HOME|PWD|OLDPWD|CDPATH|FPATH|ZDOTDIR|ENV|BASH_ENV|IFS|LESSOPEN|` +
	`TMPDIR|(?:XDG|GIT|PYTHON|NODE|NPM|PERL|RUBY|GEM|LUA|LD|JAVA|UV|GO|CARGO|MAKE|AWK).*)$`}

// options are variables with options of an interpreter.
var options = []string{"NODE_OPTIONS", "PERL5OPT", "RUBYOPT"}

var requireOption = lazy.Regexp{Text: `^--(?:require|import)=\./[A-Za-z0-9_./-]+\.[cm]?js$`}

// loaders are variables with files that an interpreter or the linker loads before the program.
var loaders = []string{"BASH_ENV", "ENV", "LD_PRELOAD", "NODE_OPTIONS", "PERL5OPT", "PYTHONSTARTUP", "RUBYOPT"}

// modulePaths are variables with folders in which an interpreter or the linker looks for what a program loads.
var modulePaths = []string{"AWKPATH", "LD_LIBRARY_PATH", "LUA_PATH", "NODE_PATH", "PERL5LIB", "PERLLIB", "RUBYLIB"}

// endpoint adds the certificates and the key of an HTTP hook.
func (t *taker) endpoint(h *hook.Hook) error {
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
	hook    *hook.Hook
	env     []string
	folders []string // where relative paths may start: where the hook runs, and where it changes to
	depth   int
	err     error

	commands int // so far

	set       map[string]word // variables that a line sets
	unknown   map[string]bool // variables whose value only the shell knows
	globbed   int             // files that globs have matched so far
	odd       bool            // the line sets options that change what a glob is
	assigned  map[*syntax.Assign]bool
	input     *word // the text that the line gives to the command that is looked at, nil if none
	inputFile bool  // the line gives it a file
	sourced   bool  // the shell has read a file, which may have changed anything
	loops     int   // that the command is in
	script    bool  // the program is that of a #! line: what a script reads by itself is not looked for
}

// maxDepth limits how many commands may stand in each other, maxCommands how many there may be, also by loops.
const (
	maxDepth    = 32
	maxCommands = 4096
)

// file adds the files that a word may mean.
func (c *commandLine) file(name string) {
	const longest = 4 << 10
	if name == "" || len(name) > longest || strings.ContainsAny(name, "\x00\n") {
		return
	}
	for _, dir := range c.folders {
		path := c.in(dir, name)
		known := c.seen[hookPath{c.hook, path}]
		// Who chooses the folder of a call must not choose with it what runs.
		chosen := !filepath.IsAbs(name) && c.folders[0] != c.folder(c.hook)
		if err := c.candidate(c.hook, path, chosen); err != nil && c.err == nil {
			c.err = err
		}
		if w := c.watched[path]; !known && len(w.interpreter) > 0 {
			outer := c.script
			c.script = true
			c.ran(append(fixed(w.interpreter), word{text: path}), "")
			c.script = outer
		}
	}
}

// inPath is where PATH has a program, "" for nowhere.
func (c *commandLine) inPath(name string) string {
	for _, dir := range filepath.SplitList(launch.Variable(c.env, "PATH")) {
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
	file, why := shellline.Parse(text)
	if why != "" || c.hook.Command.PowerShell {
		if c.words(text); why != "" {
			c.doubt("the line cannot be read: %s", why)
		} else {
			c.doubt("it is a line of PowerShell")
		}
		return
	}
	outer := c.unknown
	c.unknown = maps.Clone(outer)
	c.variablesOf(file)
	c.odd = c.odd || strings.Contains(text, "shopt") || strings.Contains(text, "setopt")
	c.walk(file)
	c.unknown = outer
}

var (
	// variables are those of PowerShell, those that a client fills in, and those of cmd.exe.
	variables = lazy.Regexp{Text: `(?i)\$\{?(?:env:)?(\w+)\}?|%(\w+)%`}
	// printed is the text that another command prints, as git rev-parse --show-toplevel does.
	printed = lazy.Regexp{Text: `\$\([^()]*\)`}
	// quoted are words of which a part is in quotes, where blanks end no word.
	quoted = lazy.Regexp{Text: `[^\s"']*(?:"[^"]*"|'[^']*')(?:"[^"]*"|'[^']*'|[^\s"'])*`}
	quotes = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
		return strings.NewReplacer(`"`, "", "''", "'", "'", "")
	}}
)

// words adds the files that are named by a command line which sh would not read. PowerShell and cmd.exe know what a
// backslash is to Windows, and add endings to the names of programs, also of those in the current folder.
func (c *commandLine) words(text string) {
	value := func(variable string) string {
		name := variables.Get().FindStringSubmatch(variable)
		return cmp.Or(launch.Variable(c.env, name[1]+name[2]), ".") // $PWD, too
	}
	text = printed.Get().ReplaceAllString(text, ".")
	all := strings.Fields(text) // also between quotes: cmd.exe has no single ones
	for _, word := range quoted.Get().FindAllString(text, -1) {
		all = append(all, quotes.Get().Replace(word))
	}
	for _, word := range all {
		if word = strings.Trim(word, `"'&;()`); word == "" {
			continue
		}
		word = variables.Get().ReplaceAllStringFunc(word, value) // PowerShell does not split it at a blank
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
	known = c.parts(&b, w.Parts, plainText.Get())
	return c.home(w, b.String(), known)
}

// plainText and quotedText remove the backslashes of a shell's word. In double quotes a backslash stays before most
// characters.
var (
	plainText = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
		return strings.NewReplacer(`\\`, `\`, `\`, "")
	}}
	quotedText = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
		return strings.NewReplacer(`\\`, `\`, `\$`, "$", "\\`", "`", `\"`, `"`, "\\\n", "")
	}}
)

func (c *commandLine) parts(b *strings.Builder, parts []syntax.WordPart, unescape *strings.Replacer) bool {
	computed := false
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescape.Replace(p.Value))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			if !c.parts(b, p.Parts, quotedText.Get()) {
				return false
			}
		case *syntax.ParamExp:
			text, known := c.expansion(p)
			if b.WriteString(text); !known {
				return false
			}
		case *syntax.CmdSubst:
			if b.Len() > 0 {
				return false
			}
			text, known := c.printed(p)
			if b.WriteString(text); !known {
				computed = true
			}
		default:
			return false
		}
	}
	return !computed
}
