//go:build unix

package trust

import (
	"errors"
	"io/fs"

	"github.com/hookrun/hookrun/internal/files/owner"
)

// folderFault refuses a state folder, or one above it, in which another user could replace files.
func folderFault(at string, info fs.FileInfo, above bool) error {
	switch {
	case !info.IsDir():
		return errors.New("is no folder; remove it")
	case !above && info.Mode().Perm()&0o022 != 0:
		return errors.New("can be written to by others; chmod 700 it")
	case above && info.Mode()&fs.ModeSticky != 0 && owner.Owned(at, info):
		return nil // As /tmp: only its owner can rename another user's files.
	}
	return owner.Check(at, info)
}
