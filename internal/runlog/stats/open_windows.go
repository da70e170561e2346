package stats

import (
	"os"
	"path/filepath"
)

// openShared opens a log that others may rotate meanwhile: through a root, since a file opened in another way could not
// be renamed.
func openShared(path string) (*os.File, error) {
	return os.OpenInRoot(filepath.Dir(path), filepath.Base(path))
}
