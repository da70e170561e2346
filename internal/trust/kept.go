package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hookrun/hookrun/internal/core/hook"
)

// State returns a text that differs once a file that the hook's command runs is another, was written or was touched. It
// returns an error if nobody knows these files.
//
// The time of change (ctime) is in the text, so an earlier text does not come back with an earlier content. For that,
// State waits until a further change would have another time.
func (f *Fingerprint) State(h *hook.Hook) (string, error) {
	if why := f.doubts[h]; len(why) > 0 && h.Files == nil {
		const text = `what files its command runs cannot be told for sure: %s; name them in "files"`
		return "", fmt.Errorf(text, first(why))
	}
	if why := f.envDoubts[h]; len(why) > 0 {
		return "", errors.New(`"env" ` + envText(why))
	}
	hash := sha256.New()
	var newest time.Time
	add := func(path string, now identity, there bool) {
		if now.folder {
			now = now.place() // entries come and go
		} else if at := now.changedAt(); at.After(newest) {
			newest = at
		}
		fmt.Fprintf(hash, "%d %s %v %v\n", len(path), path, there, now)
	}
	paths := slices.Clone(f.byHook[h])
	for _, name := range slices.Sorted(maps.Keys(f.Programs)) {
		paths = append(paths, filepath.SplitList(f.Programs[name])...)
	}
	for _, path := range paths {
		now, there := lookAt(path)
		add(path, now, there)
		if w := f.watched[path]; w != nil && w.sum != [32]byte{} {
			fmt.Fprintf(hash, "%x\n", w.sum)
		}
	}
	for _, path := range f.ways[h] {
		now, there := lookAtLink(path)
		add(path, now, there)
	}
	for _, l := range f.listings[h] {
		entries, err := os.ReadDir(l.folder)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(hash, "%q %q\n", l.folder, l.namesOf(entries))
	}
	if path := f.touched(h, true); path != "" {
		return "", fmt.Errorf("%s has just changed", path)
	}
	if age := time.Since(newest); age >= 0 && age < clockTick {
		time.Sleep(clockTick - age)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
