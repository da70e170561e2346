package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookrun/hookrun/internal/dialect"
	"github.com/hookrun/hookrun/internal/files/atomic"
	"github.com/hookrun/hookrun/internal/files/regular"
	"github.com/hookrun/hookrun/internal/hookfile"
)

const maxSize = hookfile.MaxFileSize

// found is what is at a place.
type found struct {
	path string      // without symbolic links
	info fs.FileInfo // nil: there is no file
	text string
}

// find reads the file of a place, if there is one.
func find(p dialect.Place) (f found, err error) {
	if f.path, err = resolve(p); err != nil {
		return found{}, err
	}
	text, info, err := regular.Read(f.path, maxSize)
	switch f.text, f.info = string(text), info; {
	case errors.Is(err, regular.ErrNotRegular):
		return found{}, fmt.Errorf("%s is no regular file; hooks cannot be installed there", p.Path)
	case errors.Is(err, regular.ErrTooLarge):
		return found{}, fmt.Errorf("%s is larger than 1 MiB, which no client's settings are", p.Path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return found{}, err
	}
	return f, nil
}

// resolve follows the symbolic links of a path as far as it exists, and refuses one that leads out of the root: a
// project that somebody cloned must not have us write to the user's own files.
func resolve(p dialect.Place) (string, error) {
	root, err := existing(p.Root)
	if err != nil {
		return "", err
	}
	path, err := existing(p.Path)
	if err != nil {
		return "", err
	}
	const separator = string(filepath.Separator)
	if !strings.HasPrefix(path, strings.TrimSuffix(root, separator)+separator) {
		return "", fmt.Errorf("%s leads to %s by a symbolic link, outside of %s; remove the link, or install there",
			p.Path, path, p.Root)
	}
	return path, nil
}

// existing resolves the part of a path that exists.
func existing(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	rest := ""
	for {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("looking for %s: %w", path, err)
		}
		if info, err := os.Lstat(path); err == nil {
			if info.Mode()&fs.ModeSymlink == 0 {
				continue // somebody has just made it
			}
			return "", fmt.Errorf("%s is a symbolic link to nothing; remove it, or make what it names", path)
		}
		rest = filepath.Join(filepath.Base(path), rest)
		path = filepath.Dir(path)
	}
}

// Sweep removes what a run that was killed left beside the file.
func (c *Change) Sweep() { atomic.Sweep(c.found.path) }

// Write does what was planned, unless the file has changed since.
func (c *Change) Write() error {
	if c.Empty() {
		return nil
	}
	now, err := find(c.place)
	if err != nil {
		return err
	}
	if now.path != c.found.path || now.text != c.found.text || (now.info == nil) != (c.found.info == nil) {
		return fmt.Errorf("%s was changed by somebody else meanwhile; try again", c.Path)
	}
	if !c.Exists {
		if err := atomic.Remove(now.path); err != nil {
			return err
		}
		c.removeFolders("")
		return nil
	}
	if now.info != nil {
		return atomic.ReplaceAs(now.path, now.info, c.bits, c.New)
	}
	there := filepath.Dir(c.place.Path)
	for missing(there) && there != filepath.Dir(there) {
		there = filepath.Dir(there)
	}
	if err = os.MkdirAll(filepath.Dir(now.path), 0o777); err == nil {
		err = atomic.ReplaceAs(now.path, nil, c.bits, c.New)
	}
	if err != nil {
		c.removeFolders(there)
	}
	return err
}

// removeFolders removes the folders of the file below the root, and below another one if it is given: Install may have
// made them. One that has anything else in it is not empty, and stays; so does a link.
func (c *Change) removeFolders(below string) {
	root := filepath.Clean(c.place.Root)
	for folder := filepath.Dir(c.place.Path); folder != root && folder != "." && folder != below; {
		if info, err := os.Lstat(folder); err != nil || !info.IsDir() || os.Remove(folder) != nil {
			return
		}
		folder = filepath.Dir(folder)
	}
}

func missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}
