package hookfile

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// managedPath asks the system, not %ProgramData%: anyone who starts hookrun can set that variable.
func managedPath() string {
	dir, err := windows.KnownFolderPath(windows.FOLDERID_ProgramData, 0)
	if err != nil {
		return ManagedPath("windows")
	}
	return filepath.Join(dir, "hookrun", "hooks.json")
}

func configDir() (string, error) {
	if dir, err := os.UserConfigDir(); err == nil {
		return dir, nil
	}
	return windows.KnownFolderPath(windows.FOLDERID_RoamingAppData, 0)
}
