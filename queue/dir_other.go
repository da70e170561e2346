//go:build !darwin && !windows

package queue

import (
	"fmt"
	"os"
	"path/filepath"
)

func stateDir() (string, error) {
	// The XDG specification has a path that is not absolute ignored.
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	if err == nil && !filepath.IsAbs(home) { // else each working directory would have queues of its own
		err = fmt.Errorf("$HOME=%s is not an absolute path", home)
	}
	return filepath.Join(home, ".local", "state"), err
}
