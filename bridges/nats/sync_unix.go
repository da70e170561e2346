//go:build unix

package main

import (
	"errors"
	"os"
)

// syncFolder makes new names in the folder survive a crash of the system.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
