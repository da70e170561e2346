//go:build unix

package hookfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/hookfile"
)

// FuzzWorktreeFiles writes anything into the three files of git that make a linked worktree. The hooks of the main
// worktree are found if the first two lead to its .git, no other hooks ever are, and a hooks file of its own always is.
func FuzzWorktreeFiles(f *testing.F) {
	root, err := filepath.EvalSymlinks(f.TempDir())
	require.NoError(f, err)
	in := func(path string) string { return filepath.Join(root, filepath.FromSlash(path)) }
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(in(path)), 0o755); err != nil {
			panic(err)
		}
		if err := os.WriteFile(in(path), []byte(text), 0o644); err != nil {
			panic(err)
		}
	}
	write("proj/.git/HEAD", "ref: refs/heads/main\n")
	write("proj/.tenex-hooks.json", "{}")
	write("other/.git/HEAD", "ref: refs/heads/main\n")
	write("bare.git/HEAD", "ref: refs/heads/main\n")
	for _, seed := range [][3]string{
		{"gitdir: ../proj/.git/worktrees/w\n", "../..\n", "../../../../w/.git\n"},
		{"gitdir: ROOT/proj/.git/worktrees/w", "../..", "ROOT/w/.git"},
		{"gitdir: ../proj/.git/worktrees/gone\n", "../..\n", "x"},
		{"gitdir: ../proj/.git/worktrees/w\n", "../../../../bare.git\n", ""},
		{"gitdir: ../proj/.git/worktrees/w\n", "../../../../other/.git\n", "\x00"},
		{"gitdir: ../proj/.git\n", "", ""}, {"gitdir: .git\n", ".\n", ".\n"}, {"gitdir:", "..", ".."},
		{"gitdir: ../proj/.git/worktrees/w/\r\n\r\n", "../../.\r\n", "a\nb"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	same := func(path, other string) bool {
		one, err := os.Stat(path)
		two, fault := os.Stat(other)
		return err == nil && fault == nil && os.SameFile(one, two)
	}
	// leads resolves a path from a folder as a shell does with cd, and reports whether the path has a text at all.
	leads := func(folder, text string) (string, bool) {
		for strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\r") {
			text = text[:len(text)-1]
		}
		for strings.HasPrefix(text, " ") {
			text = text[1:]
		}
		if text == "" || strings.Contains(text, "\x00") {
			return "", false
		}
		if strings.HasPrefix(text, "/") {
			return filepath.Clean(text), true
		}
		return filepath.Join(folder, text), true
	}
	f.Fuzz(func(t *testing.T, dotGit, commondir, gitdir string) {
		for _, text := range []*string{&dotGit, &commondir, &gitdir} {
			*text = strings.ReplaceAll(*text, "ROOT", root) // each process that fuzzes has its own
		}
		write("w/.git", dotGit)
		write("proj/.git/worktrees/w/commondir", commondir)
		write("proj/.git/worktrees/w/gitdir", gitdir)
		finds := func() bool {
			text, is := strings.CutPrefix(dotGit, "gitdir:")
			dir, named := leads(in("w"), text)
			if !is || !named || len(dotGit) > 64<<10 {
				return false
			}
			common, err := os.ReadFile(filepath.Join(dir, "commondir"))
			to, named := leads(dir, string(common))
			if err != nil || !named || len(common) > 64<<10 {
				_, err := os.Lstat(dir)
				to = filepath.Dir(filepath.Dir(dir))
				named = err != nil && filepath.Base(filepath.Dir(dir)) == "worktrees"
			}
			return named && filepath.Base(to) == ".git" && same(to, in("proj/.git"))
		}()
		p, err := hookfile.FindProject(in("w"))
		require.NoError(t, err)
		require.Equal(t, finds, p.Found(), "%+v", p)
		if finds {
			require.Equal(t, in("proj/.tenex-hooks.json"), p.File)
			to, named := leads(in("proj/.git/worktrees/w"), gitdir)
			if strings.TrimRight(dotGit, "\r\n") == "gitdir: ../proj/.git/worktrees/w" && len(gitdir) < 64<<10 {
				require.Equal(t, named && same(to, in("w/.git")), p.Fault == "", p.Fault)
			}
		}
		write("w/.tenex-hooks.json", "{}")
		defer os.Remove(in("w/.tenex-hooks.json"))
		p, err = hookfile.FindProject(in("w"))
		require.NoError(t, err)
		require.Equal(t, in("w/.tenex-hooks.json"), p.File)
	})
}
