//go:build !windows

package permission

// slashed returns a path in the form of patterns.
func slashed(file string) string { return file }

// fromDrive writes a drive as a folder.
func fromDrive(path string) string { return path }

// native is the path for the system.
func native(file string) string { return file }

// folded makes paths equal that lead to the same file whatever the disk is.
func folded(path string) string { return path }
