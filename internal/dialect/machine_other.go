//go:build !darwin && !windows

package dialect

// MachineFolder returns the folder of a client's machine-wide settings on this system.
func MachineFolder(linux, _, _ string) string { return linux }
