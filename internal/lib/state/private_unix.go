//go:build unix

package state

import (
	"errors"
	"io/fs"

	"github.com/hookrun/hookrun/internal/lib/files/owner"
)

// folderFault returns an error if another user could replace files in the state folder, or in a folder above.
func folderFault(at string, info fs.FileInfo, above bool) error {
	switch {
	case !info.IsDir():
		return errors.New("is no folder; remove it")
	case !above && info.Mode().Perm()&0o022 != 0:
		return errors.New("can be written to by others; chmod 700 it")
	case above && info.Mode()&fs.ModeSticky != 0 && owner.Owned(at, info):
		return nil // such as /tmp: only the folder's owner can rename files of other users
	}
	return owner.Check(at, info)
}
