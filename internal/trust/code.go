package trust

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookrun/hookrun/internal/launch"
	"github.com/hookrun/hookrun/internal/lazy"
)

// interpreted adds the files that an interpreter may take its arguments for: as modules, and in program texts.
func (c *commandLine) interpreted(name string, args []word) {
	for i, w := range args {
		c.inline(name, w)
		if isNode(name) {
			c.node(strings.TrimPrefix(w.text[max(strings.Index(w.text, "=")+1, 0):], "-r"))
			continue
		}
		if !isPython(name) {
			continue
		}
		for _, ending := range pythonEndings {
			c.file(w.text + ending)
		}
		if module, is := strings.CutPrefix(w.text, "-m"); is && module != "" {
			c.module(module)
		} else if is && i+1 < len(args) {
			c.module(args[i+1].text)
		}
	}
}

// isOwnModule reports whether Python finds a module in the workspace, where it is recorded.
func (c *commandLine) isOwnModule(name string) bool {
	if !moduleName.Get().MatchString(name) {
		return false
	}
	path := strings.ReplaceAll(name, ".", "/")
	for _, dir := range c.folders {
		for _, ending := range []string{".py", "/__main__.py"} {
			if now, there := lookAt(c.in(dir, path+ending)); there && now.regular {
				return true
			}
		}
	}
	return false
}

var moduleName = lazy.Regexp{Text: `^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$`}

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
	roots := append([]string{""}, filepath.SplitList(launch.Variable(c.env, "PYTHONPATH"))...)
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
	if there, ok := lookAt(path); !ok || !there.regular {
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

// inline adds the files that a program text names in quotes.
func (c *commandLine) inline(name string, text word) {
	for _, quoted := range textInQuotes.Get().FindAllStringSubmatch(text.text, -1) {
		c.file(quoted[1] + quoted[2])
		if isNode(name) {
			c.node(quoted[1] + quoted[2])
		}
	}
}

var textInQuotes = lazy.Regexp{Text: `"([^"\\\n]{1,256})"|'([^'\\\n]{1,256})'`}
