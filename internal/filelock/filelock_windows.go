package filelock

import (
	"os"
	"syscall"
	"unsafe"
)

var (
	kernel32   = syscall.NewLazyDLL("kernel32.dll")
	lockFileEx = kernel32.NewProc("LockFileEx")
	unlockFile = kernel32.NewProc("UnlockFile")
)

const (
	failImmediately = 1
	exclusive       = 2
	lockViolation   = syscall.Errno(33)

	// A locked byte cannot be read by others, so it is one that no file will ever have.
	atHigh = 1 << 30
)

func lock(f *os.File) error {
	_, err := lockWith(f, exclusive)
	return err
}

func try(f *os.File) (bool, error) { return lockWith(f, exclusive|failImmediately) }

func lockWith(f *os.File, flags uintptr) (bool, error) {
	at := syscall.Overlapped{OffsetHigh: atHigh}
	ok, _, err := lockFileEx.Call(f.Fd(), flags, 0, 1, 0, uintptr(unsafe.Pointer(&at)))
	switch {
	case ok != 0:
		return true, nil
	case err == lockViolation && flags&failImmediately != 0:
		return false, nil
	}
	return false, err
}

func unlock(f *os.File) error {
	if ok, _, err := unlockFile.Call(f.Fd(), 0, atHigh, 1, 0); ok == 0 {
		return err
	}
	return nil
}
