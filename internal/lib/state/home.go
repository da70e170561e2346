package state

import "os"

// Home returns the user's home folder. A service may be started without the variable; the system then knows the folder.
func Home() (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		if known, _ := Account(); known != "" {
			return known, nil
		}
	}
	return home, err
}
