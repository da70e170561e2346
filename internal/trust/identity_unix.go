//go:build unix

package trust

import (
	"errors"
	"io/fs"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// identity identifies a file in one state. Only root can set the time of change.
type identity struct {
	dev, ino        uint64
	size            int64
	mtime, changed  unix.Timespec
	regular, folder bool
}

func newIdentity(s *unix.Stat_t) identity {
	return identity{uint64(s.Dev), s.Ino, s.Size, s.Mtim, s.Ctim, s.Mode&unix.S_IFMT == unix.S_IFREG,
		s.Mode&unix.S_IFMT == unix.S_IFDIR}
}

func (i identity) changedAt() time.Time { return time.Unix(i.changed.Unix()) }

// moved reports whether the last change of a folder was not to its entries: a rename changes one time alone.
func (i identity) moved() bool { return i.changed != i.mtime }

func (i identity) sameFolder(then identity) bool { return i.dev == then.dev && i.ino == then.ino }

// appendTo appends the identity to a text.
func (i identity) appendTo(text []byte) []byte {
	// bits
	for _, n := range [...]int64{int64(i.dev), int64(i.ino), i.size, i.mtime.Nano(), i.changed.Nano()} { //nolint:gosec
		text = strconv.AppendInt(append(text, ' '), n, 36)
	}
	return append(text, '\n')
}

// place is the identity of a folder without its times.
func (i identity) place() identity { return identity{dev: i.dev, ino: i.ino, folder: i.folder} }

// lookAt returns the identity of the file to which a path leads.
func lookAt(path string) (i identity, there bool) {
	var s unix.Stat_t
	if unix.Stat(path, &s) != nil {
		return i, false
	}
	return newIdentity(&s), true
}

// lookAtLink is lookAt for a link instead of the link's target.
func lookAtLink(path string) (i identity, there bool) {
	var s unix.Stat_t
	if unix.Lstat(path, &s) != nil {
		return i, false
	}
	return newIdentity(&s), true
}

// readRegular opens a regular file once, and passes the content to each. found is false if the path has no regular
// file. If wanted returns false for the file, readRegular reads no content. A link at the end of the path is an error.
// The open of a pipe does not wait.
func readRegular(path string, buffer []byte, wanted func(identity) bool, each func([]byte)) (i identity, found bool,
	err error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == unix.ENOTDIR, err == unix.ENXIO, err == unix.ENAMETOOLONG:
		return i, false, nil
	case err != nil:
		return i, false, err
	}
	defer unix.Close(fd)
	var s unix.Stat_t
	if err := unix.Fstat(fd, &s); err != nil {
		return i, false, err
	}
	if i = newIdentity(&s); !i.regular || !wanted(i) {
		return i, i.regular, nil
	}
	for left := i.size; ; {
		n, err := unix.Read(fd, buffer)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return i, true, err
		}
		if each(buffer[:n]); n < len(buffer) { // a short read is the end of a regular file
			return i, true, nil
		}
		if left -= int64(n); left < -maxHashed {
			return i, true, errGrows()
		}
	}
}

func isLink(err error) bool { return err == unix.ELOOP || err == unix.EMLINK }
