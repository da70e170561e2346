package state

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"time"
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
