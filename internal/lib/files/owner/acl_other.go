//go:build unix && !linux

package owner

// aclNamesWriter returns false, because access lists are read on Linux and Windows alone.
func aclNamesWriter(string) bool { return false }
