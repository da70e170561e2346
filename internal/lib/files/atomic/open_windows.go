package atomic

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/windows"
)

// Rename renames a file, even over a file that other processes have open.
func Rename(from, to string) error {
	return retryInUse(to, func() error { return os.Rename(from, to) })
}

// Remove removes a file, even if other processes have it open.
func Remove(path string) error { return retryInUse(path, func() error { return os.Remove(path) }) }

// Read reads a file that others may replace or remove meanwhile. It opens the file through a root, because a file
// opened in another way could not be replaced or removed.
func Read(path string) (text []byte, err error) {
	err = retryInUse(path, func() error {
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

// retryInUse repeats do for up to two seconds while another process has the file open, which makes Windows refuse. A
// client reads its settings, and a virus scanner any new file, for a moment.
func retryInUse(path string, do func() error) error {
	until := time.Now().Add(2 * time.Second)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := do()
		held := errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
		if !held || time.Now().After(until) {
			return err
		}
		if info, missing := os.Lstat(path); missing == nil && info.IsDir() { // a folder stays in the way
			return err
		}
		time.Sleep(pause)
	}
}
