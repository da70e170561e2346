//go:build race

package hookfile_test

// The race detector makes everything ten times as slow, and shows nothing new in files of full size.
func init() { hostileSize, hostileTime = 1<<17, 10*hostileTime }
