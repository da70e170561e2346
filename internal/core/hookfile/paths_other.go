//go:build !darwin && !windows

package hookfile

import (
	"path/filepath"

	"github.com/hookrun/hookrun/internal/lib/state"
)

func managedPath() string { return managedOnLinux }

// configDir replaces os.UserConfigDir, which returns an error if XDG_CONFIG_HOME is not absolute. The XDG specification
// says to ignore such a path.
func configDir() (string, error) {
	home, err := state.Home()
	return filepath.Join(home, ".config"), err
}
