package state

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hookrun/hookrun/internal/lib/files/owner"
)

// Hashed returns a file name for a key of any characters and any length, such as the id of a session.
func Hashed(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:12])
}

// RemoveOld removes the regular files of a folder whose names match a pattern of package filepath and whose last change
// is older than age. If a file cannot be removed, the next call tries again.
func RemoveOld(folder, pattern string, age time.Duration) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if ours, _ := filepath.Match(pattern, e.Name()); !ours {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > age {
			_ = os.Remove(filepath.Join(folder, e.Name()))
		}
	}
}

// Append adds a text to a file. For a new file it makes the folder, and removes the folder's files older than age.
func Append(path, text string, age time.Duration) error {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		RemoveOld(filepath.Dir(path), "*", age)
	}
	if err := owner.MkdirAll(filepath.Dir(path)); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}
