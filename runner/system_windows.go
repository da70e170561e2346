package runner

import "io/fs"

// startError has nothing to add where files have no #! lines.
func startError(err error) error { return err }

// private: the folder for temporary files is the user's own here.
func private(folder fs.FileInfo) bool { return folder.IsDir() }
