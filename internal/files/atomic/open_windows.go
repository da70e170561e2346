package atomic

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/windows"
)

// Rename renames a file, also over one that others have open.
func Rename(from, to string) error { return whileHeld(to, func() error { return os.Rename(from, to) }) }

// Remove removes a file, also one that others have open.
func Remove(path string) error { return whileHeld(path, func() error { return os.Remove(path) }) }

// Read reads a file that others may replace or remove meanwhile. It opens the file through a root: opened in another
// way it would keep them from that.
func Read(path string) (text []byte, err error) {
	err = whileHeld(path, func() error {
		file, err := os.OpenInRoot(filepath.Dir(path), filepath.Base(path))
		if err != nil {
			return err
		}
		defer file.Close()
		text, err = io.ReadAll(file)
		return err
	})
	return text, err
}

// whileHeld does something with a file. While others have it open the system refuses that, so it is tried again for two
// seconds: a client reads its settings, and a virus scanner any new file, for a moment.
func whileHeld(path string, do func() error) error {
	until := time.Now().Add(2 * time.Second)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := do()
		held := errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
		if !held || time.Now().After(until) {
			return err
		}
		if info, missing := os.Lstat(path); missing == nil && info.IsDir() { // which stays in the way
			return err
		}
		time.Sleep(pause)
	}
}
