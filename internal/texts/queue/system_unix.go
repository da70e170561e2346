//go:build unix

package queue

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// canMoveOpen says that an open file can be renamed, or removed with its folder. Processes waiting for the lock notice.
const canMoveOpen = true

// checkOwner returns an error for a folder or file into which another user could put entries.
func checkOwner(_ string, info fs.FileInfo) error {
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

// SyncFolder makes new names in the folder survive a crash of the system.
func SyncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}
