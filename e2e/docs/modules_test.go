package docs

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// TestModules holds go.mod and the list of modules in docs/develop/architecture.md to what the binary is linked with.
func TestModules(t *testing.T) {
	needsGo(t)
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	var blocks [][]string // of direct requirements
	for line := range strings.Lines(string(text)) {
		if line == "require (\n" {
			blocks = append(blocks, nil)
		} else if fields := strings.Fields(line); strings.HasPrefix(line, "\t") &&
			!strings.HasSuffix(line, "// indirect\n") {
			blocks[len(blocks)-1] = append(blocks[len(blocks)-1], fields[0])
		}
	}
	require.GreaterOrEqual(t, len(blocks), 2)
	for _, block := range blocks[2:] {
		require.Empty(t, block, "a requirement is in neither block")
	}
	runTime, tests := blocks[0], blocks[1]

	linked := map[string]bool{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".")
		list.Dir, list.Env = root, append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := list.Output()
		require.NoError(t, err)
		for _, module := range strings.Fields(string(out)) {
			linked[module] = true
		}
	}
	for _, module := range runTime {
		require.True(t, linked[module], "%s is for tests alone", module)
	}
	for _, module := range tests {
		require.False(t, linked[module], "%s is linked", module)
	}

	page, err := os.ReadFile(filepath.Join(root, "docs", "develop", "architecture.md"))
	require.NoError(t, err)
	var listed []string
	const before = "The binary is linked with these libraries, beside the standard library:\n\n"
	_, list, _ := strings.Cut(string(page), before)
	for line := range strings.Lines(list) {
		module, what, ok := strings.Cut(strings.TrimPrefix(line, "* `"), "`: ")
		if !ok {
			break
		}
		require.NotEmpty(t, strings.TrimSpace(what), module)
		listed = append(listed, module)
	}
	slices.Sort(listed)
	require.Equal(t, runTime, listed)
}

// TestSupportIsForTests: what tests share stands in files that are no tests; each of these packages imports testing.
// So what is linked, and what other programs import, must not.
func TestSupportIsForTests(t *testing.T) {
	needsGo(t)
	list := func(args ...string) string {
		cmd := exec.Command("go", append([]string{"list"}, args...)...)
		cmd.Dir, cmd.Env = binary.Repository(t), append(os.Environ(), "GOOS=linux") // where all of it builds
		out, err := cmd.Output()
		require.NoError(t, err)
		return string(out)
	}
	linked := list("-deps", ".", "./protocol", "./projecthooks", "./queue", "./runner")
	require.NotContains(t, strings.Fields(linked), "testing")
	support := list("-f", "{{.Deps}}", "./internal/testsupport/testall", "./internal/core/process/processtest",
		"./internal/testsupport/dialecttest", "./e2e/binary", "./e2e/rpc")
	require.Equal(t, 5, strings.Count(support, " testing "), support)
}

// TestTestsHaveAHome: what the tests of a package load, or its commands write, is never of whoever runs them.
func TestTestsHaveAHome(t *testing.T) {
	loads := regexp.MustCompile(`(?m)^package (hookfile|projecthooks|runner|cli)(_test)?$|` +
		`"github.com/hookrun/hookrun/(internal/core/hookfile|internal/doors/cli|projecthooks|runner)"`)
	home, needs := map[string]bool{}, map[string]bool{}
	root := binary.Repository(t)
	require.NoError(t, filepath.WalkDir(root, func(path string, f fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, filepath.Join(root, "e2e")) {
			return err
		}
		text, err := os.ReadFile(path)
		home[filepath.Dir(path)] = home[filepath.Dir(path)] || strings.Contains(string(text), "testhome.Main(m)")
		needs[filepath.Dir(path)] = needs[filepath.Dir(path)] || loads.Match(text)
		return err
	}))
	require.True(t, needs[filepath.Join(root, "runner")])
	for dir := range needs {
		require.True(t, !needs[dir] || home[dir], "%s needs func TestMain(m *testing.M) { testhome.Main(m) }", dir)
	}
}

// needsGo skips a test of Windows under Wine, where there is no Go.
func needsGo(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no Go, as on Windows under Wine:", err)
	}
}
