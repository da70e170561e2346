package queue

import (
	"fmt"
	"io/fs"

	"github.com/hookrun/hookrun/internal/files/owner"
)

// movesOpen says that an open file cannot be renamed or removed. To close the lock first would let others in.
const movesOpen = false

// own refuses a folder or file that another user could put entries into.
func own(path string, _ fs.FileInfo) error {
	if err := owner.CheckOwn(path); err != nil {
		return fmt.Errorf("%w, who could plant entries; mend it with: %s", err, owner.Mend(path))
	}
	return nil
}

// syncFolder has nothing to do: the system's journal keeps names.
func syncFolder(string) error { return nil }
