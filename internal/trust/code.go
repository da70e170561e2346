package trust

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookrun/hookrun/internal/hookfile"
)

// python adds the script, the module or the text that Python runs.
func (c *commandLine) python(args []word) {
	for i := 0; i < len(args); i++ {
		w := args[i]
		text := w.text
		switch {
		case w.computed:
			c.doubt("%s is known only when python runs", w)
			return
		case text == "-" || text == "":
			c.stdin("python")
			return
		case isStdin(text):
			c.stdin("python")
			return
		case text[0] != '-':
			for _, ending := range pythonEndings {
				c.file(text + ending)
			}
			return
		case strings.HasPrefix(text, "--"):
			continue
		}
		at := strings.IndexAny(text, "cmWXQ")
		if at < 0 {
			continue
		}
		value := word{text: text[at+1:]}
		if value.text == "" {
			if i++; i == len(args) {
				return
			}
			value = args[i]
		}
		switch text[at] {
		case 'm':
			if value.computed {
				c.doubt("the module %s is known only when python runs", value)
			}
			c.module(value.text)
			return
		case 'c':
			c.inline("python", value)
			return
		}
	}
	c.stdin("python")
}

// module adds the files that Python may take for a module and for the packages that it is in.
func (c *commandLine) module(name string) {
	path := ""
	for part := range strings.SplitSeq(name, ".") {
		if path != "" {
			path += "/"
		}
		path += part
		c.inModulePath(path, moduleEndings)
	}
	c.inModulePath(path, []string{"/__main__.py", "/__main__.pyc"})
}

func (c *commandLine) inModulePath(path string, endings []string) {
	roots := append([]string{""}, filepath.SplitList(hookfile.Variable(c.env, "PYTHONPATH"))...)
	for _, root := range roots {
		for _, ending := range endings {
			c.file(filepath.Join(root, path+ending))
		}
		for _, dir := range c.folders { // tool.cpython-312-x86_64-linux-gnu.so
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

// stdin adds what an interpreter reads from its stdin.
func (c *commandLine) stdin(name string) {
	switch {
	case c.input != nil:
		c.inline(name, *c.input)
	case !c.inputFile:
		c.doubt("%s reads its program from its stdin", name)
	}
}

// Options of interpreters: those whose value is code, and others that take the next word.
var codeOptions = map[string][2]string{
	"awk": {"", "-f -v -F --assign --field-separator"}, "gawk": {"-e --source", "-f -i -v -F -l"},
	"mawk": {"", "-f -v -F"}, "nawk": {"", "-f -v -F"},
	"node":   {"-e -p -pe --eval --print", "-r -C --require --import --loader --conditions"},
	"nodejs": {"-e -p -pe --eval --print", "-r -C --require --import --loader --conditions"},
	"perl":   {"-e -E", ""}, "ruby": {"-e", "-r -I"}, "php": {"-r", "-f -d -c"}, "lua": {"-e", "-l"},
	"luajit": {"-e", "-l"}, "bun": {"-e --eval -p --print", "-r --preload"}, "deno": {"", "-c --config"},
	"tsx": {"-e -p --eval --print", "-r --import"}, "ts-node": {"-e -p -pe --eval --print", "-r -P --project"},
}

// code adds what another interpreter runs: the script that is its first operand, or the text of an option.
func (c *commandLine) code(name string, args []word) {
	options := codeOptions[name]
	isText := strings.HasSuffix(name, "awk")
	inline := false
	if isNode(name) {
		for _, w := range args {
			c.node(strings.TrimPrefix(w.text[max(strings.Index(w.text, "=")+1, 0):], "-r"))
		}
	}
	for i := 0; i < len(args); i++ {
		w := args[i]
		text := w.text
		isOption := strings.HasPrefix(text, "-") && text != "-"
		cluster := isOption && !strings.HasPrefix(text, "--") && len(text) > 2 && (name == "perl" || name == "ruby")
		switch {
		case w.computed && !inline:
			c.doubt("%s is known only when %s runs", w, name)
			return
		case (name == "perl" || name == "ruby") && isOption && strings.Contains(text, "I"):
			c.doubt("%s looks for modules in a folder", name)
		case isOption && among(" "+options[0]+" ", text), cluster && strings.ContainsAny(text[len(text)-1:], "eE"):
			if i++; i < len(args) {
				c.inline(name, args[i])
				inline = true
			}
		case isOption && among(" "+options[1]+" ", text):
			if i++; i < len(args) && args[i].computed {
				c.doubt("%s is known only when %s runs", args[i], name)
			} else if i < len(args) && isText && text == "-f" {
				inline = true
			} else if i < len(args) && name == "ruby" {
				c.file(args[i].text + ".rb")
			}
		case isOption && isText && strings.HasPrefix(text, "-f"):
			inline = true
		case isOption && name == "ruby" && strings.HasPrefix(text, "-r"):
			c.file(text[2:] + ".rb")
		case isOption:
		case inline:
			return // the rest is for the text
		case isText:
			c.inline(name, w)
			return
		case name == "deno" && (text == "run" || text == "test"), name == "bun" && text == "run":
		case text == "-" || isStdin(text):
			c.stdin(name)
			return
		default:
			return // a script, which c.argument has added; the rest is for it
		}
	}
	if !inline {
		c.stdin(name)
	}
}

// node adds the files that Node may take a word for: a file, one with an ending, or the main file of a folder.
func (c *commandLine) node(text string) {
	if text == "" || strings.ContainsAny(text, "\x00\n") {
		return
	}
	for _, ending := range nodeEndings {
		c.file(text + ending)
	}
	c.file(text + "/package.json")
	for _, dir := range c.folders {
		main := mainOf(filepath.Join(c.in(dir, text), "package.json"))
		if main == "" {
			continue
		}
		c.file(text + "/" + main)
		for _, ending := range nodeEndings {
			c.file(text + "/" + main + ending)
		}
	}
}

// mainOf returns the main file that a package.json names, "" if none.
func mainOf(path string) string {
	if there, ok := lookAt(path, true); !ok || !there.regular {
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	var doc struct {
		Main any `json:"main"`
	}
	text, err := io.ReadAll(io.LimitReader(file, 1<<20))
	if err != nil || json.Unmarshal(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), &doc) != nil {
		return ""
	}
	main, _ := doc.Main.(string)
	return main
}
