// Package lock locks files among processes.
//
//	free, err := lock.Try(file)
//	…
//	defer lock.Unlock(file)
//
// Guarantees: only one open file descriptor of a file has the lock at a time, in one process or in many. The lock is
// released when the file is closed or the process ends, even by a kill. Not guaranteed: protection from processes that
// read or write without the lock.
//
// gofrs/flock opens files itself, by path. The callers of this package lock and write to an open file.
package lock

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// Lock takes the lock, and waits for other descriptors of the file to release it.
func Lock(f *os.File) error { return lock(f, exclusive) }

// Try takes the lock, or reports false if another descriptor of the file has it.
func Try(f *os.File) (bool, error) {
	err := lock(f, exclusive|atOnce)
	if err == errHeld {
		return false, nil
	}
	return err == nil, err
}

// LockWithin waits for the lock until ctx ends, at most for patience. A free lock is taken even if ctx has ended.
// LockWithin polls, because a blocking lock has no timeout.
func LockWithin(ctx context.Context, f *os.File, patience time.Duration) error {
	if free, err := Try(f); free || err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience,
		fmt.Errorf("another process has locked it for %v; is one stopped?", patience))
	defer cancel()
	for pause := 50 * time.Microsecond; ; pause = min(2*pause, 2*time.Millisecond) {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
		if free, err := Try(f); free || err != nil {
			return err
		}
	}
}

// Held reports whether a process holds the lock of the file at path. A missing file is not locked.
func Held(path string) (bool, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer file.Close()
	free, err := Try(file)
	return !free, err
}
