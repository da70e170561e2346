//go:build unix

package stats

import "os"

// openShared opens a log that others may rotate meanwhile.
func openShared(path string) (*os.File, error) { return os.Open(path) }
