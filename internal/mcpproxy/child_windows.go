package mcpproxy

import (
	"syscall"
	"time"
)

func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// endGroup kills the server alone: what it started gets the end of its own input by that, and is not found in another way.
func (c *Child) endGroup(time.Duration) { _ = c.process.Kill() }
