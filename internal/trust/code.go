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

// interpreterArguments adds files that an interpreter may load for its arguments, also in program texts.
func (c *commandLine) interpreterArguments(name string, args []word) {
	for i, w := range args {
		c.quotedFiles(name, w)
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

// isOwnModule reports whether Python finds the module in the workspace, where modules are recorded.
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

// mainOf returns the main file in a package.json, or "".
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

// quotedFiles adds the files that a program text has in quotes.
func (c *commandLine) quotedFiles(name string, text word) {
	for _, quoted := range textInQuotes.Get().FindAllStringSubmatch(text.text, -1) {
		c.file(quoted[1] + quoted[2])
		if isNode(name) {
			c.node(quoted[1] + quoted[2])
		}
	}
}

var textInQuotes = lazy.Regexp{Text: `"([^"\\\n]{1,256})"|'([^'\\\n]{1,256})'`}
