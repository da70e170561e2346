package state

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"time"
)

// Hashed returns a file name for a key, such as the id of a session, that may have any characters and any length.
func Hashed(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:12])
}

// RemoveOld removes the regular files of a folder whose names match a pattern of package filepath, and that nobody has
// written to for the given time. What cannot be removed stays: it is looked at again the next time.
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
