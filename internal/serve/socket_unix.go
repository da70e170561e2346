//go:build unix

package serve

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/hookrun/hookrun/internal/filelock"
)

// ownFolder refuses a folder in which somebody else could put another socket in our place.
func ownFolder(info fs.FileInfo) error {
	owner, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok || int(owner.Uid) != os.Getuid():
		return errors.New("belongs to another user")
	case info.Mode().Perm()&0o022 != 0:
		return errors.New("can be written to by others")
	case !peersKnown && info.Mode().Perm()&0o077 != 0:
		return errors.New("can be entered by others")
	}
	return nil
}

// lockFolder keeps other servers from starting in the folder until unlock.
func lockFolder(path string) (unlock func(), err error) {
	folder, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := filelock.Lock(folder); err != nil {
		folder.Close()
		return nil, err
	}
	return func() { folder.Close() }, nil
}

func refused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
