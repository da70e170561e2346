package trust

import (
	"crypto/sha256"
	"os"

	"github.com/hookrun/hookrun/internal/core/hook"
)

// watched is the state of a path in a command when the Fingerprint was taken.
type watched struct {
	path    string
	file    bool     // a regular file
	fact    bool     // no file, but something about one, such as its mode
	special bool     // a pipe, a socket or a device
	target  identity // the opened file; zero: not hashed
	link    identity // the link at the path; zero: no link
	real    string   // the path without links
	sum     [32]byte // of the content

	interpreter []string // program and arguments of the #! line
}

// ChangedBeforeRun returns the path of a file in a hook's command that was written, replaced, created or touched since
// the Fingerprint was taken, of a folder or link on the way to it that was moved, of a folder of "files" with other
// names, or "".
func (f *Fingerprint) ChangedBeforeRun(h *hook.Hook) string { return f.touched(h, true) }

func (f *Fingerprint) touched(h *hook.Hook, before bool) string {
	for _, path := range f.byHook[h] {
		if w := f.watched[path]; w.touched() {
			return path
		}
	}
	if path := f.turned(h); path != "" {
		return path
	}
	for _, l := range f.listings[h] {
		if (before || l.counts != nil) && l.changed() { // the hook itself may add files to a folder of "files"
			return l.folder
		}
	}
	return ""
}

// ChangedDuringRun is ChangedBeforeRun for a hook that has ended and may have made new files. It reads small files once
// more: a write through a memory mapping does not change the time of change.
func (f *Fingerprint) ChangedDuringRun(h *hook.Hook) string {
	if path := f.touched(h, false); path != "" {
		return path
	}
	var buffer []byte
	for _, path := range f.byHook[h] {
		w := f.watched[path]
		if w.sum == [32]byte{} || w.target.size > maxRehashed {
			continue
		}
		if buffer == nil {
			buffer = make([]byte, 64<<10)
		}
		if w.rewritten(buffer) {
			return path
		}
	}
	return ""
}

func (w *watched) rewritten(buffer []byte) bool {
	hash := sha256.New()
	small := func(i identity) bool { return i.size <= maxRehashed }
	_, found, err := readRegular(w.real, buffer, small, func(text []byte) { hash.Write(text) })
	return err != nil || !found || [32]byte(hash.Sum(nil)) != w.sum
}

func (w *watched) touched() bool {
	now, there := lookAt(w.path)
	switch {
	case w.file && w.target == (identity{}): // outside of the workspace only the path counts
		return false
	case w.special: // a write to a pipe changes its times
		return !there || now.regular || now.folder
	case !w.file:
		return there && !now.folder
	case !there || now != w.target:
		return true
	}
	if w.link != (identity{}) {
		link, there := lookAtLink(w.path)
		return !there || link != w.link
	}
	return false
}

// isFolder reports whether a path leads to a folder.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
