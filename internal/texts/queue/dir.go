package queue

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hookrun/hookrun/internal/lib/state"
)

// ErrNoDir means that neither $HOOKRUN_STATE nor the system names a folder for a user's state, so no entry can have
// been queued.
var ErrNoDir = errors.New("there is no folder for queues")

// DefaultDir is documented in the public package.
func DefaultDir() (string, error) {
	if dir := os.Getenv("HOOKRUN_STATE"); dir != "" {
		if !filepath.IsAbs(dir) {
			// With a relative path, a hook and its agent loop would have different queues.
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
