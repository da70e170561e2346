package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hookrun/hookrun/internal/lib/files/owner"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/lib/state"
)

// Store has the records in a state folder: the allowed hooks, and the hooks of each pinned session.
type Store struct{ folder string } // the path without links

// Open returns the Store in a folder; "" is the user's own folder. Open fails if other users or the project of the
// workspace could make the records, because they decide which hooks run. A workspace of "" is none.
func Open(folder, workspace string) (*Store, error) {
	if folder == "" {
		var err error
		if folder, err = state.Folder(); err != nil {
			return nil, fmt.Errorf("finding the state folder: %w", err)
		}
	}
	real, err := state.Private(folder, workspace)
	if err != nil {
		return nil, err
	}
	return &Store{real}, nil
}

const (
	allowedFolder  = "allowed"
	sessionsFolder = "sessions"
)

// path returns the path of a state file, and makes the folder.
func (s *Store) path(folder, key, ending string) (string, error) {
	dir := filepath.Join(s.folder, folder)
	if err := owner.MkdirAll(dir); err != nil {
		return "", fmt.Errorf("making the state folder: %w", err)
	}
	return filepath.Join(dir, hashed(key)+ending), nil
}

func hashed(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}

// read reads a state file, or returns nil if the file does not exist.
func (s *Store) read(folder, key, ending string) (text []byte, err error) {
	dir := filepath.Join(s.folder, folder)
	path := filepath.Join(dir, hashed(key)+ending)
	add := func(more []byte) { text = append(text, more...) }
	all := func(identity) bool { return true }
	_, found, err := readRegular(path, make([]byte, 16<<10), all, add)
	if err == nil && !found {
		if _, missing := os.Lstat(path); missing != nil {
			return nil, nil
		}
		_, found, err = readRegular(path, make([]byte, 16<<10), all, add) // another call may have made it meanwhile
	}
	if err == nil && found {
		var info fs.FileInfo
		if info, err = os.Lstat(dir); err == nil {
			err = owner.Check(dir, info)
		}
	} else if err == nil {
		err = errors.New("it is no file; remove it, and allow the hooks again")
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, regular.UnwrapPath(err))
	}
	if found && text == nil {
		text = []byte{} // the file is empty, but it exists
	}
	return text, nil
}
