// Package filelock locks files among processes.
//
//	free, err := filelock.Try(file)
//	…
//	defer filelock.Unlock(file)
//
// It guarantees that of all opens of a file, in one process or in many, one has the lock, and that the lock opens when
// the file is closed or the process ends, however it ends. It keeps nobody from reading or writing who does not ask.
//
// gofrs/flock opens files itself, by their path. Here callers lock a file that they have open, and write to it.
package filelock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// Lock waits until no other open of the file has the lock.
func Lock(f *os.File) error { return lock(f, exclusive) }

// Try takes the lock, and reports false where another open of the file has it.
func Try(f *os.File) (bool, error) {
	err := lock(f, exclusive|atOnce)
	if err == errHeld {
		return false, nil
	}
	return err == nil, err
}

// LockWithin waits for the lock for so long. It looks again and again, since a wait for a lock has no end of its own.
func LockWithin(f *os.File, patience time.Duration) error {
	for begin, pause := time.Now(), 50*time.Microsecond; ; pause = min(2*pause, 2*time.Millisecond) {
		if free, err := Try(f); free || err != nil {
			return err
		}
		if time.Since(begin) > patience {
			return fmt.Errorf("another process has held it for %v; is one stopped?", patience)
		}
		time.Sleep(pause)
	}
}

// Held reports whether anybody has the lock of the file at a path. A file that does not exist is not locked.
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
