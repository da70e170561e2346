package mcpproxy

import "syscall"

// ownGroup: a Ctrl-C is for us, and we end the server in our own way. If we are killed, so is it.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
