package runner

import "io/fs"

// private: the folder for temporary files is the user's own here.
func private(folder fs.FileInfo) bool { return folder.IsDir() }
