package dialect

// MachineFolder returns the folder of a client's machine-wide settings on this system.
func MachineFolder(_, darwin, _ string) string { return darwin }
