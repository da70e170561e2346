//go:build unix

package mcpproxy

import (
	"syscall"
	"time"
)

// endGroup kills what there is in the server's group, which keeps its number for as long as anybody is in it.
func (c *Child) endGroup(grace time.Duration) {
	group := -c.process.Pid
	_ = syscall.Kill(group, syscall.SIGTERM)
	for until := time.Now().Add(grace); time.Now().Before(until); time.Sleep(time.Millisecond) {
		if syscall.Kill(group, 0) == syscall.ESRCH {
			return
		}
	}
	_ = syscall.Kill(group, syscall.SIGKILL)
}
