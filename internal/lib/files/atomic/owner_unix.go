//go:build !windows

package atomic

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a new file the owner of the old file. Otherwise the new file would belong to root under sudo.
func keepOwner(file *os.File, _ string, old fs.FileInfo) error {
	mine, err := file.Stat()
	if err != nil {
		return err
	}
	want, ok := old.Sys().(*syscall.Stat_t)
	got, same := mine.Sys().(*syscall.Stat_t)
	if !ok || !same || want.Uid == got.Uid && want.Gid == got.Gid {
		return nil
	}
	return file.Chown(int(want.Uid), int(want.Gid))
}
