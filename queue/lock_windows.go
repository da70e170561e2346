package queue

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"unsafe"
)

// removable: a file cannot be removed while somebody has it open, and to close the lock first would let others in.
const removable = false

// renamesOpen: nor renamed.
const renamesOpen = false

var lockFileEx = syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")

const (
	failImmediately = 1
	exclusive       = 2
	lockViolation   = syscall.Errno(33)
)

func lock(f *os.File) error {
	_, err := lockWith(f, exclusive)
	return err
}

func tryLock(f *os.File) (bool, error) { return lockWith(f, exclusive|failImmediately) }

func lockWith(f *os.File, flags uintptr) (bool, error) {
	var at syscall.Overlapped
	ok, _, err := lockFileEx.Call(f.Fd(), flags, 0, 1, 0, uintptr(unsafe.Pointer(&at)))
	switch {
	case ok != 0:
		return true, nil
	case err == lockViolation && flags&failImmediately != 0:
		return false, nil
	}
	return false, err
}

// own: whose a folder is cannot be told from its mode. It has the rights of the user's folder that it is in.
func own(fs.FileInfo) error { return nil }

// syncFolder has nothing to do: the system's journal keeps names.
func syncFolder(string) error { return nil }

// readFile reads through a root: a file that was opened otherwise could not be removed by others meanwhile.
func readFile(path string) ([]byte, error) {
	file, err := os.OpenInRoot(filepath.Dir(path), filepath.Base(path))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}
