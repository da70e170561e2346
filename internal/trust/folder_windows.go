package trust

import (
	"fmt"
	"io/fs"

	"github.com/hookrun/hookrun/internal/files/owner"
)

// folderFault refuses a state folder, or one above it, in which another user could replace files.
func folderFault(at string, _ fs.FileInfo, above bool) error {
	if above {
		return owner.CheckAbove(at)
	}
	if err := owner.CheckOwn(at); err != nil {
		return fmt.Errorf("%w; mend it with: %s", err, owner.Mend(at))
	}
	return nil
}
