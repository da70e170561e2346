//go:build unix

package mcpproxy

import (
	"time"

	"golang.org/x/sys/unix"
)

// endGroup kills what there is in the server's group, which keeps its number for as long as anybody is in it.
func (c *Child) endGroup(grace time.Duration) {
	group := -c.command.Process.Pid
	_ = unix.Kill(group, unix.SIGTERM)
	for until := time.Now().Add(grace); time.Now().Before(until); time.Sleep(time.Millisecond) {
		if unix.Kill(group, 0) == unix.ESRCH {
			return
		}
	}
	_ = unix.Kill(group, unix.SIGKILL)
}
