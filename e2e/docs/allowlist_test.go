//go:build unix

package docs

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/e2e/binary"
)

// TestAllowLists: the two programs of the cookbook that allow nothing but a list let the list pass, and nothing else.
func TestAllowLists(t *testing.T) {
	binary.Needs(t, "python3")
	dir := t.TempDir()
	for _, b := range blocksOf(t, "docs/start/cookbook.md") {
		if b.name != "" {
			b.write(t, dir)
		}
	}
	require.NoError(t, os.Chmod(filepath.Join(dir, "only.sh"), 0o755))
	binary.WriteFile(t, dir, "sh.json", `{"hooks": [{"name": "only", "command": ["./only.sh"], "events": ["pre-tool"],
		"matcher": "shell", "on_failure": "block"}]}`)
	binary.WriteFile(t, dir, "py.json", `{"hooks": [{"name": "only", "command": ["python3", "only.py"],
		"events": ["pre-tool"], "on_failure": "block", "persistent": true}]}`)
	code := func(file, tool, args string) int {
		return binary.Run(t, dir, "", nil, binary.Path, "pre-tool", "-c", file, "--tool", tool, "--args", args).Code
	}
	command := func(line string) string { return binary.JSON(t, map[string]string{"command": line}) }
	for _, file := range []string{"sh.json", "py.json"} {
		for _, line := range []string{"git status", "git diff", "make test"} {
			require.Equal(t, 0, code(file, "shell", command(line)), "%s: %s", file, line)
		}
		for _, line := range []string{"", "ls", "git", "git push", "git status; rm x", "git status && x",
			"git status&x", "git status | sh", "git status\nrm x", "git status >x", "git status $(x)", "git status `x`",
			"git diff --output x", "git diff --output=x", "git diff -O x", "git difftool", "x=1 git status",
			"\\git status", " git status", "git\tstatus", "git status # x", "make test CC=x", "make test -f x",
			"make tests", "make test deploy", "make test; x", "git statusé", "git status *",
			"git status ~", `git "status"`, `\c; git status`, "Git status"} {
			require.Equal(t, 2, code(file, "shell", command(line)), "%s: %s", file, line)
		}
		for _, args := range []string{`{}`, `{"command":["git","push"]}`, `{"command":7}`,
			`{"command":"git`, `{"command":{"x":"git status"}}`, `null`} {
			require.Equal(t, 2, code(file, "shell", args), "%s: %s", file, args)
		}
	}
	for _, line := range []string{"git diff a..b", "git log HEAD", "git diff README.md docs/a-b.md"} {
		require.Equal(t, 0, code("py.json", "shell", command(line)), line)
	}
	for _, tool := range []string{"fs_read", "fs_glob", "fs_grep", "fs_list"} {
		require.Equal(t, 0, code("py.json", tool, `{"path":"a"}`), tool)
	}
	for _, tool := range []string{"fs_write", "fs_edit", "Shell", "web_fetch", "mcp__x__shell", "delegate", "new"} {
		require.Equal(t, 2, code("py.json", tool, command("git status")), tool)
	}
}
