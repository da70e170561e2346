package hookfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/lib/state"
)

// Project is the location of a project's hooks files. FindProject finds it.
type Project struct {
	Workspace string // folder of the hooks file, or the start of the search
	File      string // hooks file; "": none
	Local     string // hooks file beside it that is not for committing; "": none
	// PassedOver is a hooks file above that does not count, if no other was found. Why is the reason, such as "it lies
	// above the git repository /x". Repository is the folder of the .git at which the search ended; "": no .git.
	PassedOver string
	Why        string
	Repository string
	// Worktree is set in a linked worktree without a hooks file: the folder there that has the place of Workspace, the
	// folder of the main worktree with the hooks file.
	Worktree string
	// Fault says what is wrong with the linked worktree, and Mend what to do.
	Fault, Mend string
}

// Found reports whether the project has a hooks file. The local file alone is enough.
func (p *Project) Found() bool { return p.File != "" || p.Local != "" }

// mainFile returns the file that stands for the project in messages.
func (p *Project) mainFile() string { return cmp.Or(p.File, p.Local) }

// ProjectIn returns the project of a named folder: files in folders above do not count. A file that cannot be looked at
// is not absent: reading the file reports the error.
func ProjectIn(dir string) Project {
	p := Project{Workspace: dir}
	p.look(dir, func(path string) (bool, error) {
		_, err := os.Lstat(path) // a dangling link is a lost gate
		if filepath.Base(path) == LocalFileName {
			return !isMissing(err), nil // if the workspace is a file, FileName says so
		}
		return !errors.Is(err, fs.ErrNotExist), nil
	})
	return p
}

// look finds the hooks files in a folder.
func (p *Project) look(dir string, present func(string) (bool, error)) error {
	for _, file := range []struct {
		name string
		at   *string
	}{{FileName, &p.File}, {LocalFileName, &p.Local}} {
		path := filepath.Join(dir, file.name)
		switch there, err := present(path); {
		case err != nil:
			return err
		case there:
			*file.at, p.Workspace = path, dir
		}
	}
	return nil
}

// FindProject finds the project of a folder: the nearest folder with a hooks file, from the folder itself upwards. The
// local file alone is enough. The search ends at the first folder with a .git, because files above belong to another
// project; the .git may be a folder, or the file of a submodule or a worktree. Without a .git, the search ends at the
// home folder, and a folder above counts only if all folders on the way are safe: anyone can put a file into /tmp. See
// outOfReach. A linked worktree without a hooks file has the hooks files of the main worktree.
//
// As for git, a folder lies at its real path, without symbolic links. Only if the real path leads to no hooks file,
// FindProject searches the path with the links, so a link to a folder elsewhere does not lose the project's hooks.
func FindProject(dir string) (Project, error) {
	shown, err := filepath.Abs(dir)
	if err != nil {
		return Project{}, fmt.Errorf("finding the project of %s: %w", dir, err)
	}
	// Look by the path for reading the file: a folder that is reached from the current one may not be reached from /.
	p := Project{}
	if err := p.look(dir, present); err != nil || p.Found() {
		p.passOverMain()
		return p, err
	}
	p, err = search(shown)
	if err != nil {
		return Project{}, err
	}
	if real, err := filepath.EvalSymlinks(shown); err == nil && real != shown {
		really, err := search(real)
		if err != nil {
			return Project{}, err
		}
		if really.Found() && (really.Worktree == "" || !p.Found()) || !p.Found() && really.PassedOver != "" {
			p = really
		}
	}
	if !p.Found() {
		p.Workspace = dir // the caller's spelling, for messages
	}
	p.passOverMain()
	return p, nil
}

// passOverMain passes over the hooks file of the main worktree, if a linked worktree has a local file alone.
func (p *Project) passOverMain() {
	if p.File != "" || p.Local == "" || p.Worktree != "" {
		return
	}
	main := InMainWorktree(filepath.Dir(p.Local))
	if file := nearestAbove(filepath.Join(main, FileName)); main != "" && file != "" {
		p.PassedOver, p.Why = file, "this worktree has a local hooks file of its own, "+p.Local
	}
}

// search walks upwards from an absolute path.
func search(dir string) (Project, error) { return searchFrom(dir, dir) }

// searchFrom is search, but hooks files count only in first and above. first is dir or the folder above dir.
func searchFrom(dir, first string) (p Project, err error) {
	for at := dir; ; at = filepath.Dir(at) {
		if !p.Found() && len(at) <= len(first) {
			if err := p.look(at, present); err != nil {
				return p, err
			}
		}
		ends, err := present(filepath.Join(at, ".git"))
		switch {
		case err != nil:
			return p, err
		case !ends:
		case p.Found():
			return p, nil
		default:
			p = Project{Repository: at, PassedOver: nearestAbove(at)}
			if p.PassedOver != "" {
				p.Why = "it lies above the git repository " + at
			}
			if first == dir {
				err = p.Follow(dir, at)
			}
			return p, err
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if p.Found() {
		if why := outOfReach(dir, p.Workspace); why != "" {
			return Project{PassedOver: p.mainFile(), Why: why}, nil
		}
	}
	return p, nil
}

// outOfReach returns why the hooks file of a folder does not count in dir, a folder below without a .git on the way, or
// "" if the file counts. Files above the home folder are not for the projects in the home folder. Each folder above dir
// must belong to this user or to root, and no other user may write to it: anyone who can put a hooks file there runs
// commands as this user. The owner of dir does not matter.
func outOfReach(dir, folder string) (why string) {
	home, _ := state.Home() // without a home the search goes on to /
	for at := dir; at != folder; {
		if filepath.IsAbs(home) && regular.Same(at, home) {
			return "it lies above the home folder " + home
		}
		at = filepath.Dir(at)
		if fault := folderFault(at); fault != "" {
			return "the folder " + at + " " + fault
		}
	}
	return ""
}

// AppliesInSubfolders reports whether the hooks file of a folder outside any repository counts in the folders below.
func AppliesInSubfolders(folder string) bool { return folderFault(folder) == "" }

// Repository returns the nearest folder with a .git, from folder upwards and below top, or "". If top is "", the search
// goes on to the root.
func Repository(folder, top string) string {
	for at := folder; at != top; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return ""
}

// InRepository reports whether Repository returns a folder.
func InRepository(folder, top string) bool { return Repository(folder, top) != "" }

// FileAbove returns the nearest hooks file above a folder that a search from the folder would find if the folder had no
// hooks file, or "".
func FileAbove(dir string) string {
	at, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(at); err == nil {
		at = real
	}
	p, err := searchFrom(at, filepath.Dir(at))
	if err != nil || at == filepath.Dir(at) {
		return ""
	}
	return p.mainFile()
}

// nearestAbove returns the nearest hooks file above a folder, or "". Folders that cannot be looked at do not count,
// because the result is only for a message.
func nearestAbove(dir string) string {
	for dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		var p Project
		if err := p.look(dir, present); err == nil && p.Found() {
			return p.mainFile()
		}
	}
	return ""
}

// present reports whether a path exists. A dangling link counts: it is a lost gate, and reading the file reports the
// error. A path that may not be looked at is an error, not an absence, because it may be a gate.
func present(path string) (bool, error) {
	_, err := os.Lstat(path)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	}
	const mend = "give -C and the folder of the project"
	return false, fmt.Errorf("looking for %s: %w; %s", path, regular.UnwrapPath(err), mend)
}
