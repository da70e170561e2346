package hookfile

import "os"

func managedPath() string { return ManagedPath("darwin") }

func configDir() (string, error) { return os.UserConfigDir() }
