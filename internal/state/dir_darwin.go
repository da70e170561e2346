package state

import "os"

func system() (string, error) { return os.UserConfigDir() }
