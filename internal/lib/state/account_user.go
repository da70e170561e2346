//go:build darwin || windows

package state

import "os/user"

// Account returns the home folder of the user's account, whatever the variables say. The shell is not known.
func Account() (home, shell string) {
	if u, err := user.Current(); err == nil {
		home = u.HomeDir
	}
	return home, ""
}
