package mcpproxy

import (
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// endGroup kills the server only. Its children see the end of their input; there is no other way to reach them.
func (c *Child) endGroup(time.Duration) { _ = c.command.Process.Kill() }
