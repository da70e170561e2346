package dialect

// OnSystem returns the value for a system, named as in runtime.GOOS.
func OnSystem(system, linux, darwin, windows string) string {
	switch system {
	case "darwin":
		return darwin
	case "windows":
		return windows
	}
	return linux
}
