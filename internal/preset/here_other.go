//go:build !windows

package preset

// Here is the form for this system.
var Here = Posix
