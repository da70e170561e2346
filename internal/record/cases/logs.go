package cases

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/record/fleet"
)

// ReadLog reads a run log and its rotated files, or for a replay all files of a folder.
func (r *Recording) ReadLog(flag, log string) error {
	parts := []string{log + ".3", log + ".2", log + ".1", log} // the oldest lines first
	if info, err := os.Stat(log); err == nil && info.IsDir() && flag == "--replay" {
		var unread []error
		if parts, unread, err = fleet.Find(log); err != nil || len(unread) > 0 {
			return errors.Join(append(unread, err)...)
		}
	}
	for _, path := range parts {
		file, err := os.Open(path)
		if path != log && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = r.Read(file, path)
			file.Close()
		}
		if err != nil {
			const mend = "give the file that hookrun was given as --log"
			return fmt.Errorf("%s %s: %w; %s", flag, path, regular.UnwrapPath(err), mend)
		}
	}
	return nil
}

// Skipped returns the number of omitted lines of a log, and the reasons.
func (r *Recording) Skipped() (about string) {
	separator := "; left out: "
	for _, why := range slices.Sorted(maps.Keys(r.LeftOut)) {
		about += fmt.Sprintf("%s%d %s", separator, r.LeftOut[why], why)
		separator = ", "
	}
	return about
}
