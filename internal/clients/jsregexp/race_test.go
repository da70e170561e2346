//go:build race

package jsregexp

// slowdown is about what the race detector costs, and some more.
const slowdown = 20
