package mcpproxy

import (
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// endGroup kills only the server. Its children see the end of their input; Windows offers no other way to reach them.
func (c *Child) endGroup(time.Duration) { _ = c.command.Process.Kill() }
