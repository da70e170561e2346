package queue

import (
	"fmt"
	"io/fs"

	"github.com/hookrun/hookrun/internal/lib/files/owner"
)

// canMoveOpen says that an open file cannot be renamed or removed. Closing the lock first would let other processes in.
const canMoveOpen = false

// checkOwner returns an error for a folder or file into which another user could put entries.
func checkOwner(path string, _ fs.FileInfo) error {
	if err := owner.CheckOwn(path); err != nil {
		return fmt.Errorf("%w, who could plant entries; fix it with: %s", err, owner.Mend(path))
	}
	return nil
}

// SyncFolder does nothing: the system's journal keeps names.
func SyncFolder(string) error { return nil }
