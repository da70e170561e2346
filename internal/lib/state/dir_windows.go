package state

import (
	"os"

	"golang.org/x/sys/windows"
)

// variable moves the folder.
const variable = "LocalAppData"

func system() (string, error) {
	if dir, err := os.UserCacheDir(); err == nil {
		return dir, nil
	}
	return windows.KnownFolderPath(windows.FOLDERID_LocalAppData, 0)
}
