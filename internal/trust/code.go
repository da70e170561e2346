package trust

import (
	"cmp"
	_ "embed"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/hookrun/hookrun/internal/core/launch"
	"github.com/hookrun/hookrun/internal/lib/lazy"
)

// interpreterArguments adds files that an interpreter may load for its arguments, also in program texts.
func (c *commandLine) interpreterArguments(name string, args []word) {
	isFirst := true // no script, module or program text so far
	for i, w := range args {
		c.quotedFiles(name, w)
		isOption := strings.HasPrefix(w.Text, "-")
		if isFirst && !isOption && (isNode(name) || isPython(name)) {
			c.beside(name, w.Text)
		}
		isFirst = isFirst && isOption
		if isNode(name) {
			c.node(strings.TrimPrefix(w.Text[max(strings.Index(w.Text, "=")+1, 0):], "-r"))
			continue
		}
		if !isPython(name) {
			continue
		}
		for _, ending := range pythonEndings {
			c.file(w.Text + ending)
		}
		module, isModule := strings.CutPrefix(w.Text, "-m")
		text := cmp.Or(strings.TrimPrefix(module, "-c"), args[min(i+1, len(args)-1)].Text)
		switch {
		case isModule:
			c.module(text)
			fallthrough
		case w.Text == "-", strings.HasPrefix(w.Text, "-c"):
			for j := 0; isFirst && j < len(c.folders); j++ {
				path := c.in(c.folders[j], strings.ReplaceAll(text, ".", "/"))
				c.modules(c.folders[j], "import "+text+"\n"+c.textOf(path+".py")+c.textOf(path+"/__main__.py"))
			}
			isFirst = false
		case isShortOption(w.Text) && strings.ContainsAny(w.Text, "IP"): // Python looks in no such folder
			isFirst = false
		}
	}
}

// beside adds the files beside a script that make the interpreter take others.
func (c *commandLine) beside(name, script string) {
	for _, dir := range c.folders {
		path, err := c.resolved(c.in(dir, script))
		switch {
		case err != nil:
		case isNode(name):
			c.packageOf(path)
		case isFolder(path):
			c.modules(path, c.textOf(path+"/__main__.py"))
		default:
			c.modules(filepath.Dir(path), c.textOf(path))
		}
	}
}

// isOwnModule reports whether Python finds the module in the workspace, where modules are recorded.
func (c *commandLine) isOwnModule(name string) bool {
	path := strings.ReplaceAll(name, ".", "/")
	return moduleName.Get().MatchString(name) && (c.isFile(path+".py") || c.isFile(path+"/__main__.py"))
}

func (c *commandLine) isFile(text string) bool {
	return slices.ContainsFunc(c.folders, func(dir string) bool {
		now, there := lookAt(c.in(dir, text))
		return there && now.regular
	})
}

var moduleName = lazy.Regexp{Text: `^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$`}

// module adds the files that Python may load for a module and the packages around it.
func (c *commandLine) module(name string) {
	path := ""
	for part := range strings.SplitSeq(name, ".") {
		if path != "" {
			path += "/"
		}
		path += part
		c.addModuleFiles(path, moduleEndings)
	}
	c.addModuleFiles(path, []string{"/__main__.py", "/__main__.pyc"})
}

func (c *commandLine) addModuleFiles(path string, endings []string) {
	roots := append([]string{""}, filepath.SplitList(launch.Variable(c.env, "PYTHONPATH"))...)
	for _, root := range roots {
		for _, ending := range endings {
			c.file(filepath.Join(root, path+ending))
		}
		for _, dir := range c.folders { // such as tool.cpython-312-x86_64-linux-gnu.so
			found, _ := filepath.Glob(quoteGlob(c.in(dir, filepath.Join(root, path))) + ".*.so")
			for _, file := range found {
				c.file(file)
			}
		}
	}
}

func quoteGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// node adds the files that Node may load for a word: a file, with or without extension, or a folder's main file.
func (c *commandLine) node(text string) {
	if text == "" || strings.ContainsAny(text, "\x00\n") {
		return
	}
	for _, ending := range nodeEndings {
		c.file(text + ending)
	}
	c.file(text + "/package.json")
	for _, dir := range c.folders {
		main := gjson.Get(c.textOf(filepath.Join(c.in(dir, text), "package.json")), "main").String()
		if main == "" {
			continue
		}
		c.file(text + "/" + main)
		for _, ending := range nodeEndings {
			c.file(text + "/" + main + ending)
		}
	}
}

// quotedFiles adds the files that a program text has in quotes.
func (c *commandLine) quotedFiles(name string, text word) {
	rest := text.Text
	for at := strings.IndexAny(rest, `"'`); at >= 0; at = strings.IndexAny(rest, `"'`) {
		inner := rest[at+1:]
		end := strings.IndexAny(inner, rest[at:at+1]+"\\\n")
		if end <= 0 || end > 256 || inner[end] != rest[at] {
			rest = inner
			continue
		}
		c.file(inner[:end])
		if isNode(name) {
			c.node(inner[:end])
		}
		rest = inner[end+1:]
	}
}

//go:embed modules.txt
var modulesText string

// standard has the standard modules of Python 3.8 to 3.14, and what these try to import besides, sorted.
var standard = lazy.Value[[]string]{Make: func() []string { return strings.Fields(modulesText) }}

// modules adds the modules in a folder where Python looks first, if they have the name of a standard module, or one in
// a line with "import" of the script or of such a module. Other files of the folder may come and go.
func (c *commandLine) modules(folder, script string) {
	imported := map[string]bool{}
	if !inside(folder, c.Options.Workspace) && !inside(folder, c.Fingerprint.Workspace) {
		return
	}
	l, entries, err := c.list(folder)
	if err != nil {
		return
	}
	l.counts = func(entry string) bool {
		module, ending, isFile := strings.Cut(entry, ".")
		_, is := slices.BinarySearch(standard.Get(), module)
		return (is || imported[module]) && (!isFile || moduleEnding.Get().MatchString(ending))
	}
	for again := true; again; {
		for line := range strings.Lines(script) {
			if strings.Contains(line, "import") {
				for name := range strings.FieldsFuncSeq(line, isBetweenNames) {
					imported[name] = true
				}
			}
		}
		script = ""
		names := l.namesOf(entries)
		again, l.names = len(names) > len(l.names), names
		for _, name := range names {
			path := filepath.Join(folder, name)
			files, _ := filepath.Glob(quoteGlob(path) + "/__init__.*")
			for _, file := range append(files, path, path+"/__init__.py") {
				c.file(file)
				script += c.textOf(file)
			}
		}
	}
	c.listings[c.hook] = append(c.listings[c.hook], l)
}

var moduleEnding = lazy.Regexp{Text: `^(?:py[cd]?|so|.+\.(?:pyd|so))$`}

func isBetweenNames(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r) }

// resolved returns a path without links.
func (c *commandLine) resolved(path string) (string, error) {
	if w := c.watched[path]; w != nil && w.real != "" {
		return w.real, nil
	}
	return filepath.EvalSymlinks(path)
}

// textOf returns the text of a small regular file of the workspace, or "".
func (c *commandLine) textOf(path string) string {
	var text []byte
	if real, err := c.resolved(path); err == nil && inside(real, c.Fingerprint.Workspace) {
		small := func(i identity) bool { return i.size <= maxRehashed }
		_, _, _ = readRegular(real, c.buffer, small, func(part []byte) { text = append(text, part...) })
	}
	return string(text)
}

// packageOf adds what the package.json nearest to a script says about its language and its imports. The rest of that
// file changes in daily work.
func (c *commandLine) packageOf(script string) {
	for at := filepath.Dir(script); inside(at, c.Fingerprint.Workspace); at = filepath.Dir(at) {
		path := filepath.Join(at, "package.json")
		text := strings.TrimPrefix(c.textOf(path), "\ufeff") // which Node takes, and gjson does not
		if text == "" {
			c.file(path) // absent
			continue
		}
		value := strconv.FormatBool(gjson.Valid(text)) // Node refuses a script beside a broken one
		for key, said := range gjson.Parse(text).ForEach {
			if key.String() == "type" || key.String() == "imports" {
				value += key.String() + said.Raw
			}
		}
		c.fact(c.hook, path, "type and imports", value)
		return
	}
}
