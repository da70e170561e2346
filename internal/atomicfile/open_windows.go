package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/windows"
)

// Rename renames a file, also over one that others have open. While they have it open the system refuses that, so it
// is tried again for two seconds: a client reads its settings, and a virus scanner any new file, for a moment.
func Rename(from, to string) error {
	return whileHeld(func() error {
		err := os.Rename(from, to)
		if info, missing := os.Lstat(to); err != nil && missing == nil && info.IsDir() { // which stays in the way
			return &os.LinkError{Op: "rename", Old: from, New: to, Err: windows.ERROR_ALREADY_EXISTS}
		}
		return err
	})
}

// Read reads a file that others may replace or remove meanwhile. It opens the file through a root: opened in another
// way it would keep them from that. While they do it, it is tried again.
func Read(path string) (text []byte, err error) {
	return text, whileHeld(func() error {
		file, err := os.OpenInRoot(filepath.Dir(path), filepath.Base(path))
		if err != nil {
			return err
		}
		defer file.Close()
		text, err = io.ReadAll(file)
		return err
	})
}

// whileHeld does something again for two seconds while others have the file.
func whileHeld(do func() error) error {
	until := time.Now().Add(2 * time.Second)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := do()
		held := errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
		if !held || time.Now().After(until) {
			return err
		}
		time.Sleep(pause)
	}
}
