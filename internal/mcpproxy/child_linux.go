package mcpproxy

import "syscall"

// ownGroup keeps Ctrl-C from the server: this process ends it in its own way. If this process is killed, so is the
// server.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
