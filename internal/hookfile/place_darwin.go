package hookfile

import "os"

func managedPlace() string { return "/Library/Application Support/hookrun/hooks.json" }

func configDir() (string, error) { return os.UserConfigDir() }
