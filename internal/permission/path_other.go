//go:build !windows

package permission

// slashed returns a path in the form of patterns.
func slashed(file string) string { return file }

// fromDrive writes a drive as a folder.
func fromDrive(path string) string { return path }

// native is the path for the system.
func native(file string) string { return file }

// unplaced reports whether a path depends on more than the current directory.
func unplaced(_, _ string) bool { return false }

// onDrive adds the drive to a path from the root.
func onDrive(file, _ string) string { return file }

// longName returns the path with the whole name of the file.
func longName(file string) string { return file }

// folded makes paths equal that lead to the same file whatever the disk is.
func folded(path string) string { return path }
