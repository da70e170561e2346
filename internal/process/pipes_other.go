//go:build !linux

package process

// newPipes makes the best pipes for the system.
var newPipes = newCopiedPipes
