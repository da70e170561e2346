package hookfile

import (
	"path/filepath"

	"github.com/hookrun/hookrun/internal/lib/state"
)

func managedPath() string { return managedOnMac }

func configDir() (string, error) {
	home, err := state.Home()
	return filepath.Join(home, "Library", "Application Support"), err
}
