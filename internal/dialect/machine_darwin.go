package dialect

// MachineFolder is the folder of a client's settings for all users of the machine, of those on each system.
func MachineFolder(_, darwin, _ string) string { return darwin }
