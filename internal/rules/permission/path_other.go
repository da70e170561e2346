//go:build !windows

package permission

// slashed returns a path in the form used by patterns.
func slashed(file string) string { return file }

// fromDrive writes a drive as a folder.
func fromDrive(path string) string { return path }

// native returns a path in the system's form.
func native(file string) string { return file }

// isAmbiguous reports whether a path depends on more than the current directory.
func isAmbiguous(_, _ string) bool { return false }

// onDrive adds the drive to a path from the root.
func onDrive(file, _ string) string { return file }

// longName returns the path with the whole name of the file.
func longName(file string) string { return file }

// folded returns the same text for paths that lead to the same file on every disk.
func folded(path string) string { return path }
