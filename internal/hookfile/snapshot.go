package hookfile

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"
)

// Snapshot tells whether the files of a Config are still what was read: a program that stays up goes on with what it
// read, and says so. It is safe for concurrent use. The zero Snapshot has no files.
type Snapshot struct {
	mu    sync.Mutex
	files []snapshotFile
}

type snapshotFile struct {
	path    string
	text    string // that was read
	absent  bool   // there was none
	seen    fs.FileInfo
	changed string
}

// NewSnapshot looks after the files of a Config that was just read, and after those that were not there.
func NewSnapshot(cfg *Config) *Snapshot {
	s := &Snapshot{}
	for i, text := range cfg.texts { // of files that were read; whoever made a Config by hand named others
		s.files = append(s.files, snapshotFile{path: cfg.Files[i], text: text})
	}
	for _, path := range cfg.absent {
		s.files = append(s.files, snapshotFile{path: path, absent: true})
	}
	return s
}

// Changed says of each file what is different now, in the order in which they were read. As long as a file was not
// touched that costs one look at its size and times; then its text is compared.
func (s *Snapshot) Changed() (texts []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.files {
		f := &s.files[i]
		f.look()
		if f.changed != "" {
			texts = append(texts, f.path+" "+f.changed)
		}
	}
	return texts
}

// settled is how long ago a file must have been written before its times can tell that it was not written again: clocks
// of file systems tick slowly.
const settled = 50 * time.Millisecond

func (f *snapshotFile) look() {
	info, err := os.Stat(f.path)
	if err == nil && f.seen != nil && os.SameFile(info, f.seen) && info.Size() == f.seen.Size() &&
		info.ModTime().Equal(f.seen.ModTime()) {
		return
	}
	f.seen, f.changed = nil, ""
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if !f.absent {
			f.changed = "is gone"
		}
		return
	case f.absent:
		f.changed = "was not there before"
	default:
		text, err := readFile(f.path)
		if err != nil || string(text) != f.text {
			f.changed = "was changed"
		}
	}
	if err == nil && time.Since(info.ModTime()) > settled {
		f.seen = info
	}
}
