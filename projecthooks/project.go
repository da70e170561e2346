package projecthooks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Project is where a folder has its hooks file. FindProject looks for it.
type Project struct {
	Workspace string // the folder of the hooks file, or where the search began if there is none
	File      string // the hooks file; "": there is none
	// PassedOver is a hooks file above that does not count, where no other was found. Repository is the folder with the
	// .git at which the search ended; "": the search began in no repository, so only its own folder counts.
	PassedOver string
	Repository string
}

// FindProject finds the project of a folder: the nearest folder upwards that has a hooks file, the folder itself first.
// It does not look above the first folder with a .git, be that a folder or the file of a submodule or a worktree: what
// lies there is another project's. Outside of a repository only the folder itself counts: a file in /tmp can be
// anybody's.
//
// A folder that is reached through symbolic links lies where it really is, as for git. Only if there is no hooks file
// on that way is the way through the links searched, so that a link to a folder elsewhere does not lose the project's
// hooks.
func FindProject(dir string) (Project, error) {
	shown, err := filepath.Abs(dir)
	if err != nil {
		return Project{}, fmt.Errorf("finding the project of %s: %w", dir, err)
	}
	if present(filepath.Join(shown, FileName)) {
		return Project{Workspace: dir, File: filepath.Join(dir, FileName)}, nil
	}
	p := search(shown)
	if real, err := filepath.EvalSymlinks(shown); err == nil && real != shown {
		if really := search(real); really.File != "" || p.File == "" && really.PassedOver != "" {
			p = really
		}
	}
	if p.File == "" {
		p.Workspace = dir // as the caller has it, for messages
	}
	return p, nil
}

// search walks upwards from an absolute path.
func search(dir string) (p Project) {
	for at := dir; ; at = filepath.Dir(at) {
		if file := filepath.Join(at, FileName); p.File == "" && present(file) {
			p.Workspace, p.File = at, file
		}
		switch {
		case !present(filepath.Join(at, ".git")):
		case p.File != "":
			return p
		default:
			return Project{Repository: at, PassedOver: nearestAbove(at)}
		}
		if at == filepath.Dir(at) {
			return Project{PassedOver: p.File}
		}
	}
}

// nearestAbove returns the nearest hooks file above a folder, "" if there is none.
func nearestAbove(dir string) string {
	for dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		if file := filepath.Join(dir, FileName); present(file) {
			return file
		}
	}
	return ""
}

// present reports whether something has the name. A link to nothing is a gate that got lost, and what may not be looked
// at can be one: whoever reads it says what is wrong.
func present(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
