// Package atomic replaces the text of a file in one step.
//
//	info, err := os.Lstat(path)
//	…
//	err = atomic.Replace(path, info, text)
//
// Guarantees: a reader sees the old text or the new one, even after a crash. Mode and owner of the file stay. A file
// that the user may not write to is not replaced. Temporary files of a killed run are removed by the next run, or by
// Sweep.
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

	"github.com/hookrun/hookrun/internal/files/lock"
	"github.com/hookrun/hookrun/internal/files/regular"
)

// Replace writes the file at path, which must not contain symbolic links. old describes the existing file; nil creates
// the file.
func Replace(path string, old fs.FileInfo, text string) error { return ReplaceAs(path, old, 0, text) }

// ReplaceAs is Replace for a file that has these bits in its mode as well.
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

// WritePrivate writes the file at path, which must not contain symbolic links, for this user alone.
func WritePrivate(path, text string) error {
	Sweep(path)
	return replace(path, nil, 0o600, text)
}

// Create writes a file with these bits in its mode, less the umask. If one is at the path already, that is an error of
// fs.ErrExist, and it stays as it is.
func Create(path string, mode fs.FileMode, text string) error {
	Sweep(path)
	return put(path, nil, mode, text, create)
}

// create gives a file its name, unless that is taken. Where the file system has no hard links, another program could
// take the name in the moment between the look and the rename.
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
	return put(path, old, mode, text, Rename)
}

// put writes a temporary file, and has it given its name.
func put(path string, old fs.FileInfo, mode fs.FileMode, text string, name func(temporary, path string) error) error {
	const tries = 10
	for n := 1; ; n++ {
		temporary, err := write(path, old, mode, text)
		if err != nil {
			return err
		}
		err = name(temporary, path)
		if err == nil {
			return nil
		}
		os.Remove(temporary)
		if !errors.Is(err, fs.ErrNotExist) || n == tries { // else another run has swept the temporary file
			return err
		}
	}
}

// write writes the text to a new file beside the path, of which nothing is left if that fails.
func write(path string, old fs.FileInfo, mode fs.FileMode, text string) (temporary string, err error) {
	// os.CreateTemp would make a file that only its owner can read. If another process takes the same name in the same
	// nanosecond, this fails.
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
	if err != nil { // without the temporary name, which means nothing to the user
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

// Sweep removes the temporary files that killed runs have left beside a file. Files that it cannot remove do no harm.
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

// isStamp reports whether a text is the time in the name of a temporary file. It must not accept the name of a user's
// backup.
func isStamp(text string) bool {
	nanoseconds, err := strconv.ParseInt(text, 36, 64)
	if err != nil || text != strconv.FormatInt(nanoseconds, 36) {
		return false
	}
	at := time.Unix(0, nanoseconds)
	return at.Year() >= 2020 && at.Before(time.Now().Add(24*time.Hour))
}
