// Package filelock locks files among processes.
//
//	free, err := filelock.Try(file)
//	…
//	defer filelock.Unlock(file)
//
// It guarantees that of all opens of a file, in one process or in many, one has the lock, and that the lock opens when the file is
// closed or the process ends, however it ends. It keeps nobody from reading or writing who does not ask.
package filelock

import "os"

// Lock waits until no other open of the file has the lock.
func Lock(f *os.File) error { return lock(f) }

// Try takes the lock, and reports false where another open of the file has it.
func Try(f *os.File) (bool, error) { return try(f) }

// Unlock opens the lock before the file is closed.
func Unlock(f *os.File) error { return unlock(f) }
