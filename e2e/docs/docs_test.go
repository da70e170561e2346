//go:build unix

package docs

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hookrun/hookrun/e2e/binary"
	"github.com/hookrun/hookrun/internal/testsupport/testall"
	"github.com/stretchr/testify/require"
)

// The tests in this file keep README.md and docs/ true. CONTRIBUTING.md has the convention for blocks under "Blocks in
// the docs".

// block is a fenced block of a page.
type block struct {
	at     string // page:line
	lang   string
	name   string // of the file that it is, or ""
	before string // the paragraph before it
	text   string
	output *string // what the ```text block behind it says that it prints
}

var (
	fence    = regexp.MustCompile("^(\\s*)```(\\S*)$")
	fileName = regexp.MustCompile("`([^` ]+)`:$")
	inClone  = regexp.MustCompile(`(?m)^(CGO_ENABLED=0 |HOOKRUN_TEST_CLIENTS=1 )?(go|make) |^(scripts|tools)/`)
)

// docPages returns the pages in the root and every one below docs, as paths from the root of the repository.
func docPages(t *testing.T) []string {
	pages := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"}
	root := binary.Repository(t)
	require.NoError(t, filepath.WalkDir(filepath.Join(root, "docs"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			path, err = filepath.Rel(root, path)
			pages = append(pages, path)
		}
		return err
	}))
	return pages
}

// blocksOf reads a page. A ```text block that stands directly behind a ```sh or ```go block is that block's output.
func blocksOf(t *testing.T, page string) []*block {
	text, err := os.ReadFile(filepath.Join(binary.Repository(t), page))
	require.NoError(t, err)
	var blocks []*block
	var open *block
	paragraph, blank, prose := "", true, false // prose: there is some since the last block
	for i, line := range strings.Split(string(text), "\n") {
		at := page + ":" + strconv.Itoa(i+1)
		mark := fence.FindStringSubmatch(line)
		switch {
		case mark != nil && open == nil:
			require.Empty(t, mark[1], "%s: a block in a list would not be tested", at)
			open = &block{at: at, lang: mark[2], before: paragraph}
			if name := fileName.FindStringSubmatch(paragraph); name != nil {
				open.name = name[1]
			}
			if n := len(blocks); open.lang == "text" && n > 0 && !prose && strings.Contains("sh go", blocks[n-1].lang) {
				blocks[n-1].output = &open.text
				open.lang = "output"
			}
		case mark != nil:
			if open.lang != "output" {
				blocks = append(blocks, open)
			} else {
				blocks[len(blocks)-1].output = &open.text
			}
			open, paragraph, blank, prose = nil, "", true, false
		case open != nil:
			open.text += line + "\n"
		default:
			require.False(t, blank && strings.HasPrefix(line, "    "), "%s: write an indented block with ```", at)
			if line != "" && blank {
				paragraph = ""
			}
			paragraph = strings.TrimSpace(paragraph + " " + line)
			blank, prose = line == "", prose || line != ""
			if line == "" {
				continue
			}
		}
	}
	require.Nil(t, open, "%s: a block does not end", page)
	return blocks
}

// TestDocs runs and loads every block of a page, from top to bottom, as a reader would who begins in an empty folder.
func TestDocs(t *testing.T) {
	for _, page := range docPages(t) {
		t.Run(strings.TrimSuffix(filepath.Base(page), ".md"), func(t *testing.T) {
			t.Parallel()
			blocks := blocksOf(t, page)
			dir, home := filepath.Join(t.TempDir(), "project"), t.TempDir()
			require.NoError(t, os.Mkdir(dir, 0o755))
			for _, b := range blocks {
				dir = b.try(t, dir, home)
			}
		})
	}
}

// TestGoPageBeginsWithAProgram: a reader pastes the first block, and it prints the second. TestDocs runs it.
func TestGoPageBeginsWithAProgram(t *testing.T) {
	first := blocksOf(t, "docs/reference/go.md")[0]
	require.Equal(t, "go", first.lang)
	require.NotNil(t, first.output)
}

// try returns the folder in which the next block begins: a block may change it.
func (b *block) try(t *testing.T, dir, home string) string {
	if b.name != "" {
		b.write(t, dir)
	}
	switch b.lang {
	case "sh":
		require.False(t, b.name != "" && !strings.Contains(b.name, "."), "%s: `%s`: above makes a file of the block",
			b.at, b.name)
		if b.name == "" {
			return b.runShell(t, dir, home)
		}
	case "go":
		b.runGo(t, dir)
	case "json", "toml", "yaml":
		b.load(t, dir)
	case "text":
		for line := range strings.Lines(b.text) {
			if strings.HasPrefix(line, "hookrun ") || strings.HasPrefix(line, "$ ") {
				require.Contains(t, b.before, "needs", "%s: run it as ```sh, or say before the block what it needs",
					b.at)
			}
		}
	default:
		require.NotEmpty(t, b.name, "%s: nothing tests a block of %q that is no file", b.at, b.lang)
	}
	return dir
}

// write makes the file that the block is, as an editor does: it is not executable.
func (b *block) write(t *testing.T, dir string) {
	file := filepath.Join(dir, b.name)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(b.text), 0o644))
}

// runShell pastes a block into sh. What it prints must be the block's output; a block without one must succeed.
func (b *block) runShell(t *testing.T, dir, home string) string {
	for line := range strings.Lines(b.text) {
		require.False(t, strings.HasPrefix(line, "$ "), "%s: a prompt cannot be pasted", b.at)
		if !strings.Contains(b.text, "<<") { // zsh takes a comment that is typed for words
			require.NotRegexp(t, `(^| )# `, line, "%s: a comment cannot be pasted into every shell", b.at)
		}
	}
	last := filepath.Join(t.TempDir(), "last")
	script, then := b.text, dir
	env := []string{"PATH=" + filepath.Dir(binary.Path) + ":" + os.Getenv("PATH"), "HOME=" + home, "LANG=C.UTF-8",
		"TMPDIR=" + t.TempDir()}
	if inClone.MatchString(b.text) {
		dir = binary.Repository(t)
		env = append(os.Environ(), "GOBIN="+t.TempDir())
		var run []string
		for line := range strings.Lines(b.text) {
			command := strings.TrimPrefix(line, "HOOKRUN_TEST_CLIENTS=1 ")
			if test, ok := strings.CutPrefix(command, "go test "); ok { // this very test is one of them
				findTests(t, b.at, strings.Fields(test))
			} else if strings.HasPrefix(line, "make ") { // TestMakefile looks at those
				continue
			} else if testall.On() || !strings.Contains(line, "go install ") { // another link of the binary under test
				run = append(run, line)
			}
		}
		script = strings.Join(run, "")
	}
	cmd := exec.Command("sh", "-c", "trap 'pwd >"+last+"' EXIT\n"+script)
	cmd.Dir, cmd.Env = dir, env
	got, err := cmd.CombinedOutput()
	if b.output == nil {
		require.NoError(t, err, "%s\n%s", b.at, got)
	} else {
		require.Regexp(t, binary.Elided(*b.output), string(got), b.at)
	}
	if folder, err := os.ReadFile(last); err == nil && dir == then {
		then = strings.TrimSpace(string(folder))
	}
	return then
}

// findTests demands that arguments of go test name a test that is there.
func findTests(t *testing.T, at string, args []string) {
	var name *regexp.Regexp
	var files []string
	for i, arg := range args {
		folder, all := strings.CutSuffix(arg, "/...")
		switch {
		case i > 0 && strings.Contains("-run -fuzz -bench", args[i-1]) && arg != "'^$'":
			pattern, _, _ := strings.Cut(strings.Trim(arg, "'"), "/")
			name = regexp.MustCompile(`(?m)^func (Test|Fuzz|Benchmark|Example)?\w*` + strings.TrimLeft(pattern, "^"))
		case strings.HasPrefix(arg, "./"):
			require.NoError(t, filepath.WalkDir(filepath.Join(binary.Repository(t), folder),
				func(path string, e fs.DirEntry, err error) error {
					if err == nil && e.IsDir() && !all && path != filepath.Join(binary.Repository(t), folder) {
						return fs.SkipDir
					}
					if strings.HasSuffix(path, "_test.go") {
						files = append(files, path)
					}
					return err
				}))
		}
	}
	if name == nil {
		return
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && name.Match(text) {
			return
		}
	}
	t.Errorf("%s: no test is called %s", at, name)
}

// runGo runs a block as a program of this module, or as its tests. The overlay puts it into a package that is not on
// disk.
func (b *block) runGo(t *testing.T, dir string) {
	root, temp := binary.Repository(t), t.TempDir()
	isTest := strings.Contains(b.text, "*testing.T")
	name := "main.go"
	if isTest {
		name = "main_test.go"
	}
	source := filepath.Join(temp, name)
	require.NoError(t, os.WriteFile(source, []byte(b.text), 0o644))
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, "docs", "program",
		name): source}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(temp, "overlay.json"), overlay, 0o644))
	program := filepath.Join(temp, "program")
	build := exec.Command("go", "build", "-overlay", filepath.Join(temp, "overlay.json"), "-o", program,
		"./docs/program")
	if isTest {
		build = exec.Command("go", "test", "-c", "-vet=off", "-overlay", filepath.Join(temp, "overlay.json"), "-o",
			program, "./docs/program")
	}
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s\n%s", b.at, out)
	if b.output == nil && !isTest {
		return
	}
	run := exec.Command(program)
	run.Dir = dir
	out, err = run.CombinedOutput()
	require.NoError(t, err, "%s\n%s", b.at, out)
	if b.output != nil {
		require.Regexp(t, binary.Elided(*b.output), string(out), b.at)
	}
}

// load has hookrun read a file with hooks. Other JSON must be JSON.
func (b *block) load(t *testing.T, dir string) {
	var top map[string]json.RawMessage
	if b.lang == "json" {
		require.NoError(t, json.Unmarshal([]byte(b.text), &top), b.at)
		if top["hooks"] == nil {
			return
		}
	}
	name := b.name
	if name == "" {
		dir, name = t.TempDir(), ".tenex-hooks.json"
		require.Equal(t, "json", b.lang, "%s: name the file in the line before", b.at)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(b.text), 0o644))
	}
	check := exec.Command(binary.Path, "check", "--parse", name)
	check.Dir = dir
	var stderr bytes.Buffer
	check.Stderr = &stderr
	require.NoError(t, check.Run(), "%s\n%s", b.at, &stderr)
	require.Empty(t, stderr.String(), b.at)
}
