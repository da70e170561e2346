//go:build !darwin && !windows

package hookfile

import (
	"os"
	"path/filepath"
)

func managedPath() string { return ManagedPath("linux") }

// configDir replaces os.UserConfigDir, which returns an error if XDG_CONFIG_HOME is not absolute. The XDG specification
// says to ignore such a path.
func configDir() (string, error) {
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".config"), err
}
