//go:build race

package hookfile_test

// The race detector makes everything ten times as slow, and shows nothing new in files of full size.
func init() { hostileSize = 1 << 17 }
