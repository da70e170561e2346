package queue

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrNoPlace: neither $HOOKRUN_STATE nor the system says where a user's state is. So nobody could have queued anything.
var ErrNoPlace = errors.New("there is no folder for queues")

// DefaultDir is where hookrun keeps what must outlive it: $HOOKRUN_STATE, or hookrun in the folder that the system has
// for a user's state.
func DefaultDir() (string, error) {
	if dir := os.Getenv("HOOKRUN_STATE"); dir != "" {
		if !filepath.IsAbs(dir) {
			// A hook has another working directory than its agent loop: they would miss each other.
			return "", fmt.Errorf("HOOKRUN_STATE=%s is not an absolute path: write the whole of it", dir)
		}
		return dir, nil
	}
	dir, err := stateDir()
	if err != nil {
		return "", fmt.Errorf("%w: %w: set it, or HOOKRUN_STATE to a folder of your own", ErrNoPlace, err)
	}
	return filepath.Join(dir, "hookrun"), nil
}
