package hookfile_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/core/hookfile"
)

// repository is a folder with git repositories of a test.
type repository struct {
	*testing.T
	root string
}

// newRepository makes the repository "proj" with a commit, and an untracked hooks file.
func newRepository(t *testing.T) repository {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("HOME", filepath.Join(root, "home"))
	r := repository{t, root}
	r.git(".", "init", "-q", "-b", "main", "proj")
	r.write("proj/app/src/file", "")
	r.git("proj", "add", ".")
	r.git("proj", "commit", "-q", "-m", "one")
	r.write("proj/.tenex-hooks.json", "{}")
	return r
}

func (r repository) in(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Join(r.root, filepath.FromSlash(path))
}

func (r repository) git(dir string, args ...string) {
	as := []string{"-C", r.in(dir), "-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"}
	out, err := exec.Command("git", append(as, args...)...).CombinedOutput()
	require.NoError(r, err, "%s", out)
}

func (r repository) write(path, text string) {
	require.NoError(r, os.MkdirAll(filepath.Dir(r.in(path)), 0o755))
	require.NoError(r, os.WriteFile(r.in(path), []byte(text), 0o644))
}

// finds looks for the project of a folder. Fault and PassedOver are compared by their beginning.
func (r repository) finds(dir string, want hookfile.Project) {
	r.Helper()
	p, err := hookfile.FindProject(r.in(dir))
	require.NoError(r, err, dir)
	require.Equal(r, r.in(want.Workspace), p.Workspace, dir)
	require.Equal(r, r.in(want.File), p.File, dir)
	require.Equal(r, r.in(want.Worktree), p.Worktree, dir)
	require.Equal(r, r.in(want.PassedOver), p.PassedOver, "%s: %s", dir, p.Why)
	require.Contains(r, p.Why, want.Why, dir)
	require.Contains(r, p.Fault, want.Fault, dir)
	require.Equal(r, want.Fault == "", p.Fault == "", "%s: %s", dir, p.Fault)
	require.Equal(r, want.Fault == "", p.Mend == "", "%s: %s", dir, p.Mend)
}

// of is the project of a linked worktree that has the hooks of proj.
func of(worktree string) hookfile.Project {
	return hookfile.Project{Workspace: "proj", File: "proj/.tenex-hooks.json", Worktree: worktree}
}

func without(dir string) hookfile.Project { return hookfile.Project{Workspace: dir} }

func TestWorktree(t *testing.T) {
	r := newRepository(t)
	r.git("proj", "worktree", "add", "-q", "../side", "-b", "side")
	r.git("proj", "worktree", "add", "-q", "--detach", ".claude/worktrees/in")
	r.finds("side", of("side"))
	r.finds("side/app/src", of("side"))
	r.finds("proj/.claude/worktrees/in", of("proj/.claude/worktrees/in"))
	r.finds("proj/.claude/worktrees/in/app", of("proj/.claude/worktrees/in"))

	t.Run("the hooks of a folder", func(t *testing.T) {
		r.T = t
		r.write("proj/app/.tenex-hooks.json", "{}")
		defer os.Remove(r.in("proj/app/.tenex-hooks.json"))
		r.finds("side/app/src", hookfile.Project{Workspace: "proj/app", File: "proj/app/.tenex-hooks.json",
			Worktree: "side/app"})
		r.finds("proj/.claude/worktrees/in/app", hookfile.Project{Workspace: "proj/app",
			File: "proj/app/.tenex-hooks.json", Worktree: "proj/.claude/worktrees/in/app"})
		r.finds("side", of("side"))
	})
	t.Run("a hooks file of its own", func(t *testing.T) {
		r.T = t
		r.write("side/app/.tenex-hooks.json", "{}")
		defer os.Remove(r.in("side/app/.tenex-hooks.json"))
		r.finds("side/app/src", hookfile.Project{Workspace: "side/app", File: "side/app/.tenex-hooks.json"})
		r.finds("side", of("side"))
	})
	t.Run("a local file alone", func(t *testing.T) {
		r.T = t
		r.write("side/.tenex-hooks.local.json", "{}")
		defer os.Remove(r.in("side/.tenex-hooks.local.json"))
		want := hookfile.Project{Workspace: "side", PassedOver: "proj/.tenex-hooks.json", Why: "a local hooks file"}
		r.finds("side", want)
		r.finds("side/app", want)
	})
	t.Run("another project above", func(t *testing.T) {
		r.T = t
		r.write("other/.tenex-hooks.json", "{}")
		r.git("proj", "worktree", "add", "-q", "--detach", "../other/wt")
		want := of("other/wt")
		want.PassedOver, want.Why = "other/.tenex-hooks.json", "it lies above the git repository"
		r.finds("other/wt", want)
	})
	t.Run("links", func(t *testing.T) {
		r.T = t
		symlink(t, r.in("side"), r.in("link"))
		r.finds("link", of("link"))
		symlink(t, r.in("side/app"), r.in("proj/to-app"))
		r.finds("proj/to-app", hookfile.Project{Workspace: "proj", File: "proj/.tenex-hooks.json"})
	})
	t.Run("a relative path, as newer versions of git write it", func(t *testing.T) {
		r.T = t
		r.git("proj", "worktree", "add", "-q", "--detach", "../relative")
		r.write("relative/.git", "gitdir: ../proj/.git/worktrees/relative\n")
		r.write("proj/.git/worktrees/relative/gitdir", "../../../../relative/.git\n")
		r.finds("relative/app", of("relative"))
		r.git("relative", "status")
	})
	t.Run("core.worktree", func(t *testing.T) {
		r.T = t
		r.git("proj", "config", "core.worktree", r.in("proj"))
		r.finds("side", of("side"))
	})
	t.Run("moved by git", func(t *testing.T) {
		r.T = t
		r.git("proj", "worktree", "move", "../side", "../moved")
		r.finds("moved/app", of("moved"))
	})
	t.Run("moved without git", func(t *testing.T) {
		r.T = t
		require.NoError(t, os.Rename(r.in("moved"), r.in("away")))
		want := of("away")
		want.Fault = "git does not know the worktree " + r.in("away") + ", which was moved or pruned"
		r.finds("away/app", want)
		r.git("proj", "worktree", "prune")
		r.finds("away/app", want)
	})
	t.Run("a repository that is gone", func(t *testing.T) {
		r.T = t
		require.NoError(t, os.Rename(r.in("proj"), r.in("gone")))
		want := without("away/app")
		want.Fault = "the file " + filepath.Join(r.in("away"), ".git") + " names "
		r.finds("away/app", want)
	})
}

// TestNotALinkedWorktree: these repositories have no main worktree, or none that git knows.
func TestNotALinkedWorktree(t *testing.T) {
	r := newRepository(t)
	r.git(".", "clone", "-q", "--bare", "proj", "bare.git")
	r.git("bare.git", "worktree", "add", "-q", "--detach", "../of-bare")
	r.finds("of-bare", without("of-bare"))

	r.git(".", "init", "-q", "--separate-git-dir", r.in("elsewhere"), "separate")
	r.git("separate", "commit", "-q", "--allow-empty", "-m", "one")
	r.git("separate", "worktree", "add", "-q", "--detach", "../of-separate")
	r.write("separate/.tenex-hooks.json", "{}")
	r.finds("of-separate", without("of-separate"))
	r.finds("separate", hookfile.Project{Workspace: "separate", File: "separate/.tenex-hooks.json"})

	r.git("proj", "submodule", "add", "-q", r.in("bare.git"), "module")
	above := hookfile.Project{Workspace: "proj/module", PassedOver: "proj/.tenex-hooks.json", Why: "above the git repo"}
	r.finds("proj/module", above)
	r.git("proj/module", "worktree", "add", "-q", "--detach", "../../of-module")
	r.finds("of-module", without("of-module"))
	r.git("proj", "commit", "-q", "-m", "module")
	r.git("proj", "worktree", "add", "-q", "--detach", "../side")
	r.git("side", "submodule", "update", "-q", "--init")
	above.Workspace, above.PassedOver, above.Why = "side/module", "", ""
	r.finds("side/module", above)
	r.finds("side", of("side"))
}

// TestHostileGitFile: a .git file comes with an unpacked archive.
func TestHostileGitFile(t *testing.T) {
	r := newRepository(t)
	r.git("proj", "worktree", "add", "-q", "--detach", "../side")
	for name, text := range map[string]string{
		"empty": "", "no path": "gitdir:", "blank": "gitdir: \n", "itself": "gitdir: .git", "the folder": "gitdir: .",
		"a NUL": "gitdir: ../proj/.git/worktrees/side\x00", "another key": "git: ../proj/.git/worktrees/side",
		"a main repository": "gitdir: ../proj/.git", "no git folder": "gitdir: ../home",
		"a file":       "gitdir: ../proj/app/src/file",
		"below a file": "gitdir: ../proj/app/src/file/x", "too large": "gitdir: /" + strings.Repeat("./", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			r.T = t
			r.write("unpacked/.git", text)
			want := without("unpacked")
			switch name {
			case "below a file", "no git folder":
				want.Fault = "which is gone or cannot be read: if its repository has hooks, they do not apply here"
			case "the folder", "a main repository", "a file":
			default:
				want.Fault = r.in("unpacked/.git") + " is no folder, and git cannot read it"
			}
			r.finds("unpacked", want)
		})
	}
	t.Run("a submodule without its repository", func(t *testing.T) {
		r.T = t
		r.write("unpacked/.git", "gitdir: ../.git/modules/unpacked\n")
		r.finds("unpacked", without("unpacked"))
	})
	t.Run("a link that leads nowhere", func(t *testing.T) {
		r.T = t
		require.NoError(t, os.Remove(r.in("unpacked/.git")))
		symlink(t, r.in("nowhere"), r.in("unpacked/.git"))
		want := without("unpacked")
		want.Fault = " is no folder, and git cannot read it"
		r.finds("unpacked", want)
		require.NoError(t, os.Remove(r.in("unpacked/.git")))
	})
	t.Run("a worktree of another folder", func(t *testing.T) {
		r.T = t
		for _, text := range []string{"gitdir: ../proj/.git/worktrees/side", "gitdir: ../proj/.git/worktrees/none\n"} {
			r.write("unpacked/.git", text)
			want := of("unpacked")
			want.Fault = "git does not know the worktree "
			r.finds("unpacked", want)
		}
		require.Empty(t, hookfile.WorktreeOf(r.in("proj"), r.in("unpacked")), "its files are not the project's")
		r.write("unpacked/.tenex-hooks.json", "{}")
		r.finds("unpacked", hookfile.Project{Workspace: "unpacked", File: "unpacked/.tenex-hooks.json"})
	})
	if runtime.GOOS == "windows" {
		return // access lists count, which os.Chmod does not set
	}
	for _, folder := range []string{"proj", "proj/.git"} {
		t.Run("others can write to "+folder, func(t *testing.T) {
			r.T = t
			require.NoError(t, os.Chmod(r.in(folder), 0o777))
			defer func() { require.NoError(t, os.Chmod(r.in(folder), 0o755)) }()
			r.finds("side", hookfile.Project{Workspace: "side", PassedOver: "proj/.tenex-hooks.json",
				Why: r.in(folder) + " can be written to by other users"})
		})
	}
}

func TestWorktreeOf(t *testing.T) {
	r := newRepository(t)
	r.git("proj", "worktree", "add", "-q", "--detach", "../side")
	r.git("proj", "worktree", "add", "-q", "--detach", ".claude/worktrees/in")
	r.git("proj", "worktree", "add", "-q", "--detach", "../home")
	r.git("proj", "worktree", "add", "-q", "--detach", "../around")
	r.write("around/.tenex-hooks.json", "{}")
	r.git(".", "init", "-q", "other")
	symlink(t, r.in("side"), r.in("link"))
	symlink(t, r.in("side/app"), r.in("to-app"))
	symlink(t, r.in("proj"), r.in("to-proj"))
	r.write("side/module/deep/file", "")
	r.write("side/module/.git", "gitdir: ../../proj/.git/modules/module\n")
	for _, c := range []struct{ workspace, dir, want string }{
		{"proj", "side", "side"},
		{"proj", "side/app/src", "side"},
		{"proj/app", "side/app/src", "side/app"},
		{"proj/app", "side", "side/app"},
		{"proj", "proj/.claude/worktrees/in/app", "proj/.claude/worktrees/in"},
		{"proj", "link/app", "side"},
		{"proj", "to-app/src", "side"},
		{"proj", "side/module/deep", "side"}, // a submodule, or any repository
		{"to-proj", "side", "side"},
		{"proj", "proj/app", ""},
		{"proj", "proj", ""},
		{"proj", ".", ""},
		{"proj", "other", ""},
		{"other", "side", ""},
		{"side", "proj", ""},
		{"side", "around", ""},
		{"proj", "home", ""}, // or a call could write everywhere at home
		{"around/app", "around", ""},
	} {
		require.Equal(t, r.in(c.want), hookfile.WorktreeOf(r.in(c.workspace), r.in(c.dir)), "%+v", c)
	}
}
