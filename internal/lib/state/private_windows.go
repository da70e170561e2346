package state

import (
	"fmt"
	"io/fs"

	"github.com/hookrun/hookrun/internal/lib/files/owner"
)

// folderFault returns an error if another user could replace files in the state folder, or in a folder above.
func folderFault(at string, _ fs.FileInfo, above bool) error {
	if above {
		return owner.CheckAbove(at)
	}
	if err := owner.CheckOwn(at); err != nil {
		return fmt.Errorf("%w; fix it with: %s", err, owner.Mend(at))
	}
	return nil
}
