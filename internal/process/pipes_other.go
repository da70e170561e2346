//go:build !linux

package process

// newPipes makes the pipes that suit the system best.
var newPipes = newCopiedPipes
