package mcpproxy

import "syscall"

// ownGroup keeps Ctrl-C from the server, because this process ends the server gently. If this process is killed, the
// server is killed.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
