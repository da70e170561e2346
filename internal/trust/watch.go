package trust

import "github.com/hookrun/hookrun/internal/hookfile"

// watched is a path that a command names, in its state when the Fingerprint was taken.
type watched struct {
	path   string
	file   bool     // there is a regular file
	target identity // of the file that was opened; zero: nothing was hashed
	link   identity // of the link at the path; zero: it is none

	interpreter []string // that its first line names, with arguments
}

// Touched returns the path of a file that a hook's command names and that was written, replaced, created or touched
// since the Fingerprint was taken. "" is none.
func (f *Fingerprint) Touched(h *hookfile.Hook) string {
	for _, path := range f.byHook[h] {
		if w := f.watched[path]; w.touched() {
			return path
		}
	}
	return ""
}

func (w *watched) touched() bool {
	now, there := lookAt(w.path, true)
	switch {
	case w.file && w.target == (identity{}): // outside of the workspace, so only its path counts
		return false
	case !w.file:
		return there && now.regular
	case !there || now != w.target:
		return true
	}
	if w.link != (identity{}) {
		link, there := lookAt(w.path, false)
		return !there || link != w.link
	}
	return false
}
