package hookfile

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// managedPlace asks the system, and not %ProgramData%, which whoever starts hookrun can set.
func managedPlace() string {
	dir, err := windows.KnownFolderPath(windows.FOLDERID_ProgramData, 0)
	if err != nil {
		dir = `C:\ProgramData`
	}
	return filepath.Join(dir, "hookrun", "hooks.json")
}

func configDir() (string, error) { return os.UserConfigDir() }
