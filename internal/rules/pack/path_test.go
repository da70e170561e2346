package pack

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// decide returns whether a rule of the pack files blocks a line.
func decide(t *testing.T, rule, line, dir, root, home string) bool {
	t.Helper()
	c := callOf(t, Example{Text: line}, dir)
	c.Root, c.Home = root, home
	return files.Rule(rule).Decide(c).Subject != ""
}

// TestLinksAreFollowed: a deletion behind a link is one of what it leads to, and a link itself may go.
func TestLinksAreFollowed(t *testing.T) {
	testall.NotOnWindows(t, "Wine makes no symbolic links, and Windows only with a right for it")
	base := t.TempDir()
	root, home := filepath.Join(base, "home", "work"), filepath.Join(base, "home")
	require.NoError(t, os.MkdirAll(filepath.Join(root, "sub"), 0o700))
	for name, to := range map[string]string{"up": home, "self": root, "system": "/etc", "down": "sub"} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Skip(err)
		}
	}
	for line, blocks := range map[string]bool{
		"rm -rf up":                  false,
		"rm -rf up/":                 true,
		"rm -rf up/*":                true,
		"rm -rf self/*":              true,
		"rm -rf sub/../self/.":       true,
		"rm -rf down/*":              false,
		"rm -rf down/..":             true,
		"rm -rf system/*":            true,
		"rm -f system/passwd":        true,
		"cd down && rm -rf *":        false,
		"cd self && rm -rf *":        true,
		"rm -rf self/sub":            false,
		"rm -rf missing/../sub":      false,
		"rm -rf missing/../../work":  true,
		"find up -delete":            true,
		"rsync -a --delete x/ self/": false, // no-sweep
	} {
		require.Equal(t, blocks, decide(t, "no-wide-delete", line, root, root, home), line)
	}
	require.True(t, decide(t, "no-sweep", "rsync -a --delete x/ self/", root, root, home))
}

// TestWorkspaces: what is the workspace, the home and neither depends on where the call runs.
func TestWorkspaces(t *testing.T) {
	testall.NotOnWindows(t, "its paths are those of Unix")
	for _, test := range []struct {
		line, dir, root, home string
		wide, outside         bool
	}{
		{"rm -rf .", "/w/p/sub", "/w/p", "/home/a", false, false},
		{"rm -rf ..", "/w/p/sub", "/w/p", "/home/a", true, false},
		{"rm -rf /W/P", "/w/p", "/w/p", "/home/a", true, false},
		{"rm -rf x", "/", "/", "/root", false, false},
		{"rm -rf etc", "/", "/", "/root", true, false},
		{"rm -rf x", "/home/a", "/home/a", "/home/a", false, false},
		{"rm -rf ~", "/home/a", "/home/a", "/home/a", true, false},
		{"rm -rf ~/x", "/w/p", "/w/p", "", false, true},
		{"rm -rf ~", "/w/p", "/w/p", "", true, false},
		{"rm -rf x", "/usr/src/app", "/usr/src/app", "/root", false, false},
		{"rm -rf x", "/w/p", "", "/root", false, false},
		{"rm -rf /tmp/*", "/w/p", "/w/p", "/root", false, false},
		{"rm -rf /tmp/*", "/tmp/p", "/tmp/p", "/root", true, false},
		{"rm -rf $TMPDIR/*", "/w/p", "/w/p", "/root", false, false},
		{"TMPDIR=/; rm -rf $TMPDIR/*", "/w/p", "/w/p", "/root", true, false},
		{"rm -rf /tmp", "/w/p", "/w/p", "/root", true, false},
		{"rm -rf ${HOME:-/x}", "/w/p", "/w/p", "/root", true, false},
		{"rm -rf ${X:-/tmp/x}/*", "/w/p", "/w/p", "/root", false, false},
		{"(cd /w/q && make); rm -rf dist", "/w/p", "/w/p", "/root", false, false},
		{"cd /w/q; rm -rf dist", "/w/p", "/w/p", "/root", false, true},
		{"cd /w/q | rm -rf dist", "/w/p", "/w/p", "/root", false, false},
		{"x=$(cd /w/q); rm -rf dist", "/w/p", "/w/p", "/root", false, false},
		{"cd /w/q; cd -; rm -rf dist", "/w/p", "/w/p", "/root", false, false},
		{"bash -c 'cd /w/q'; rm -rf dist", "/w/p", "/w/p", "/root", false, false},
		{"cd /w/q; bash -c 'cd r && rm -rf dist'", "/w/p", "/w/p", "/root", false, true},
		{"mv * ../q", "/w/p", "/w/p", "/root", true, false},
	} {
		got := func(rule string) bool { return decide(t, rule, test.line, test.dir, test.root, test.home) }
		require.Equal(t, test.wide, got("no-wide-delete"), test.line)
		require.Equal(t, test.outside, got("no-outside-delete"), test.line)
	}
}

// TestManyBraces: a word that stands for very many is not taken apart to the end.
func TestManyBraces(t *testing.T) {
	word := ""
	for range 40 {
		word += "{a,b}"
	}
	require.Len(t, expandBraces(word, nil), maxBraced)
	require.True(t, decide(t, "no-wide-delete", "rm -rf "+word, "/w/p", "/w/p", "/root"))
	require.Equal(t, []string{"ac", "adx", "ady"}, expandBraces("a{c,d{x,y}}", nil))
	require.Equal(t, []string{"/etc", "/usr"}, expandBraces("/{etc,usr}", nil))
	require.Equal(t, []string{"${X}/a", "${X}/b"}, expandBraces("${X}/{a,b}", nil))
	require.Equal(t, []string{"a{b}", "{}"}, append(expandBraces("a{b}", nil), expandBraces("{}", nil)...))
}

// TestFileTools: a link that leads out of the workspace is followed.
func TestFileTools(t *testing.T) {
	testall.NotOnWindows(t, "Wine makes no symbolic links, and Windows only with a right for it")
	root := t.TempDir()
	if err := os.Symlink("/etc", filepath.Join(root, "out")); err != nil {
		t.Skip(err)
	}
	for _, e := range Paths("fs_write", "out/passwd", "out") {
		require.NotEmpty(t, files.Rule("no-outside-write").Decide(callOf(t, e, root)).Subject)
	}
}

// TestManyPaths: a line of very many paths costs no second.
func TestManyPaths(t *testing.T) {
	testall.NotOnWindows(t, "its paths are those of Unix")
	var b strings.Builder
	b.WriteString("rm -rf")
	for i := range 18_000 {
		fmt.Fprintf(&b, " %x/b", i)
	}
	start := time.Now()
	require.True(t, decide(t, "no-outside-delete", b.String(), "/w/p", "/w/p", "/root"))
	require.Less(t, time.Since(start), time.Minute, "the square of it would take hours")
}
