package trust

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"time"
)

// identity identifies a file in one state, by size and time only.
type identity struct {
	size    int64
	mtime   time.Time
	regular bool
	folder  bool
}

func newIdentity(info fs.FileInfo) identity {
	return identity{info.Size(), info.ModTime(), isRegular(info), info.IsDir()}
}

func (i identity) changedAt() time.Time { return i.mtime }

// moved cannot tell that a folder was moved away and back: the system does not change its times.
func (i identity) moved() bool { return false }

func (i identity) sameFolder(then identity) bool { return i.folder && then.folder }

// appendTo appends the identity to a text.
func (i identity) appendTo(text []byte) []byte {
	text = strconv.AppendInt(append(text, ' '), i.size, 36)
	return append(strconv.AppendInt(append(text, ' '), i.mtime.UnixNano(), 36), '\n')
}

// place is the identity of a folder without its times.
func (i identity) place() identity { return identity{folder: i.folder} }

// isRegular also accepts files kept elsewhere, such as in the cloud, because they run like other files.
func isRegular(info fs.FileInfo) bool { return info.Mode().Type()&^fs.ModeIrregular == 0 }

// lookAt returns the identity of the file to which a path leads.
func lookAt(path string) (i identity, there bool) {
	info, err := os.Stat(path)
	if err != nil {
		return i, false
	}
	return newIdentity(info), true
}

// lookAtLink is lookAt for a link instead of the link's target.
func lookAtLink(path string) (i identity, there bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return i, false
	}
	return newIdentity(info), true
}

var errLink = errors.New("a link")

// readRegular opens a regular file once, and passes the content to each. found is false if the path has no regular
// file. If wanted returns false for the file, readRegular reads no content. A link at the end of the path is an error.
func readRegular(path string, buffer []byte, wanted func(identity) bool, each func([]byte)) (i identity, found bool,
	err error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil: // names with a * or a ? give errors of other kinds
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
	if i = newIdentity(info); !i.regular || !wanted(i) { // the path may have become a junction, which leads to a folder
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
