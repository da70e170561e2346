//go:build unix

package permission

import (
	"syscall"
	"time"
)

// worked is how long this process has worked. While others do, the time stands still.
func worked() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
