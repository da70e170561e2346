//go:build !darwin && !windows

package dialect

// MachineFolder is the folder of a client's settings for all users of the machine, of those on each system.
func MachineFolder(linux, _, _ string) string { return linux }
