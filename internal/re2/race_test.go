//go:build race

package re2

// slowdown is about what the race detector costs, and some more.
const slowdown = 20
