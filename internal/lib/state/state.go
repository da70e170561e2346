// Package state finds the folder of a user's state, such as queues and allowed hooks.
package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookrun/hookrun/internal/lib/files/owner"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
)

// Folder returns the path of hookrun in the system's folder for a user's state: $XDG_STATE_HOME (default
// ~/.local/state), on macOS ~/Library/Application Support, on Windows %LocalAppData%. The folder may be missing.
func Folder() (string, error) {
	dir, err := system()
	return filepath.Join(dir, "hookrun"), err
}

// Private returns the path of a state folder without links. It fails if another user could replace files in the
// folder, or in a folder above: the files decide which hooks run, and which calls pass. It fails too if the folder is
// in the workspace or its repository, but for a workspace that is the user's home. A workspace of "" is none.
func Private(folder, workspace string) (real string, err error) {
	if real, err = owner.Resolve(folder); err != nil {
		return "", fmt.Errorf("the state folder: %w", err)
	}
	const text = "the state folder %s cannot be trusted: %s %w"
	const elsewhere = "; set " + variable + " to a folder elsewhere"
	if strings.HasPrefix(folder, "/proc/") || strings.HasPrefix(real, "/proc/") {
		return "", fmt.Errorf(text, folder, folder, errors.New("differs from process to process"+elsewhere))
	}
	if found, err := filepath.EvalSymlinks(workspace); err == nil && workspace != "" {
		workspace = found
	}
	for at := real; ; at = filepath.Dir(at) {
		if workspace != "" && contains(at, workspace) {
			_, err := os.Lstat(filepath.Join(at, ".git"))
			if (at == workspace || err == nil) && !isHome(at) {
				return "", fmt.Errorf(text, real, at, errors.New("is of the project, which could allow itself"+
					elsewhere))
			}
		}
		info, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return "", fmt.Errorf(text, real, at, regular.UnwrapPath(err))
		default:
			if err := folderFault(at, info, at != real); err != nil {
				return "", fmt.Errorf(text, real, at, err)
			}
		}
		if at == filepath.Dir(at) {
			return real, nil
		}
	}
}

// isHome reports whether a folder has the home folder in the system's list of users: the caller chooses $HOME.
func isHome(folder string) bool {
	home, _ := Account()
	return home != "" && contains(folder, home)
}

// contains reports whether a path is at or below a folder.
func contains(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}
