package hookfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hookrun/hookrun/internal/files/regular"
)

// Project is where a folder has its hooks file. FindProject looks for it.
type Project struct {
	Workspace string // the folder of the hooks file, or where the search began if there is none
	File      string // the hooks file; "": there is none
	Local     string // the one beside it that is not for committing; "": there is none
	// PassedOver is a hooks file above that does not count, if no other was found. Why says why, as in "it lies above
	// the git repository /x". Repository is the folder with the .git at which the search ended; "": there is no .git.
	PassedOver string
	Why        string
	Repository string
}

// Found reports whether there is a hooks file, be it the local one alone.
func (p *Project) Found() bool { return p.File != "" || p.Local != "" }

// first is the file that stands for the project in messages.
func (p *Project) first() string { return cmp.Or(p.File, p.Local) }

// ProjectIn is the project of a folder that somebody named: what lies above does not count. What cannot be looked at is
// a problem for who reads it, not an absence.
func ProjectIn(dir string) Project {
	p := Project{Workspace: dir}
	p.look(dir, func(path string) (bool, error) {
		_, err := os.Lstat(path) // a link to nothing is a gate that got lost
		if filepath.Base(path) == LocalFileName {
			return !isMissing(err), nil // of a workspace that is a file the other says so
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

// FindProject finds the project of a folder: the nearest folder upwards that has a hooks file, be it the local one
// alone, the folder itself first. It does not look above the first folder with a .git, be that a folder or the file of
// a submodule or a worktree: what lies there is another project's. If there is no .git, it does not look above the home
// folder, and a folder above counts only if it and those on the way to it are safe: a file in /tmp can be anybody's.
// See outOfReach.
//
// A folder that is reached through symbolic links lies where it really is, as for git. Only if there is no hooks file
// on that way is the way through the links searched, so that a link to a folder elsewhere does not lose the project's
// hooks.
func FindProject(dir string) (Project, error) {
	shown, err := filepath.Abs(dir)
	if err != nil {
		return Project{}, fmt.Errorf("finding the project of %s: %w", dir, err)
	}
	// By the path that the file will be read by: a folder that is reached from the current one may not be reached from
	// /.
	p := Project{}
	if err := p.look(dir, present); err != nil || p.Found() {
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
		if really.Found() || !p.Found() && really.PassedOver != "" {
			p = really
		}
	}
	if !p.Found() {
		p.Workspace = dir // as the caller has it, for messages
	}
	return p, nil
}

// search walks upwards from an absolute path.
func search(dir string) (Project, error) { return searchFrom(dir, dir) }

// searchFrom is search for hooks files in the folder first, which is dir or the one above it, and above.
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
			return p, nil
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if p.Found() {
		if why := outOfReach(dir, p.Workspace); why != "" {
			return Project{PassedOver: p.first(), Why: why}, nil
		}
	}
	return p, nil
}

// outOfReach returns why the hooks file of a folder does not count in dir, a folder below without a .git on the way;
// "": it counts. What lies above the home folder is not for the projects in it. Each folder above dir must belong to
// this user or to root, and nobody else may write to it: whoever can put a hooks file there runs commands as this user.
// Whose dir itself is makes no difference.
func outOfReach(dir, folder string) (why string) {
	home, _ := os.UserHomeDir() // without one there is no such end
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

// CountsBelow reports whether the hooks file of a folder in no repository counts in the folders below.
func CountsBelow(folder string) bool { return folderFault(folder) == "" }

// Repository returns the folder, or the nearest one above it and below top, that has a .git; "" if there is none. With
// "" there is no top.
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

// InRepository reports whether Repository finds one.
func InRepository(folder, top string) bool { return Repository(folder, top) != "" }

// FileAbove returns the nearest hooks file above a folder that a search which begins there would find, had the folder
// no file of its own; "": there is none.
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
	return p.first()
}

// nearestAbove returns the nearest hooks file above a folder, "" if there is none. It only serves a remark, so what
// cannot be looked at does not count.
func nearestAbove(dir string) string {
	for dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		var p Project
		if err := p.look(dir, present); err == nil && p.Found() {
			return p.first()
		}
	}
	return ""
}

// present reports whether something has the name. A dangling link counts: it is a gate that got lost, and reading it
// reports the error. A path that may not be looked at can be a gate too, so that is an error and never an absence.
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
