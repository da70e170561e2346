// Package atomicfile puts a new text in the place of a file, in one step.
//
//	info, err := os.Lstat(path)
//	…
//	err = atomicfile.Replace(path, info, text)
//
// It guarantees: whoever reads the file meanwhile sees the old text or the new one, and so does who reads it after a crash. Mode and
// owner of the file stay. A file that one may not write to is not replaced. What a run that was killed leaves beside it is in nobody's way.
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
	"time"
)

// Replace writes the file at a path, which leads over no symbolic link. old is what is there; nil makes the file.
func Replace(path string, old fs.FileInfo, text string) (err error) {
	folder, base := filepath.Split(path)
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
	// os.CreateTemp would make a new file for its owner alone. Another who takes the same name in the same moment makes this fail.
	temporary := filepath.Join(folder, "."+base+"."+strconv.FormatInt(time.Now().UnixNano(), 36))
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, errors.Unwrap(err)) // the other name says nothing to anybody
	}
	defer func() {
		if err != nil {
			file.Close()
			os.Remove(temporary)
		}
	}()
	if old != nil {
		if err := file.Chmod(mode); err != nil { // whatever the umask is
			return err
		}
		if err := keepOwner(file, old); err != nil {
			return err
		}
	}
	if _, err := file.WriteString(text); err != nil {
		return err
	}
	// The rename may be on disk before the text is, and a crash between the two would leave an empty file.
	if err := file.Sync(); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}
