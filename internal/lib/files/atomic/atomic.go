// Package atomic replaces the text of a file in one step.
//
//	info, err := os.Lstat(path)
//	…
//	err = atomic.Replace(path, info, text)
//
// Guarantees: a reader sees the old text or the new text, even after a crash. The file keeps its mode and owner. A file
// without write permission is not replaced. The next run, or Sweep, removes temporary files of a killed run.
//
// Not guaranteed: a hard link to the file keeps the old text, and POSIX access lists are lost.
package atomic

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/lib/files/lock"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
)

// Replace writes the file at path, which must not contain symbolic links. old describes the existing file. If old is
// nil, Replace creates the file.
func Replace(path string, old fs.FileInfo, text string) error { return ReplaceAs(path, old, 0, text) }

// ReplaceAs is Replace, and adds the bits to the mode of the file.
func ReplaceAs(path string, old fs.FileInfo, bits fs.FileMode, text string) error {
	Sweep(path)
	mode := 0o666 | bits // less the umask
	if old != nil {
		mode = old.Mode().Perm() | bits
		// A rename would also replace a file without write permission.
		writable, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		writable.Close()
	}
	return replace(path, old, mode, text)
}

// WritePrivate writes the file at path for this user alone. The path must not contain symbolic links.
func WritePrivate(path, text string) error {
	Sweep(path)
	return replace(path, nil, 0o600, text)
}

// Create writes a new file with this mode, less the umask. If the path exists already, the error is fs.ErrExist, and
// the file stays unchanged.
func Create(path string, mode fs.FileMode, text string) error {
	Sweep(path)
	return writeFile(path, nil, mode, text, create)
}

// create renames a temporary file, unless the path is taken. If the file system has no hard links, another program
// could take the path between the check and the rename.
func create(temporary, path string) error {
	err := os.Link(temporary, path)
	if err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		os.Remove(temporary)
		return err
	}
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	return Rename(temporary, path)
}

func replace(path string, old fs.FileInfo, mode fs.FileMode, text string) error {
	return writeFile(path, old, mode, text, Rename)
}

// writeFile writes a temporary file, and calls rename to move it to path.
func writeFile(path string, old fs.FileInfo, mode fs.FileMode, text string, rename func(from, to string) error) error {
	const tries = 10
	for n := 1; ; n++ {
		temporary, err := write(path, old, mode, text)
		if err != nil {
			return err
		}
		err = rename(temporary, path)
		if err == nil {
			return nil
		}
		os.Remove(temporary)
		if !errors.Is(err, fs.ErrNotExist) || n == tries { // ErrNotExist: another run has swept the temporary file
			return err
		}
	}
}

// write writes the text to a new file beside the path. If this fails, no file is left.
func write(path string, old fs.FileInfo, mode fs.FileMode, text string) (temporary string, err error) {
	// os.CreateTemp would make a file for its owner alone. OpenFile fails if another process takes the same name in the
	// same nanosecond.
	folder, base := filepath.Split(path)
	temporary = filepath.Join(folder, "."+base+"."+strconv.FormatInt(time.Now().UnixNano(), 36))
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err == nil {
		if err = fill(file, path, old, mode, text); err != nil {
			file.Close()
			os.Remove(temporary)
		} else if err = file.Close(); err != nil {
			os.Remove(temporary)
		}
	}
	if err != nil { // leave out the temporary name, which the user does not know
		return "", fmt.Errorf("writing %s: %w", path, regular.UnwrapPath(err))
	}
	return temporary, nil
}

// fill gives a new file its mode, owner and text.
func fill(file *os.File, path string, old fs.FileInfo, mode fs.FileMode, text string) error {
	if err := lock.Lock(file); err != nil { // an unlocked file would be swept
		return err
	}
	if old != nil {
		if err := file.Chmod(mode); err != nil { // undo the umask
			return err
		}
		if err := keepOwner(file, path, old); err != nil {
			return err
		}
	}
	if _, err := file.WriteString(text); err != nil {
		return err
	}
	// The rename may reach the disk before the text, and a crash between the two would leave an empty file.
	return file.Sync()
}

// Sweep removes temporary files of killed runs beside a file. A file that cannot be removed does no harm.
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
		if busy, err := lock.Held(left); err == nil && !busy {
			os.Remove(left)
		}
	}
}

// isStamp reports whether a text is the time in the name of a temporary file. It must reject names of backups.
func isStamp(text string) bool {
	nanoseconds, err := strconv.ParseInt(text, 36, 64)
	if err != nil || text != strconv.FormatInt(nanoseconds, 36) {
		return false
	}
	at := time.Unix(0, nanoseconds)
	return at.Year() >= 2020 && at.Before(time.Now().Add(24*time.Hour))
}
