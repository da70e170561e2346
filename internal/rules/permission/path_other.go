//go:build !windows

package permission

// Paths of these systems have one form: each function returns the same text.

func slashed(file string) string    { return file }
func fromDrive(path string) string  { return path }
func native(file string) string     { return file }
func onDrive(file, _ string) string { return file }
func longName(file string) string   { return file }
func folded(path string) string     { return path }

// isAmbiguous reports whether a path depends on more than the current directory.
func isAmbiguous(_, _ string) bool { return false }
