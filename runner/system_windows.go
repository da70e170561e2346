package runner

import (
	"io/fs"
	"strings"
)

// startError has nothing to add where files have no #! lines.
func startError(err error) error { return err }

// foldName: names of variables do not differ by case.
func foldName(name string) string { return strings.ToUpper(name) }

// private: the folder for temporary files is the user's own here.
func private(folder fs.FileInfo) bool { return folder.IsDir() }
