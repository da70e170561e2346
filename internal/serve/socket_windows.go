package serve

import (
	"errors"
	"io/fs"
)

// ownFolder refuses every folder: whose it is, and who may enter it, cannot be told from its mode.
func ownFolder(fs.FileInfo) error {
	return errors.New("cannot be kept to one user on Windows, where hookrun serves on stdin and stdout only")
}

func lockFolder(string) (unlock func(), err error) { return func() {}, nil }

func refused(error) bool { return false }
