//go:build !race

package jsregexp

const slowdown = 1
