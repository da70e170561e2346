package atomicfile

import (
	"io/fs"
	"os"
)

// keepOwner does nothing: a new file has the permissions of its folder, as the old one most likely had.
func keepOwner(*os.File, fs.FileInfo) error { return nil }
