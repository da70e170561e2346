package engine

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/windows"

	"github.com/hookrun/hookrun/internal/core/process"
	"github.com/hookrun/hookrun/internal/lib/files/owner"
)

// startError adds a hint that the system does not give: the path may be too long.
func startError(err error) error {
	var failed *process.StartError
	if errors.As(err, &failed) && len([]rune(failed.Program.Path)) > windows.MAX_PATH {
		return fmt.Errorf("%v; its path has more than %d characters, too many for some systems", err, windows.MAX_PATH)
	}
	return err
}

// contextFolder is the name of a folder in the user's own temporary folder.
func contextFolder() string { return "hookrun" }

// private reports whether only this user and administrators have access to a folder.
func private(path string, folder fs.FileInfo) bool {
	return folder.IsDir() && owner.CheckPrivate(path) == nil
}
