//go:build unix && !linux

package mcpproxy

import "syscall"

// ownGroup: a Ctrl-C is for us, and we end the server in our own way. If we are killed, it gets the end of its input.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
