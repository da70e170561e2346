package queue

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hookrun/hookrun/internal/state"
)

// ErrNoDir means that neither $HOOKRUN_STATE nor the system names a folder for a user's state. So nobody can have
// queued anything.
var ErrNoDir = errors.New("there is no folder for queues")

// DefaultDir returns the folder where hookrun keeps its state: $HOOKRUN_STATE, or hookrun in the system's folder for a
// user's state.
func DefaultDir() (string, error) {
	if dir := os.Getenv("HOOKRUN_STATE"); dir != "" {
		if !filepath.IsAbs(dir) {
			// A hook and its agent loop have different working directories, so a relative path would give them
			// different queues.
			return "", fmt.Errorf("HOOKRUN_STATE=%s is not an absolute path: write the whole of it", dir)
		}
		return dir, nil
	}
	dir, err := state.Folder()
	if err != nil {
		return "", fmt.Errorf("%w: %w: set it, or HOOKRUN_STATE to a folder of your own", ErrNoDir, err)
	}
	return dir, nil
}
