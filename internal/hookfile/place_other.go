//go:build !darwin && !windows

package hookfile

import (
	"os"
	"path/filepath"
)

func managedPlace() string { return "/etc/hookrun/hooks.json" }

// configDir is not os.UserConfigDir, which gives up where XDG_CONFIG_HOME is not absolute. The XDG specification says
// to ignore such a path.
func configDir() (string, error) {
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".config"), err
}
