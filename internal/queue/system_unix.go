//go:build unix

package queue

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// movesOpen says that an open file can be renamed, and removed with its folder. A process that waits for a session's
// lock notices that.
const movesOpen = true

// own refuses a folder or file that another user could put entries into.
func own(_ string, info fs.FileInfo) error {
	owner, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok || int(owner.Uid) != os.Getuid():
		return errors.New("belongs to another user, who could plant entries: remove it, " +
			"or set HOOKRUN_STATE to a folder of your own")
	case info.Mode().Perm()&0o022 != 0:
		return errors.New("can be written to by others, who could plant entries: run chmod go-w on it")
	}
	return nil
}

// syncFolder makes a new name in the folder survive a crash of the system.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}
