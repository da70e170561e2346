//go:build !darwin && !windows

package queue

import (
	"os"
	"path/filepath"
)

func stateDir() (string, error) {
	// The XDG specification has a path that is not absolute ignored.
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "state"), err
}
