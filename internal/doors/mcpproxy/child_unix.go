//go:build unix

package mcpproxy

import (
	"time"

	"golang.org/x/sys/unix"
)

// endGroup kills the rest of the server's group. The group number is not reused while the group has a member.
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
