//go:build !linux

package cli

// ownSession does nothing: only Linux shares processors by session.
func ownSession() {}
