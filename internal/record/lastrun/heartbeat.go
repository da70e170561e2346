package lastrun

import (
	"os"
	"path/filepath"
	"time"

	"github.com/hookrun/hookrun/internal/lib/files/lock"
	"github.com/hookrun/hookrun/internal/lib/files/owner"
	"github.com/hookrun/hookrun/internal/lib/state"
)

// beats is the folder of the heartbeats, in the user's state folder. The modification time of a file is the time of the
// last heartbeat about the same facts.
const beats = "heartbeat"

// beatInterval is the time between two heartbeats about the same facts.
const beatInterval = time.Hour

// BeatDue reports whether a heartbeat about the facts is due, and then records that it is written now. Of several
// processes only one gets true. If no heartbeat is due, the cost is one system call.
func BeatDue(dir, facts string) bool {
	now := time.Now()
	path := filepath.Join(dir, beats, state.Hashed(facts))
	isDue := func() bool {
		info, err := os.Lstat(path)
		if err != nil {
			return true
		}
		ago := now.Sub(info.ModTime())
		return ago >= beatInterval || ago < -beatInterval // the clock was set back
	}
	if !isDue() {
		return false
	}
	if _, err := os.Lstat(filepath.Dir(path)); err != nil && owner.MkdirAll(filepath.Dir(path)) != nil {
		return false
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		state.RemoveOld(filepath.Dir(path), "*", 24*beatInterval)
		return file.Close() == nil
	}
	if file, err = os.OpenFile(path, os.O_RDWR, 0); err != nil {
		return false
	}
	defer file.Close()
	free, err := lock.Try(file)
	if err != nil || !free {
		return false
	}
	defer lock.Unlock(file)
	return isDue() && os.Chtimes(path, now, now) == nil
}

// ForgetBeats makes a heartbeat due at the next call, since the facts have changed.
func ForgetBeats(dir string) { state.RemoveOld(filepath.Join(dir, beats), "*", -beatInterval) }
