package state

import "path/filepath"

func system() (string, error) {
	home, err := Home()
	return filepath.Join(home, "Library", "Application Support"), err
}
