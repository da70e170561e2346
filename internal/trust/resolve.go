package trust

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/hookfile"
	"github.com/hookrun/hookrun/internal/lazyregexp"
	"github.com/hookrun/hookrun/internal/shellline"
	"github.com/hookrun/hookrun/internal/spelling"
)

// word is one word of a command. Of one that is computed, text is the part that is known.
type word struct {
	text     string
	computed bool
	source   string // as it stands in the line, for messages
}

func fixed(texts []string) []word {
	words := make([]word, len(texts))
	for i, text := range texts {
		words[i] = word{text: text}
	}
	return words
}

func (w word) String() string {
	if w.source != "" {
		return spelling.Quote(w.source)
	}
	return spelling.Quote(w.text)
}

// doubt notes why files may be missing, unless the entry names them.
func (c *commandLine) doubt(format string, args ...any) {
	if c.hook.Files == nil {
		c.taker.doubt(c.hook, format, args...)
	}
}

// ran adds the files that a program and its arguments name, and notes a doubt if there may be others. path is where the
// program was found, "" if unknown.
func (c *commandLine) ran(argv []word, path string) {
	if len(argv) == 0 || c.err != nil {
		return
	}
	c.depth++
	defer func() { c.depth-- }()
	if c.commands++; c.depth > maxDepth || c.commands > maxCommands {
		c.doubt("it has too many commands")
		return
	}
	first, args := argv[0], argv[1:]
	name := strings.TrimSuffix(foldName(filepath.Base(first.text)), ".exe")
	byPath := filepath.Base(first.text) != first.text || c.hook.Command.Script != ""
	byOwnPath := byPath && filepath.Clean(c.in(c.folders[0], first.text)) != c.inPath(filepath.Base(first.text))
	switch {
	case first.computed:
		c.doubt("%s is known only when it runs", first)
		c.file(first.text)
		name = ""
	case byPath:
		c.file(first.text)
		for _, ending := range programEndings(c.env) {
			c.file(first.text + ending)
		}
	default:
		c.program(first.text, path)
	}
	if path != "" && inside(path, c.Options.Workspace) {
		c.file(path)
	}
	if among(writers, name) {
		return
	}
	for _, w := range args {
		c.argument(w.text)
	}
	if c.hook.Command.Callable != "" {
		c.module(strings.TrimSuffix(c.hook.Command.Callable, filepath.Ext(c.hook.Command.Callable)))
	}
	if first.computed || c.functions[name] {
		return
	}
	launched, launches := shellline.Launch(words(argv))
	switch {
	case name == "cd" || name == "pushd":
		c.cd(args)
	case name == "." || name == "source":
		c.source(args)
	case isOtherShell(name):
		c.otherShell(name, args)
	case among(runners, name) && launches:
		c.launched(name, args, launched)
	case among(managers, name) && !isScript(args):
		c.manager(name, args)
	case launches:
		c.launched(name, args, launched)
	case isPython(name):
		c.python(args)
	case among(codes, name) || among(codes, baseName(name)):
		c.code(baseName(name), args)
	case name == "make" || name == "gmake":
		c.make(args)
	case among(setters, name):
		c.setsVariables(name, args)
	case configured[name] != "":
		for file := range strings.FieldsSeq(configured[name]) {
			c.file(file)
		}
	case name == "osascript":
		c.appleScript(args)
	case name == "cargo" && len(args) > 0 && args[0].text == "fmt":
	case among(builtins, name) || among(readers, name) || byOwnPath:
	default:
		// One that is not there yet is a difference once it is.
		found := cmp.Or(path, c.inPath(filepath.Base(first.text)))
		if found != "" && !inside(found, c.Options.Workspace) || found == "" && shellline.IsBuiltin(name) {
			c.doubt("hookrun does not know what files %s runs", spelling.Quote(name))
		}
	}
}

func words(argv []word) []shellline.Word {
	converted := make([]shellline.Word, len(argv))
	for i, w := range argv {
		converted[i] = shellline.Word{Text: w.text, Computed: w.computed}
	}
	return converted
}

// argument adds the files that an argument may name, also as the value of an option: --config=FILE, -fFILE, -sfFILE.
func (c *commandLine) argument(text string) {
	if !strings.HasPrefix(text, "-") {
		c.file(text)
		return
	}
	const longest = 256
	_, value, _ := strings.Cut(text, "=")
	c.file(value)
	if strings.HasPrefix(text, "--") || len(text) > longest {
		return
	}
	for i := 2; i < len(text); i++ {
		c.file(text[i:])
	}
}

// isFolder reports whether a word names a folder of the workspace.
func (c *commandLine) isFolder(text string) bool {
	return slices.ContainsFunc(c.folders, func(dir string) bool {
		path := c.in(dir, text)
		return inside(filepath.Clean(path), c.Options.Workspace) && isFolder(path)
	})
}

// cd adds the folders to which a shell changes.
func (c *commandLine) cd(args []word) {
	for len(args) > 0 && !args[0].computed && strings.HasPrefix(args[0].text, "-") && args[0].text != "-" {
		end := args[0].text == "--"
		if args = args[1:]; end {
			break
		}
	}
	switch {
	case len(args) == 0:
		c.enter(hookfile.Variable(c.env, "HOME"))
	case args[0].computed:
		c.doubt("the folder %s is known only when it runs", args[0])
		c.enter(args[0].text)
	case args[0].text != "-":
		for _, dir := range filepath.SplitList(hookfile.Variable(c.env, "CDPATH")) {
			c.enter(filepath.Join(dir, args[0].text))
		}
		c.enter(args[0].text)
	}
}

// isStdin reports whether a path stands for an open file.
func isStdin(path string) bool {
	return strings.HasPrefix(path, "/dev/stdin") || strings.HasPrefix(path, "/dev/fd/") ||
		strings.HasPrefix(path, "/proc/")
}

// setsVariables notes the variables that a builtin sets to what only the shell knows.
func (c *commandLine) setsVariables(name string, args []word) {
	for i, w := range args {
		switch {
		case name == "printf" && (i == 0 || args[i-1].text != "-v"):
		case isVariable(w.text):
			c.assign(w.text, word{computed: true, source: w.source})
		case w.computed:
			c.doubt("%s sets a variable that is known only when it runs", name)
		}
	}
}

// enter adds the folders in which relative paths may start from now on.
func (c *commandLine) enter(folder string) {
	const most = 8
	if folder == "" {
		return
	}
	for _, from := range slices.Clip(c.folders) {
		to := c.in(from, folder)
		switch {
		case slices.Contains(c.folders, to):
		case len(c.folders) == most:
			c.doubt("it changes to more folders than %d", most)
			return
		default:
			c.folders = append(c.folders, to)
		}
	}
}

// source adds the file that a shell reads. One without a slash is looked for in PATH.
func (c *commandLine) source(args []word) {
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	switch {
	case len(args) == 0:
	case args[0].computed || strings.HasPrefix(args[0].text, "-") || isStdin(args[0].text):
		c.doubt("the file %s is known only when it runs", args[0])
	case !strings.Contains(args[0].text, "/"):
		for _, dir := range filepath.SplitList(hookfile.Variable(c.env, "PATH")) {
			if dir == "" {
				dir = "."
			}
			c.file(filepath.Join(dir, args[0].text))
		}
	}
}

// isOtherShell reports whether a shell does not read a line as sh does, and has options of its own.
func isOtherShell(name string) bool {
	return slices.Contains([]string{"pwsh", "powershell", "cmd"}, name)
}

func (c *commandLine) otherShell(name string, args []word) {
	for i, w := range args {
		if i == 0 || !isCommandFlag(args[i-1].text) {
			if w.computed {
				c.doubt("%s is known only when %s runs", w, name)
			}
			continue
		}
		c.doubt("it is a line of %s", name)
		c.words(w.text)
		c.line(w.text)
	}
}

// launched adds what a launcher or a shell runs, and the variables that it sets.
func (c *commandLine) launched(name string, args []word, l shellline.Launched) {
	for i, w := range args {
		variable, value, isAssignment := strings.Cut(w.text, "=")
		switch {
		case isAssignment && isVariable(variable) && !shellline.IsShell(name) && name != "trap":
			c.assign(variable, word{text: value, computed: w.computed, source: w.source})
		case name == "env" && isChdir(w.text):
			c.chdir(w, args[i+1:])
		}
	}
	for _, command := range l.Commands {
		argv := make([]word, len(command))
		for i, w := range command {
			argv[i] = word{text: w.Text, computed: w.Computed}
			if at := slices.IndexFunc(args, func(a word) bool { return a.text == w.Text && a.computed }); at >= 0 {
				argv[i].source = args[at].source
			}
		}
		if shellline.IsShell(name) { // a script, which is among the arguments that were added
			if argv[0].computed {
				c.doubt("%s is known only when it runs", argv[0])
			}
			continue
		}
		if among(runners, name) || among(managers, name) {
			c.file("node_modules/.bin/" + argv[0].text)
		}
		c.ran(argv, "")
	}
	for _, line := range l.Lines {
		c.line(line)
	}
	switch {
	case l.Doubt != "":
		c.doubt("%s", l.Doubt)
	case l.Stdin && c.input != nil && !c.input.computed:
		c.line(c.input.text)
	case l.Stdin && !c.inputFile && (shellline.IsShell(name) || len(l.Commands)+len(l.Lines) == 0):
		c.doubt("%s reads its commands from its stdin", name)
	case len(l.Commands)+len(l.Lines) == 0 && !shellline.IsShell(name) && slices.ContainsFunc(args, isComputed):
		c.doubt("what %s runs is known only then", name)
	}
}

func isComputed(w word) bool { return w.computed }

func isVariable(name string) bool { return name != "" && variableName().MatchString(name) }

var variableName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// isChdir reports whether an option of env changes the folder: -C DIR, -CDIR, --chdir=DIR.
func isChdir(text string) bool {
	return strings.HasPrefix(text, "--chdir") || len(text) > 1 && text[0] == '-' && text[1] != '-' &&
		strings.Contains(text, "C")
}

func (c *commandLine) chdir(option word, rest []word) {
	_, folder, attached := strings.Cut(option.text, "=")
	if !strings.HasPrefix(option.text, "--") {
		_, folder, _ = strings.Cut(option.text, "C")
		attached = folder != ""
	}
	computed := option.computed
	if !attached && len(rest) > 0 {
		folder, computed = rest[0].text, rest[0].computed
	}
	if computed {
		c.doubt("the folder %s is known only when it runs", option)
	}
	c.enter(folder)
}

// assign notes that a line sets a variable.
func (c *commandLine) assign(name string, value word) {
	if c.set == nil {
		c.set = map[string]word{}
	}
	earlier, again := c.set[name]
	if again && (earlier.computed || earlier.text != value.text) {
		value.computed = true // which of the two counts only the shell knows
	}
	c.set[name] = value
	matters := slices.Contains(loaders, name) || slices.Contains([]string{"PATH", "CDPATH", "PYTHONPATH"}, name) ||
		slices.Contains(modulePaths, name)
	if value.computed && matters {
		c.doubt("the value of %s is known only when it runs", name)
	}
	if !value.computed {
		c.env = append(slices.Clip(c.env), name+"="+value.text)
	}
	if slices.Contains(loaders, name) || slices.Contains(modulePaths, name) {
		c.loaded([]string{name + "=" + value.text})
	}
	c.file(value.text)
}

// manager notes that a package manager runs what package.json says.
func (c *commandLine) manager(name string, args []word) {
	for _, w := range args {
		if sub := w.text; sub != "" && sub[0] != '-' {
			if slices.Contains([]string{"exec", "x", "dlx"}, sub) {
				if launched, ok := shellline.Launch(append(words(fixed([]string{name})), words(args)...)); ok {
					c.launched(name, args, launched)
					return
				}
			}
			break
		}
	}
	c.doubt("%s runs what package.json says", name)
}

// isScript reports whether the first operand is a file of JavaScript, as in bun x.ts.
func isScript(args []word) bool {
	for _, w := range args {
		if w.text == "run" || strings.HasPrefix(w.text, "-") {
			continue
		}
		return strings.Contains(w.text, "/") || regexp.MustCompile(`\.[cm]?[jt]sx?$`).MatchString(w.text)
	}
	return false
}

// appleScript notes a doubt about any script but those that show a notification.
func (c *commandLine) appleScript(args []word) {
	for i, w := range args {
		isScript := i > 0 && args[i-1].text == "-e" && strings.HasPrefix(w.text, "display notification ")
		if w.computed || w.text != "-e" && !isScript {
			c.doubt("the script of osascript may run files")
		}
	}
}

// make adds the makefile that make finds by itself.
func (c *commandLine) make(args []word) {
	if slices.ContainsFunc(args, isComputed) {
		c.doubt("the arguments of make are known only when it runs")
	}
	for i, w := range args {
		if w.text == "-C" && i+1 < len(args) {
			c.enter(args[i+1].text)
		} else if folder, is := strings.CutPrefix(w.text, "-C"); is {
			c.enter(folder)
		} else if folder, is := strings.CutPrefix(w.text, "--directory="); is {
			c.enter(folder)
		}
	}
	for _, w := range append([]word{{text: "GNUmakefile"}, {text: "makefile"}, {text: "Makefile"}}, args...) {
		c.argument(w.text)
	}
}
