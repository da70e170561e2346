package queue

import "os"

func stateDir() (string, error) { return os.UserConfigDir() }
