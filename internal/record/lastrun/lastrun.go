// Package lastrun records when a client last ran hookrun in a workspace. Without this record, a client that stopped
// running hookrun would look as if the hooks approved every call.
//
//	_ = lastrun.Record(state, "claude", workspace)
//	at, err := lastrun.Time(state, "claude", workspace)
//
// Each workspace and client have an empty file, and the modification time is the record. If the file exists, Record
// costs one system call. The time is no proof: any program with write access to the folder can set the time.
package lastrun

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hookrun/hookrun/internal/lib/files/owner"
	"github.com/hookrun/hookrun/internal/lib/state"
)

// Folder is the name of the folder in the user's state folder.
const Folder = "last-run"

func path(dir, client, workspace string) string {
	return filepath.Join(dir, Folder, client+"-"+state.Hashed(workspace))
}

// Record records that the client runs hookrun now.
func Record(dir, client, workspace string) error {
	path, now := path(dir, client, workspace), time.Now()
	err := os.Chtimes(path, now, now)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := owner.MkdirAll(filepath.Dir(path)); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

// Time returns the time of the last Record, or the zero time.
func Time(dir, client, workspace string) (time.Time, error) {
	info, err := os.Lstat(path(dir, client, workspace))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return time.Time{}, nil
	case err != nil:
		return time.Time{}, err
	}
	return info.ModTime(), nil
}
