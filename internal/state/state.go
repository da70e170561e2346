// Package state finds the folder of a user's state, such as queues and allowed hooks.
package state

import "path/filepath"

// Folder returns the path of hookrun in the system's folder for a user's state: $XDG_STATE_HOME (default
// ~/.local/state), on macOS ~/Library/Application Support, on Windows %LocalAppData%. The folder may be missing.
func Folder() (string, error) {
	dir, err := system()
	return filepath.Join(dir, "hookrun"), err
}
