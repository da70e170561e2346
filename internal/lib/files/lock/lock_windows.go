package lock

import (
	"os"

	"golang.org/x/sys/windows"
)

const (
	exclusive = windows.LOCKFILE_EXCLUSIVE_LOCK
	atOnce    = windows.LOCKFILE_FAIL_IMMEDIATELY
	errHeld   = windows.ERROR_LOCK_VIOLATION
)

// Other processes cannot read a locked byte, so lock a byte beyond the end of any file.
const atHigh = 1 << 30

func lock(f *os.File, how uint32) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{OffsetHigh: atHigh})
}

// Unlock releases the lock before the file is closed.
func Unlock(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &windows.Overlapped{OffsetHigh: atHigh})
}
