package state

import (
	"os"
	"os/user"
)

// Home returns the user's home folder. A service may be started without the variable; the system then knows the folder.
func Home() (string, error) {
	home, err := os.UserHomeDir()
	if err == nil {
		return home, nil
	}
	if u, fault := user.Current(); fault == nil && u.HomeDir != "" {
		return u.HomeDir, nil
	}
	return "", err
}
