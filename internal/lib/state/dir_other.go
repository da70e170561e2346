//go:build !darwin && !windows

package state

import (
	"fmt"
	"os"
	"path/filepath"
)

// variable moves the folder.
const variable = "XDG_STATE_HOME"

func system() (string, error) {
	// The XDG specification says to ignore relative paths.
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := Home()
	if err == nil && !filepath.IsAbs(home) { // otherwise the state would depend on the working directory
		err = fmt.Errorf("$HOME=%s is not an absolute path", home)
	}
	return filepath.Join(home, ".local", "state"), err
}
