//go:build unix && !linux

package mcpproxy

import "syscall"

// ownGroup keeps Ctrl-C from the server: this process ends it in its own way. If this process is killed, the server's
// input ends.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
