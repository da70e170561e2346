package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookrun/hookrun/internal/core/dialect"
	"github.com/hookrun/hookrun/internal/core/hookfile"
	"github.com/hookrun/hookrun/internal/lib/files/atomic"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
)

const maxSize = hookfile.MaxFileSize

// currentFile is the file at a place.
type currentFile struct {
	path string      // without symbolic links
	info fs.FileInfo // nil: the file does not exist
	text string
}

// find reads the file at a place, if the file exists.
func find(p dialect.Place) (f currentFile, err error) {
	if f.path, err = Resolve(p); err != nil {
		return currentFile{}, err
	}
	text, info, err := regular.Read(f.path, maxSize)
	switch f.text, f.info = string(text), info; {
	case errors.Is(err, regular.ErrNotRegular):
		return currentFile{}, fmt.Errorf("%s is no regular file; hooks cannot be installed there", p.Path)
	case errors.Is(err, regular.ErrTooLarge):
		return currentFile{}, fmt.Errorf("%s is larger than 1 MiB, which no client's settings are", p.Path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return currentFile{}, err
	}
	return f, nil
}

// Resolve follows the symbolic links of a path as far as the path exists. It refuses a path that leads out of the root:
// a cloned project must not make hookrun write to the user's own files.
func Resolve(p dialect.Place) (string, error) {
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
		return "", fmt.Errorf("%s leads to %s by a symbolic link, outside of %s; remove the link, or do it there",
			p.Path, path, p.Root)
	}
	return path, nil
}

// existing resolves the symbolic links in the existing part of a path.
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
				continue // created in the meantime
			}
			return "", fmt.Errorf("%s is a symbolic link to nothing; remove it, or make what it names", path)
		}
		rest = filepath.Join(filepath.Base(path), rest)
		path = filepath.Dir(path)
	}
}

// Sweep removes temporary files that a killed run left beside the file.
func (c *Change) Sweep() { atomic.Sweep(c.current.path) }

// Write applies the change, or returns an error if the file has changed since the plan.
func (c *Change) Write() error {
	if c.Empty() {
		return nil
	}
	now, err := find(c.place)
	if err != nil {
		return err
	}
	if now.path != c.current.path || now.text != c.current.text || (now.info == nil) != (c.current.info == nil) {
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
		return atomic.ReplaceAs(now.path, now.info, c.modeBits, c.New)
	}
	there := filepath.Dir(c.place.Path)
	for missing(there) && there != filepath.Dir(there) {
		there = filepath.Dir(there)
	}
	if err = os.MkdirAll(filepath.Dir(now.path), 0o777); err == nil {
		err = atomic.ReplaceAs(now.path, nil, c.modeBits, c.New)
	}
	if err != nil {
		c.removeFolders(there)
	}
	return err
}

// removeFolders removes the empty parent folders of the file, up to the root or the folder below: Install may have
// created them. A folder with other files stays, and so does a symbolic link.
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
