package state

import "path/filepath"

// variable moves the folder.
const variable = "HOME"

func system() (string, error) {
	home, err := Home()
	return filepath.Join(home, "Library", "Application Support"), err
}
