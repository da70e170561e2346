package permission

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// TestLinks holds a project's rules for paths against ways to a file that go through symbolic links.
func TestLinks(t *testing.T) {
	testall.NotOnWindows(t, "Wine makes no symbolic links, and Windows only with a right for it")
	ws, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	outside, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, dir := range []string{"secrets", "src", "a/b"} {
		require.NoError(t, os.MkdirAll(filepath.Join(ws, dir), 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(ws, "secrets/key"), nil, 0o600))
	for link, target := range map[string]string{
		"s": "secrets", "k": "secrets/key", "abs": filepath.Join(ws, "secrets"), "two": "s",
		"a/up":  "../../" + filepath.Base(ws) + "/secrets",
		"round": "round", "dangling": "secrets/new", "out": outside, "deep": "a/b",
	} {
		if err := os.Symlink(target, filepath.Join(ws, link)); err != nil {
			t.Skip(err)
		}
	}
	require.NoError(t, os.Symlink(ws, filepath.Join(outside, "back")))
	entry := filepath.Join(outside, "entry")
	require.NoError(t, os.Symlink(ws, entry))

	for file, want := range map[string]bool{
		"secrets/a": true, "s/a": true, "s/new/dir/a": true, "k": true, "abs/a": true, "two/a": true, "a/up/a": true,
		"./s/../s/a":           true,
		"deep/../../secrets/a": true, "dangling": true, "out/back/secrets/a": true, outside + "/back/s/a": true,
		entry + "/secrets/a":       true,
		"/proc/self/cwd/secrets/a": true, "/proc/self/cwd/s/a": true, "/proc/1/cwd/src/a": true,
		"/proc/self/root/etc/x":  true,
		"/proc/thread-self/fd/3": true, "/dev/fd/3": true, "round/a": true, "a/b/../../proc": false,
		"/proc/self/task/1/cwd/secrets/a": true,
		"src/a":                           false, "deep/a": false, "out/a": false, "nosuch/a": false,
		"/proc/cpuinfo": false, "/etc/x": false,
		"a/secrets":                      false,
		strings.Repeat("x/", 3000) + "a": false,
	} {
		c := Call{Tool: "fs_write", Kind: File, Project: true, Input: `{"path":"` + file + `"}`, Dir: ws, Root: ws}
		got, why := Parse("fs_write(secrets/**)").Match(c)
		require.Equal(t, want, got, "%.80s: %s", file, why)
		c.Tool, c.Project, c.Kind, c.Input = "Write", false, Unknown, `{"file_path":"`+file+`"}`
		if file == "s/a" {
			got, _ := Parse("Write(secrets/**)").Match(c)
			require.False(t, got, "the client's own form is as it was recorded")
		}
	}
	// The workspace itself may be reached through a link.
	for _, file := range []string{"secrets/a", "s/a", ws + "/secrets/a"} {
		got, why := Parse("fs_write(secrets/**)").Match(Call{Tool: "fs_write", Project: true,
			Input: `{"path":"` + file + `"}`, Dir: entry, Root: entry})
		require.True(t, got, "%s: %s", file, why)
	}
}
