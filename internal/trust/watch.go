package trust

import (
	"crypto/sha256"
	"os"
	"slices"

	"github.com/hookrun/hookrun/internal/hook"
)

// watched is a path that a command names, in its state when the Fingerprint was taken.
type watched struct {
	path    string
	file    bool     // there is a regular file
	special bool     // there is a pipe, a socket or a device
	target  identity // of the file that was opened; zero: nothing was hashed
	link    identity // of the link at the path; zero: it is none
	real    string   // the path without links
	sum     [32]byte // of its content

	interpreter []string // that its first line names, with arguments
}

// Touched returns the path of a file that a hook's command names and that was written, replaced, created or touched
// since the Fingerprint was taken, or of a folder of its "files" that has other names in it. "" is none.
func (f *Fingerprint) Touched(h *hook.Hook) string {
	if path := f.touched(h); path != "" {
		return path
	}
	for _, l := range f.listings[h] {
		if entries, err := os.ReadDir(l.folder); err != nil || !slices.Equal(namesOf(entries), l.names) {
			return l.folder
		}
	}
	return ""
}

func namesOf(entries []os.DirEntry) []string {
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names
}

func (f *Fingerprint) touched(h *hook.Hook) string {
	for _, path := range f.byHook[h] {
		if w := f.watched[path]; w.touched() {
			return path
		}
	}
	return ""
}

// Rewritten is Touched for a hook that has ended, which may have made files beside its own. Small files are also read
// once more: who has mapped a file into memory changes its content without a new time of change.
func (f *Fingerprint) Rewritten(h *hook.Hook) string {
	if path := f.touched(h); path != "" {
		return path
	}
	var buffer []byte
	for _, path := range f.byHook[h] {
		w := f.watched[path]
		if w.sum == [32]byte{} || w.target.size > maxAgain {
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
	small := func(i identity) bool { return i.size <= maxAgain }
	_, found, err := readRegular(w.real, buffer, small, func(text []byte) { hash.Write(text) })
	return err != nil || !found || [32]byte(hash.Sum(nil)) != w.sum
}

func (w *watched) touched() bool {
	now, there := lookAt(w.path)
	switch {
	case w.file && w.target == (identity{}): // outside of the workspace, so only its path counts
		return false
	case w.special: // who writes to a pipe changes its times
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

// isFolder reports whether there is a folder at a path.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
