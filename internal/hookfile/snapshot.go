package hookfile

import (
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/hookrun/hookrun/internal/regularfile"
)

// Snapshot tells whether the files of a Config have changed since they were read: a server goes on with what it read,
// and warns. It is safe for concurrent use. The zero Snapshot has no files.
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
	for _, f := range cfg.Files {
		s.files = append(s.files, snapshotFile{path: f.Path, text: f.Text})
	}
	for _, f := range cfg.Absent {
		s.files = append(s.files, snapshotFile{path: f.Path, absent: true})
	}
	return s
}

// Changed lists the files that have changed, in the order in which they were read. For a file that was not touched it
// looks at size and times only; otherwise it compares the text.
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

// settleTime is how old a file must be before its times show whether it was written again: the clocks of file systems
// tick slowly.
const settleTime = 50 * time.Millisecond

func (f *snapshotFile) look() {
	info, err := os.Stat(f.path)
	if err == nil && f.seen != nil && os.SameFile(info, f.seen) && info.Size() == f.seen.Size() &&
		info.ModTime().Equal(f.seen.ModTime()) {
		return
	}
	f.seen, f.changed = nil, ""
	switch {
	case isMissing(err):
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
	if err == nil && time.Since(info.ModTime()) > settleTime {
		f.seen = regularfile.Identify(info)
	}
}
