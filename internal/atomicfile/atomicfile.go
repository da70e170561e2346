// Package atomicfile puts a new text in the place of a file, in one step.
//
//	info, err := os.Lstat(path)
//	…
//	err = atomicfile.Replace(path, info, text)
//
// It guarantees: whoever reads the file meanwhile sees the old text or the new one, and so does who reads it after a
// crash. Mode and owner of the file stay. A file that one may not write to is not replaced. What a run that was killed
// leaves beside it the next one removes; Sweep does so where nothing is to be replaced.
//
// What it does not guarantee: a hard link to the file keeps the old text, and access lists are lost.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/filelock"
)

// Replace writes the file at a path, which leads over no symbolic link. old is what is there; nil makes the file.
func Replace(path string, old fs.FileInfo, text string) error {
	Sweep(path)
	mode := fs.FileMode(0o666) // less the umask
	if old != nil {
		mode = old.Mode().Perm()
		// A rename would also replace a file that nobody may write to.
		writable, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		writable.Close()
	}
	const tries = 10
	for n := 1; ; n++ {
		temporary, err := write(path, old, mode, text)
		if err != nil {
			return err
		}
		err = os.Rename(temporary, path)
		if err == nil {
			return nil
		}
		os.Remove(temporary)
		if !errors.Is(err, fs.ErrNotExist) || n == tries { // else another run took it for one that was left behind
			return err
		}
	}
}

// write writes the text to a new file beside the path.
func write(path string, old fs.FileInfo, mode fs.FileMode, text string) (temporary string, err error) {
	// os.CreateTemp would make a new file for its owner alone. Another who takes the same name in the same moment makes
	// this fail.
	folder, base := filepath.Split(path)
	temporary = filepath.Join(folder, "."+base+"."+strconv.FormatInt(time.Now().UnixNano(), 36))
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", fmt.Errorf("writing %s: %w", path, errors.Unwrap(err)) // the other name says nothing to anybody
	}
	defer func() {
		if err != nil {
			file.Close()
			os.Remove(temporary)
		}
	}()
	if err := filelock.Lock(file); err != nil { // who finds it not locked takes us for dead
		return "", err
	}
	if old != nil {
		if err := file.Chmod(mode); err != nil { // whatever the umask is
			return "", err
		}
		if err := keepOwner(file, old); err != nil {
			return "", err
		}
	}
	if _, err := file.WriteString(text); err != nil {
		return "", err
	}
	// The rename may be on disk before the text is, and a crash between the two would leave an empty file.
	if err := file.Sync(); err != nil {
		return "", err
	}
	return temporary, file.Close()
}

// Sweep removes what runs that were killed left beside a file. What it cannot remove is in nobody's way.
func Sweep(path string) {
	folder, base := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(folder))
	if err != nil {
		return
	}
	for _, e := range entries {
		stamp, ours := strings.CutPrefix(e.Name(), "."+base+".")
		if !ours || !e.Type().IsRegular() || !isStamp(stamp) {
			continue
		}
		left := filepath.Join(folder, e.Name())
		if busy, err := filelock.Held(left); err == nil && !busy {
			os.Remove(left)
		}
	}
}

// isStamp reports whether a text is the moment of a write, as it stands in the name of its file: nobody's backup is to
// be taken for one.
func isStamp(text string) bool {
	nanoseconds, err := strconv.ParseInt(text, 36, 64)
	if err != nil || text != strconv.FormatInt(nanoseconds, 36) {
		return false
	}
	at := time.Unix(0, nanoseconds)
	return at.Year() >= 2020 && at.Before(time.Now().Add(24*time.Hour))
}
