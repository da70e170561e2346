package hookfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hookrun/hookrun/internal/regularfile"
)

// Project is where a folder has its hooks file. FindProject looks for it.
type Project struct {
	Workspace string // the folder of the hooks file, or where the search began if there is none
	File      string // the hooks file; "": there is none
	Local     string // the one beside it that is not for committing; "": there is none
	// PassedOver is a hooks file above that does not count, where no other was found. Repository is the folder with the
	// .git at which the search ended; "": the search began in no repository, so only its own folder counts.
	PassedOver string
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
// a submodule or a worktree: what lies there is another project's. Outside of a repository only the folder itself
// counts: a file in /tmp can be anybody's.
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
func search(dir string) (p Project, err error) {
	for at := dir; ; at = filepath.Dir(at) {
		if !p.Found() {
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
			return Project{Repository: at, PassedOver: nearestAbove(at)}, nil
		}
		if at == filepath.Dir(at) {
			return Project{PassedOver: p.first()}, nil
		}
	}
}

// FileAbove returns the nearest hooks file above a folder in its repository, "" if there is none: where the folder
// itself was named, or has a file of its own, that one does not count.
func FileAbove(dir string) string {
	at, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(at); err == nil {
		at = real
	}
	if top, err := present(filepath.Join(at, ".git")); top || err != nil || at == filepath.Dir(at) {
		return ""
	}
	p, err := search(filepath.Dir(at))
	if err != nil {
		return ""
	}
	return p.first() // none outside of a repository
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
	return false, fmt.Errorf("looking for %s: %w; %s", path, regularfile.UnwrapPath(err), mend)
}
