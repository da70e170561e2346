//go:build race

package permission

// slowdown is what bounds of time are multiplied by: the race detector makes regular expressions ten times as slow.
const slowdown = 10
