//go:build unix

package stats

import "os"

// openShared opens a log that other processes may rotate meanwhile.
func openShared(path string) (*os.File, error) { return os.Open(path) }
