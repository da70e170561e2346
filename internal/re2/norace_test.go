//go:build !race

package re2

const slowdown = 1
