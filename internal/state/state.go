// Package state finds the folder where hookrun keeps a user's state: queues, and which hooks were allowed.
package state

import "path/filepath"

// Folder returns hookrun in the system's folder for a user's state: $XDG_STATE_HOME (default ~/.local/state), on macOS
// ~/Library/Application Support, on Windows %LocalAppData%. The folder need not exist.
func Folder() (string, error) {
	dir, err := system()
	return filepath.Join(dir, "hookrun"), err
}
