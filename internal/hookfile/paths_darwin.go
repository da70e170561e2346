package hookfile

import "os"

func managedPath() string { return "/Library/Application Support/hookrun/hooks.json" }

func configDir() (string, error) { return os.UserConfigDir() }
