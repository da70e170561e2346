package trust

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hookrun/hookrun/internal/core/hook"
)

// clockTick is longer than a tick of a file system's clock: two changes within one tick may have the same time.
const clockTick = 10 * time.Millisecond

// wayTo adds the folders and links on the way to a folder, so a hook does not run unseen while one of them is another.
// In the workspace the way begins with the workspace.
func (t *collector) wayTo(h *hook.Hook, folder string, links int) {
	const mostLinks = 40
	if slices.Contains(t.ways[h], folder) {
		return
	}
	above := filepath.Dir(folder)
	if above != folder && folder != t.Options.Workspace && folder != t.Fingerprint.Workspace {
		t.wayTo(h, above, links)
	}
	step, known := t.steps[folder]
	if !known {
		step, _ = lookAtLink(folder)
		t.steps[folder] = step
		if !step.folder || step.moved() {
			t.noteTime(step)
		}
	}
	if step == (identity{}) { // a file in a folder that comes to be is a difference
		return
	}
	if t.ways[h] = append(t.ways[h], folder); !step.isLink() || links == mostLinks {
		return
	}
	if to, err := os.Readlink(folder); err == nil {
		if !filepath.IsAbs(to) {
			if real, err := filepath.EvalSymlinks(above); err == nil {
				above = real
			}
			to = filepath.Join(above, to)
		}
		t.wayTo(h, filepath.Clean(to), links+1)
	}
}

// isLink reports whether lookAtLink found a link, or another file on which a way ends.
func (i identity) isLink() bool { return i != (identity{}) && !i.folder && !i.regular }

func (t *collector) noteTime(i identity) {
	if at := i.changedAt(); at.After(t.lastChange) {
		t.lastChange = at
	}
}

// waitForTick waits until a further change of the files and the ways has another time.
func (t *collector) waitForTick() {
	if age := time.Since(t.lastChange); age >= 0 && age < clockTick {
		time.Sleep(clockTick - age)
	}
}

// turned returns a folder or link on the way to a file of a hook that is another now, or was moved, or "". A folder may
// get new entries.
func (f *Fingerprint) turned(h *hook.Hook) string {
	for _, path := range f.ways[h] {
		then := f.steps[path]
		now, _ := lookAtLink(path)
		if now != then && (!now.folder || !now.sameFolder(then) || now.moved() && now.changedAt() != then.changedAt()) {
			return path
		}
	}
	return ""
}
