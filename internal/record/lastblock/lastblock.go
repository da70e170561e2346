// Package lastblock keeps the last blocked call of each workspace, for hookrun explain --last.
//
//	_ = lastblock.Write(state, workspace, line)
//	line, err := lastblock.Read(state, workspace)
//
// A call is one line, as in the run log: without secrets, and with long texts cut. A reader gets the whole line of one
// call. If a later line cannot be written, the old line stays, so a reader must show the time.
package lastblock

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hookrun/hookrun/internal/lib/files/owner"
	"github.com/hookrun/hookrun/internal/lib/state"
)

// Folder is the name of the folder in the user's state folder.
const Folder = "last-block"

const age = 30 * 24 * time.Hour // how long a line is kept

func path(dir, workspace string) string { return filepath.Join(dir, Folder, state.Hashed(workspace)) }

// Write replaces the line of the workspace. The first line of a workspace removes others that are older than 30 days.
func Write(dir, workspace string, line []byte) error {
	path := path(dir, workspace)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) { // not at each block
		if err := owner.MkdirAll(filepath.Dir(path)); err != nil {
			return err
		}
		state.RemoveOld(filepath.Dir(path), "*", age)
	}
	// Write under another name first, so no process reads half a line.
	temporary, err := os.CreateTemp(filepath.Dir(path), ".new.")
	if err != nil {
		return err
	}
	_, err = temporary.Write(line)
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		os.Remove(temporary.Name())
	}
	return err
}

// Read returns the line of the workspace, or nil without a line.
func Read(dir, workspace string) ([]byte, error) {
	line, err := os.ReadFile(path(dir, workspace))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return line, err
}
