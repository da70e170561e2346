package dialect

// MachineFolder is where a client has its settings for all users of the machine. Each system has a folder of its own.
func MachineFolder(_, _, windows string) string { return windows }
