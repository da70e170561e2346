package trust

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// identity tells whether a file is the same, as far as its size and time do.
type identity struct {
	size    int64
	mtime   time.Time
	regular bool
	folder  bool
}

func newIdentity(info fs.FileInfo) identity {
	return identity{info.Size(), info.ModTime(), isRegular(info), info.IsDir()}
}

// isRegular also takes what the system keeps elsewhere, as in the cloud. It can be run like any other file.
func isRegular(info fs.FileInfo) bool { return info.Mode().Type()&^fs.ModeIrregular == 0 }

// lookAt returns the identity of what a path leads to.
func lookAt(path string) (i identity, there bool) {
	info, err := os.Stat(path)
	if err != nil {
		return i, false
	}
	return newIdentity(info), true
}

// lookAtLink is lookAt for a link itself.
func lookAtLink(path string) (i identity, there bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return i, false
	}
	return newIdentity(info), true
}

var errLink = errors.New("a link")

// readRegular opens a file once, if it is a regular one, and gives all that it has to each; found is false where there
// is none, and nothing is read if whole is false for the file. A link at the end is an error.
func readRegular(path string, buffer []byte, whole func(identity) bool, each func([]byte)) (i identity, found bool,
	err error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil: // names with a * or a ? are errors of other kinds
		return i, false, nil
	case info.Mode()&fs.ModeSymlink != 0:
		return i, false, errLink
	case !isRegular(info):
		return i, false, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return i, false, err
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil {
		return i, false, err
	}
	if i = newIdentity(info); !i.regular || !whole(i) { // it may have been a junction, which leads to a folder
		return i, i.regular, nil
	}
	for left := i.size; ; {
		n, err := file.Read(buffer)
		each(buffer[:n])
		if left -= int64(n); left < -maxHashed {
			return i, true, errGrows()
		}
		if err == io.EOF {
			return i, true, nil
		}
		if err != nil {
			return i, true, err
		}
	}
}

func isLink(err error) bool { return err == errLink }
