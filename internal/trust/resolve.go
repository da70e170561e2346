package trust

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/lib/spelling"
	"github.com/hookrun/hookrun/internal/rules/shellline"
)

// word is one word of a command. If computed, only the shell knows the word, and Text is the known part. Source is for
// messages: as written in the line, or "".
type word = shellline.Word

func literalWords(texts []string) []word {
	words := make([]word, len(texts))
	for i, text := range texts {
		words[i] = word{Text: text}
	}
	return words
}

// written is a word in a message. Backquotes are shown as $(…): records of trust have the doubts of earlier versions,
// and another text would be another doubt.
func written(w word) string {
	text := strings.NewReplacer("$( ", "$(", " )", ")").Replace(cmp.Or(w.Source, w.Text))
	if parts := strings.Split(text, "`"); len(parts)%2 == 1 && !strings.Contains(text, "\\`") {
		text = parts[0]
		for i, part := range parts[1:] {
			text += []string{"$(", ")"}[i%2] + part
		}
	}
	return spelling.Quote(text)
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
	name := strings.TrimSuffix(foldName(filepath.Base(first.Text)), ".exe")
	byPath := filepath.Base(first.Text) != first.Text || c.hook.Process().Script != ""
	switch {
	case first.Computed:
		c.file(first.Text)
	case byPath:
		c.file(first.Text)
		for _, ending := range programEndings(c.env) {
			c.file(first.Text + ending)
		}
		for _, dir := range c.folders {
			c.mode(c.hook, c.in(dir, first.Text))
		}
	default:
		c.program(first.Text, path)
	}
	if path != "" && inside(path, c.Options.Workspace) {
		c.file(path)
	}
	if why := c.unclear(argv, name); why != "" {
		c.doubt("%s", why)
	}
	if isWriter(rowOf(name)) {
		return
	}
	for _, w := range args {
		c.argument(w.Text)
	}
	if c.hook.Process().Callable != "" {
		c.module(strings.TrimSuffix(c.hook.Process().Callable, filepath.Ext(c.hook.Process().Callable)))
	}
	if first.Computed {
		return
	}
	switch launched, launches := shellline.Launch(argv); {
	case name == "cd" || name == "pushd":
		c.cd(args)
	case name == "." || name == "source":
		c.sourceInPath(args)
	case shellline.InList("cmd powershell pwsh", name): // their lines are not parsed
		for _, w := range args {
			c.words(w.Text)
		}
	case launches:
		c.launched(name, argv, launched)
	case isInterpreter(name):
		c.interpreterArguments(name, args)
	case name == "make" || name == "gmake":
		c.make(args)
	}
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
	for len(args) > 0 && !args[0].Computed && strings.HasPrefix(args[0].Text, "-") && args[0].Text != "-" {
		args = args[1:]
	}
	switch {
	case len(args) == 0:
		c.enter(launch.Variable(c.env, "HOME"))
	case args[0].Computed, args[0].Text == "-":
		c.doubt("the folder %s is known only when it runs", written(args[0]))
		c.enter(args[0].Text)
	default:
		for _, dir := range filepath.SplitList(launch.Variable(c.env, "CDPATH")) {
			c.enter(filepath.Join(dir, args[0].Text))
		}
		c.enter(args[0].Text)
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
			c.file(filepath.Join(dir, w.Text))
		}
	}
}

// launched adds the commands of a launcher or a shell, and the variables that it sets.
func (c *commandLine) launched(name string, argv []word, l shellline.Launched) {
	for _, w := range argv[1:] {
		variable, value, isAssignment := strings.Cut(w.Text, "=")
		if isAssignment && shellline.IsName(variable) && !shellline.IsShell(name) && name != "trap" {
			c.assign(variable, word{Text: value, Computed: w.Computed, Source: w.Source})
		}
	}
	for _, command := range l.Commands {
		if to, ok := shellline.StartFolder(argv[:max(0, len(argv)-len(command))]); ok {
			c.enter(to.Text)
		}
		if shellline.IsShell(name) { // a script, already added as an argument
			continue
		}
		if shellline.InList(runners, name) {
			c.file("node_modules/.bin/" + command[0].Text)
		}
		c.addCommand(command, "")
	}
	for _, line := range l.Lines {
		c.line(line)
	}
	if l.Doubt != "" && len(c.doubts[c.hook]) == 0 {
		c.doubt("%s", l.Doubt)
	}
	if l.Stdin && c.input != nil {
		c.line(c.input.Text)
	}
}

// assign notes that a line sets a variable.
func (c *commandLine) assign(name string, value word) {
	earlier, again := c.set[name]
	if again && (earlier.Computed || earlier.Text != value.Text) {
		value.Computed = true // only the shell knows which of the two values counts
	}
	c.setVariable(name, value)
	c.variable(name, value)
	c.file(value.Text)
}

func (c *commandLine) setVariable(name string, value word) {
	if c.set[name] = value; !value.Computed {
		c.env = append(slices.Clip(c.env), name+"="+value.Text)
	}
}

// make adds the makefiles that make finds by default, and the files in its arguments.
func (c *commandLine) make(args []word) {
	for i, w := range args {
		if w.Text == "-C" && i+1 < len(args) {
			c.enter(args[i+1].Text)
		} else if folder, is := strings.CutPrefix(w.Text, "-C"); is {
			c.enter(folder)
		} else if folder, is := strings.CutPrefix(w.Text, "--directory="); is {
			c.enter(folder)
		}
	}
	for _, w := range append([]word{{Text: "GNUmakefile"}, {Text: "makefile"}, {Text: "Makefile"}}, args...) {
		c.argument(w.Text)
	}
}
