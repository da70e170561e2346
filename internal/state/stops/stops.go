// Package stops counts how often in a row hooks have sent an agent back to work at the end of a turn, even if each call
// has a process of its own.
//
//	n, err := stops.Add(state, key)
//	…
//	stops.Clear(state, key)
//
// Each key has one file, whose length is the count. When a new file is made, files older than a month are removed.
package stops

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hookrun/hookrun/internal/files/owner"
	"github.com/hookrun/hookrun/internal/state"
)

// Folder is the name of the folder in the user's state folder.
const Folder = "stops"

const month = 30 * 24 * time.Hour

func path(dir, key string) string { return filepath.Join(dir, Folder, state.Hashed(key)) }

// Add adds one to the count of a key, and returns the new count.
func Add(dir, key string) (n int, err error) {
	path := path(dir, key)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		state.RemoveOld(filepath.Dir(path), "*", month)
	}
	if err := owner.MkdirAll(filepath.Dir(path)); err != nil {
		return 0, err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return 0, err
	}
	_, err = file.WriteString("x")
	info, err2 := file.Stat()
	if err = errors.Join(err, err2, file.Close()); err != nil {
		return 0, err
	}
	return int(info.Size()), nil
}

// Clear sets the count of a key to 0. If the file cannot be removed, the next turn ends sooner.
func Clear(dir, key string) { _ = os.Remove(path(dir, key)) }
