package trust

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// word is one word of a command. If computed, only the shell knows the word, and text is the known part.
type word struct {
	text     string
	computed bool
	source   string // as written in the line, for messages
}

func literalWords(texts []string) []word {
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

// doubt notes why files may be missing, unless the entry names the files.
func (c *commandLine) doubt(format string, args ...any) {
	if c.hook.Files == nil && !c.script {
		list := c.doubts
		if c.inClientEnv {
			list = c.envDoubts
		}
		doubt(list, c.hook, format, args...)
	}
}

// addCommand adds the files in a program's name and arguments, and notes a doubt if the program may run others. path is
// the path of the program, or "" if unknown.
func (c *commandLine) addCommand(argv []word, path string) {
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
	byPath := filepath.Base(first.text) != first.text || c.hook.Process().Script != ""
	switch {
	case first.computed:
		c.file(first.text)
	case byPath:
		c.file(first.text)
		for _, ending := range programEndings(c.env) {
			c.file(first.text + ending)
		}
		for _, dir := range c.folders {
			c.mode(c.hook, c.in(dir, first.text))
		}
	default:
		c.program(first.text, path)
	}
	if path != "" && inside(path, c.Options.Workspace) {
		c.file(path)
	}
	if why := c.unclear(argv, name); why != "" {
		c.doubt("%s", why)
	}
	if shellline.InList(writers, name) {
		return
	}
	for _, w := range args {
		c.argument(w.text)
	}
	if c.hook.Process().Callable != "" {
		c.module(strings.TrimSuffix(c.hook.Process().Callable, filepath.Ext(c.hook.Process().Callable)))
	}
	if first.computed {
		return
	}
	switch launched, launches := shellline.Launch(words(argv)); {
	case name == "cd" || name == "pushd":
		c.cd(args)
	case name == "." || name == "source":
		c.sourceInPath(args)
	case shellline.InList("cmd powershell pwsh", name): // their lines are not parsed
		for _, w := range args {
			c.words(w.text)
		}
	case launches:
		c.launched(name, args, launched)
	case isPython(name), shellline.InList(interpreters, baseName(name)):
		c.interpreterArguments(name, args)
	case name == "make" || name == "gmake":
		c.make(args)
	}
}

func words(argv []word) []shellline.Word {
	converted := make([]shellline.Word, len(argv))
	for i, w := range argv {
		converted[i] = shellline.Word{Text: w.text, Computed: w.computed}
	}
	return converted
}

// argument adds the files that an argument may name, also in an option: --config=FILE, -fFILE, -sfFILE.
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

// cd adds the folders to which cd may change.
func (c *commandLine) cd(args []word) {
	for len(args) > 0 && !args[0].computed && strings.HasPrefix(args[0].text, "-") && args[0].text != "-" {
		args = args[1:]
	}
	switch {
	case len(args) == 0:
		c.enter(launch.Variable(c.env, "HOME"))
	case args[0].computed, args[0].text == "-":
		c.doubt("the folder %s is known only when it runs", args[0])
		c.enter(args[0].text)
	default:
		for _, dir := range filepath.SplitList(launch.Variable(c.env, "CDPATH")) {
			c.enter(filepath.Join(dir, args[0].text))
		}
		c.enter(args[0].text)
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

// sourceInPath adds the files that a shell sources and may find in PATH.
func (c *commandLine) sourceInPath(args []word) {
	for _, w := range args {
		for _, dir := range filepath.SplitList(launch.Variable(c.env, "PATH")) {
			c.file(filepath.Join(dir, w.text))
		}
	}
}

// launched adds the commands of a launcher or a shell, and the variables that it sets.
func (c *commandLine) launched(name string, args []word, l shellline.Launched) {
	for i, w := range args {
		variable, value, isAssignment := strings.Cut(w.text, "=")
		switch {
		case isAssignment && syntax.ValidName(variable) && !shellline.IsShell(name) && name != "trap":
			c.assign(variable, word{text: value, computed: w.computed, source: w.source})
		case name == "env" && isChdir(w.text):
			c.chdir(w, args[i+1:])
		}
	}
	for _, command := range l.Commands {
		argv := sourced(command, args)
		if shellline.IsShell(name) { // a script, already added as an argument
			continue
		}
		if shellline.InList(runners, name) {
			c.file("node_modules/.bin/" + argv[0].text)
		}
		c.addCommand(argv, "")
	}
	for _, line := range l.Lines {
		c.line(line)
	}
	if l.Doubt != "" && len(c.doubts[c.hook]) == 0 {
		c.doubt("%s", l.Doubt)
	}
	if l.Stdin && c.input != nil {
		c.line(c.input.text)
	}
}

// sourced returns the words of a command that is in the arguments of another, with their source.
func sourced(command []shellline.Word, args []word) []word {
	argv := make([]word, len(command))
	for i, w := range command {
		argv[i] = word{text: w.Text, computed: w.Computed}
		if at := slices.IndexFunc(args, func(a word) bool { return a.text == w.Text }); at >= 0 {
			argv[i].source = args[at].source
		}
	}
	return argv
}

func isComputed(w word) bool { return w.computed }

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
	if !attached && len(rest) > 0 {
		folder = rest[0].text
	}
	c.enter(folder)
}

// assign notes that a line sets a variable.
func (c *commandLine) assign(name string, value word) {
	earlier, again := c.set[name]
	if again && (earlier.computed || earlier.text != value.text) {
		value.computed = true // only the shell knows which of the two values counts
	}
	c.setVariable(name, value)
	c.variable(name, value)
	c.file(value.text)
}

func (c *commandLine) setVariable(name string, value word) {
	if c.set[name] = value; !value.computed {
		c.env = append(slices.Clip(c.env), name+"="+value.text)
	}
}

// make adds the makefiles that make finds by default, and the files in its arguments.
func (c *commandLine) make(args []word) {
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
