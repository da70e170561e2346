package hookfile

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/hookrun/hookrun/internal/lib/files/gitdir"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/lib/shellword"
	"github.com/hookrun/hookrun/internal/lib/state"
)

// mainWorktree returns the main worktree if root is the folder of a linked one, or "". A bare repository has none.
// Git knows none if the .git of the repository is a file. If git does not know the linked worktree, fault says so,
// and mend what to do. With a fault and without a main worktree, the repository is gone.
func mainWorktree(root string) (main, fault, mend string) {
	dir, file := gitdir.Of(root), filepath.Join(root, ".git")
	const lost = ": if its repository has hooks, they do not apply here"
	const again = "make the worktree again, or give -C and the folder of the project"
	if !exists(file) {
		return "", "", ""
	}
	if info, err := os.Stat(file); dir == "" || dir == file && (err != nil || !info.IsDir()) {
		return "", file + " is no folder, and git cannot read it" + lost, again
	}
	gone := "the file " + file + " names " + dir + ", which is gone or cannot be read" + lost
	common := gitdir.Common(dir)
	if common == "" {
		switch {
		case exists(dir), filepath.Base(filepath.Dir(dir)) == "modules": // of a submodule
			return "", "", ""
		case filepath.Base(filepath.Dir(dir)) != "worktrees":
			return "", gone, again
		}
		common = filepath.Dir(filepath.Dir(dir)) // git has pruned the worktree
	}
	if filepath.Base(common) != ".git" {
		return "", "", ""
	}
	if main = filepath.Dir(common); !exists(common) {
		return "", gone, again
	}
	if !regular.Same(gitdir.Path(filepath.Join(dir, "gitdir"), ""), file) {
		fault = "git does not know the worktree " + root + ", which was moved or pruned"
		mend = "run git worktree repair " + shellword.Local(root) + " in " + main + ", or make the worktree again"
	}
	return main, fault, mend
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Follow looks for the hooks files of the main worktree, if root is a linked worktree: in the folder that has the place
// of dir there, and above. If another user can change the files, they are passed over.
func (p *Project) Follow(dir, root string) error {
	main, fault, mend := mainWorktree(root)
	if main == "" {
		p.Fault, p.Mend = fault, mend
		return nil
	}
	inside, err := filepath.Rel(root, dir)
	for ; err == nil; inside = filepath.Dir(inside) {
		at, found := filepath.Join(main, inside), Project{}
		if err = found.look(at, present); err != nil || !found.Found() && inside == "." {
			break
		}
		if !found.Found() {
			continue
		}
		for _, folder := range []string{filepath.Join(main, ".git"), main, at} {
			if why := folderFault(folder); why != "" {
				p.PassedOver, p.Why = found.mainFile(), folder+" "+why
				return nil
			}
		}
		if isIn(main, p.PassedOver) {
			p.PassedOver, p.Why = "", ""
		}
		p.Workspace, p.File, p.Local, p.Fault, p.Mend = at, found.File, found.Local, fault, mend
		p.Worktree = filepath.Join(root, inside)
		return nil
	}
	return err
}

// InMainWorktree returns the folder of the main worktree that has the place of a folder in a linked worktree, or "".
func InMainWorktree(folder string) string {
	folder, _ = filepath.Abs(folder) // an error means ""
	root := Repository(folder, "")
	main, _, _ := mainWorktree(root)
	if inside, err := filepath.Rel(root, folder); err == nil && main != "" {
		return filepath.Join(main, inside)
	}
	return ""
}

// WorktreeOf returns the folder that has the place of the workspace in the linked worktree of dir, without links, or ""
// if dir is in no linked worktree of the workspace's repository that git knows.
func WorktreeOf(workspace, dir string) string {
	dir, workspace = real(dir), real(workspace)
	for root := ""; dir != filepath.Dir(dir); dir = filepath.Dir(root) {
		if root = Repository(dir, workspace); root == "" {
			break
		}
		main, fault, _ := mainWorktree(root)
		if main = real(main); main == "" || fault != "" || !isIn(main, workspace) {
			continue // the repository of a submodule, in whose worktree dir may be
		}
		inside, _ := filepath.Rel(main, workspace) // isIn had no error
		return asOwn(workspace, filepath.Join(root, inside))
	}
	return ""
}

// asOwn returns a worktree whose files count as the workspace's own, or "" if the home or the workspace is in it.
func asOwn(workspace, worktree string) string {
	home, _ := state.Home() // without a home, nothing lies in it
	if isIn(worktree, workspace) || isIn(worktree, real(home)) {
		return ""
	}
	return worktree
}

// real returns a path without links, or the path itself if it leads nowhere.
func real(path string) string {
	end, _ := filepath.EvalSymlinks(path)
	return cmp.Or(end, path)
}

// isIn reports whether a path is a folder or in it.
func isIn(folder, path string) bool {
	inside, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(inside)
}
