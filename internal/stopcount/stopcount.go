// Package stopcount counts how often in a row hooks have sent an agent back to work at the end of its turn, also where
// each call is a process of its own.
//
//	n, err := stopcount.Add(state, key)
//	…
//	stopcount.Clear(state, key)
//
// There is one file for each key, as long as the count. Files of a month ago are removed when a new one is made.
package stopcount

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hookrun/hookrun/internal/ownpath"
)

// Folder is the name of the folder in the user's state folder.
const Folder = "stops"

const month = 30 * 24 * time.Hour

func path(state, key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(state, Folder, hex.EncodeToString(sum[:12]))
}

// Add adds one to the count of a key, and returns it.
func Add(state, key string) (n int, err error) {
	path := path(state, key)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		clean(filepath.Dir(path))
	}
	if err := ownpath.MkdirAll(filepath.Dir(path)); err != nil {
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

// Clear sets the count of a key to 0. If it cannot, the next turn ends sooner.
func Clear(state, key string) { _ = os.Remove(path(state, key)) }

// clean removes what is old.
func clean(folder string) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > month {
			_ = os.Remove(filepath.Join(folder, e.Name()))
		}
	}
}
