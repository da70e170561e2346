//go:build race

package hook_test

// The race detector makes everything ten times as slow.
func init() { hostileTime *= 10 }
