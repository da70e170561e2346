package gitdir

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOf(t *testing.T) {
	root := t.TempDir()
	in := func(path string) string { return filepath.Join(root, filepath.FromSlash(path)) }
	write := func(path, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(in(path)), 0o700))
		require.NoError(t, os.WriteFile(in(path), []byte(text), 0o600))
	}
	write("main/.git/HEAD", "ref: refs/heads/main\n")
	write("main/.git/worktrees/w/commondir", "../..\n")
	write("main/a/b/file", "")
	write("w/.git", "gitdir: ../main/.git/worktrees/w\r\n")
	write("w/a/file", "")
	write("gone/.git", "gitdir: "+in("nowhere")+"\n")
	write("odd/.git", "nothing")

	require.Equal(t, in("main/.git"), Of(in("main")))
	require.Equal(t, in("main/.git/worktrees/w"), Of(in("w")))
	require.Equal(t, in("nowhere"), Of(in("gone")))
	require.Equal(t, in("odd/.git"), Of(in("odd")))
	require.Empty(t, Of(in("main/a")))
	require.Equal(t, in("main/.git"), Common(in("main/.git/worktrees/w")))
	require.Empty(t, Common(in("main/.git")))

	above, dir := Above(in("main/a/b"))
	require.Equal(t, []string{in("main"), in("main/.git")}, []string{above, dir})
	above, dir = Above(in("w/a"))
	require.Equal(t, []string{in("w"), in("main/.git/worktrees/w")}, []string{above, dir})
}

// FuzzPathIn holds pathIn against an expression, and against the path that was written.
func FuzzPathIn(f *testing.F) {
	for _, text := range []string{
		"gitdir: /a/.git/worktrees/w\n", "gitdir: ../a/.git\r\n", "gitdir:", "gitdir: \n", "gitdir: \x00",
		"gitdir: a\nb\n", "gitdir:  /../..", " gitdir: a", "GITDIR: a", "../..\n", "C:/a/.git", `gitdir: \\host\share`,
	} {
		f.Add(text)
	}
	line := regexp.MustCompile(`(?s)^gitdir: *([^ \r\n].*?)[\r\n]*$`)
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		got := pathIn(text, "gitdir:", folder)
		found := line.FindStringSubmatch(text)
		if found == nil || strings.Contains(found[1], "\x00") {
			// A name may begin with a line's end.
			if !regexp.MustCompile(`(?s)^gitdir: *[\r\n]+.*[^\r\n]`).MatchString(text) {
				require.Empty(t, got)
			}
			return
		}
		require.True(t, filepath.IsAbs(got), got)
		require.Equal(t, filepath.Clean(got), got)
		require.NotContains(t, got, "\x00")
		if rest, isIn := strings.CutPrefix(got, folder+string(filepath.Separator)); isIn && filepath.IsLocal(found[1]) {
			require.Equal(t, filepath.Clean(found[1]), rest)
		} else if filepath.IsAbs(found[1]) {
			require.Equal(t, filepath.Clean(found[1]), got)
		}
	})
}
