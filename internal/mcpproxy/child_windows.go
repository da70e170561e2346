package mcpproxy

import (
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// endGroup kills the server alone: what it started gets the end of its own input by that, and is not found in another
// way.
func (c *Child) endGroup(time.Duration) { _ = c.command.Process.Kill() }
