//go:build !windows

package codex

// ownCommand is the key of the command for this system.
const ownCommand = "command"
