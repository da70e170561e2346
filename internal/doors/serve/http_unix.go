//go:build unix

package serve

import "io/fs"

// othersRead reports whether users other than the owner may read a file.
func othersRead(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }
