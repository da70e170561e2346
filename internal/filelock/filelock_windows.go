package filelock

import (
	"os"

	"golang.org/x/sys/windows"
)

// A locked byte cannot be read by others, so it is one that no file will ever have.
const atHigh = 1 << 30

func lock(f *os.File) error { return lockWith(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

func try(f *os.File) (bool, error) {
	err := lockWith(f, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY)
	if err == windows.ERROR_LOCK_VIOLATION {
		return false, nil
	}
	return err == nil, err
}

func lockWith(f *os.File, flags uint32) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: atHigh})
}

func unlock(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &windows.Overlapped{OffsetHigh: atHigh})
}
