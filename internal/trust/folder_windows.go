package trust

import (
	"fmt"
	"io/fs"

	"github.com/hookrun/hookrun/internal/ownpath"
)

// folderFault refuses a state folder, or one above it, in which another user could replace files.
func folderFault(at string, _ fs.FileInfo, above bool) error {
	if above {
		return ownpath.CheckAbove(at)
	}
	if err := ownpath.CheckOwn(at); err != nil {
		return fmt.Errorf("%w; mend it with: %s", err, ownpath.Mend(at))
	}
	return nil
}
