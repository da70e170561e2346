//go:build !linux && !windows

package machine

// systemID returns "": only another program could tell the system's ID.
func systemID() string { return "" }
