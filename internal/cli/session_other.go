//go:build !linux

package cli

// ownSession only matters where processors are shared by session.
func ownSession() {}
