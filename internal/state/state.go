// Package state finds the folder of a user's state, such as queues and allowed hooks.
package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hookrun/hookrun/internal/files/owner"
	"github.com/hookrun/hookrun/internal/files/regular"
)

// Folder returns the path of hookrun in the system's folder for a user's state: $XDG_STATE_HOME (default
// ~/.local/state), on macOS ~/Library/Application Support, on Windows %LocalAppData%. The folder may be missing.
func Folder() (string, error) {
	dir, err := system()
	return filepath.Join(dir, "hookrun"), err
}

// Private returns the path of a state folder without links. It fails if another user could replace files in the
// folder, or in a folder above: the files decide which hooks run, and which calls pass.
func Private(folder string) (real string, err error) {
	if real, err = owner.Resolve(folder); err != nil {
		return "", fmt.Errorf("the state folder: %w", err)
	}
	const text = "the state folder %s cannot be trusted: %s %w"
	for at := real; ; at = filepath.Dir(at) {
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
