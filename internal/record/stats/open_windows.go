package stats

import (
	"os"
	"path/filepath"
)

// openShared opens a log that other processes may rotate meanwhile. It opens the file through a root, because a file
// opened in another way could not be renamed.
func openShared(path string) (*os.File, error) {
	return os.OpenInRoot(filepath.Dir(path), filepath.Base(path))
}
