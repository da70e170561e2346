package engine

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/windows"

	"github.com/hookrun/hookrun/internal/files/owner"
	"github.com/hookrun/hookrun/internal/process"
)

// startError adds what the system does not say: that it may be the length of the path.
func startError(err error) error {
	var failed *process.StartError
	if errors.As(err, &failed) && len([]rune(failed.Program.Path)) > windows.MAX_PATH {
		return fmt.Errorf("%w; its path has more than %d characters, too many for some systems", err, windows.MAX_PATH)
	}
	return err
}

// contextFolder is in the folder for temporary files, which is the user's.
func contextFolder() string { return "hookrun" }

// private reports whether nobody but this user and administrators can do anything in a folder.
func private(path string, folder fs.FileInfo) bool {
	return folder.IsDir() && owner.CheckPrivate(path) == nil
}
