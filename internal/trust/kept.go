package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
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
	var text []byte
	var newest time.Time
	add := func(path string, now identity) {
		if now.folder {
			now = now.place() // entries come and go
		} else if at := now.changedAt(); at.After(newest) {
			newest = at
		}
		text = now.appendTo(strconv.AppendQuote(text, path))
	}
	paths := slices.Clone(f.byHook[h])
	for _, name := range slices.Sorted(maps.Keys(f.Programs)) {
		paths = append(paths, filepath.SplitList(f.Programs[name])...)
	}
	for _, path := range paths {
		w := f.watched[path]
		if w == nil || w.target == (identity{}) { // not read, or outside of the workspace
			now, _ := lookAt(path)
			add(path, now)
			continue
		}
		add(path, w.target)
		text = append(text, w.sum[:]...)
	}
	for _, path := range f.ways[h] {
		add(path, f.steps[path])
	}
	for _, l := range f.listings[h] {
		text = strconv.AppendQuote(text, l.folder)
		for _, name := range l.names {
			text = strconv.AppendQuote(text, name)
		}
	}
	if path := f.touched(h, true); path != "" {
		return "", fmt.Errorf("%s has just changed", path)
	}
	if age := time.Since(newest); age >= 0 && age < clockTick {
		time.Sleep(clockTick - age)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}
