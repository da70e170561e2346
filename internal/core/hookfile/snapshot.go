package hookfile

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/hookrun/hookrun/internal/core/hook"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
)

// Snapshot detects changes of a Config's files since they were read: a server goes on with the old hooks, and warns. A
// Snapshot is safe for concurrent use. The zero Snapshot has no files.
type Snapshot struct {
	mu    sync.Mutex
	files []snapshotFile
}

type snapshotFile struct {
	path    string
	text    string // content when read
	hooks   int    // number of hooks
	absent  bool   // the file did not exist
	fault   string // why TakeChanges could not read the file
	seen    fs.FileInfo
	changed string
}

// NewSnapshot returns a Snapshot of the files of a Config that was just read, and of the missing files.
func NewSnapshot(cfg *Config) *Snapshot {
	s := &Snapshot{}
	hooks := map[string]int{}
	for i := range cfg.Hooks {
		hooks[cfg.Hooks[i].File]++
	}
	for _, f := range cfg.Files {
		s.files = append(s.files, snapshotFile{path: f.Path, text: f.Text, hooks: hooks[f.Path]})
	}
	for _, f := range cfg.Absent {
		s.files = append(s.files, snapshotFile{path: f.Path, absent: true})
	}
	return s
}

// Lost returns a fault for each file of s that a Config read later lacks: an editor may be about to write it again, and
// without its hooks the calls of that moment would pass. A managed file with "only", and a Config without files, leave
// the others out on purpose.
func (s *Snapshot) Lost(cfg *Config) (lost hook.Diagnostics) {
	if s == nil || cfg.ManagedOnly || len(cfg.Files)+len(cfg.Absent) == 0 {
		return nil
	}
	for i := range s.files {
		f := &s.files[i]
		isHere := func(now File) bool { return now.Path == f.path || regular.Same(now.Path, f.path) }
		if !f.absent && !slices.ContainsFunc(cfg.Files, isHere) {
			text := fmt.Sprintf("is gone, and its hooks (%d) stay", f.hooks)
			lost = append(lost, hook.Diagnostic{File: f.path, Text: text, Gate: true})
		}
	}
	return lost
}

// UntilReload returns a warning for each file that differs from the hooks in use, for a program with a reload.
func (s *Snapshot) UntilReload() (warnings []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.files {
		f := &s.files[i]
		switch f.refresh(); {
		case f.changed == "":
		case f.absent:
			warnings = append(warnings, f.path+" was not there when the hooks were read; its hooks run after a reload")
		default:
			warnings = append(warnings, f.path+" "+f.changed+
				" since the hooks were read; they are still those of then, until reload")
		}
	}
	return warnings
}

// Changed lists the files that have changed, in the order of reading. If size and times are unchanged, Changed does not
// read the file.
func (s *Snapshot) Changed() (texts []string) { return s.changes(func(*snapshotFile) {}) }

// TakeChanges lists the same files as Changed, and then treats their current state as read: each change is listed once.
func (s *Snapshot) TakeChanges() (texts []string) {
	return s.changes(func(f *snapshotFile) {
		text, err := readFile(f.path)
		f.text, f.absent, f.fault, f.seen, f.changed = string(text), isMissing(err), faultOf(err), nil, ""
	})
}

// changes lists the files that have changed, and calls each for them.
func (s *Snapshot) changes(each func(*snapshotFile)) (texts []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.files {
		f := &s.files[i]
		if f.refresh(); f.changed != "" {
			texts = append(texts, f.path+" "+f.changed)
			each(f)
		}
	}
	return texts
}

func faultOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// stableAge is how old a file must be before equal times mean an unchanged file: the clocks of file systems tick
// slowly.
const stableAge = 50 * time.Millisecond

func (f *snapshotFile) refresh() {
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
		if faultOf(err) != f.fault || err == nil && string(text) != f.text {
			f.changed = "was changed"
		}
		if err != nil { // a file that can be read again need not have other times
			return
		}
	}
	if err == nil && time.Since(info.ModTime()) > stableAge {
		f.seen = regular.Identify(info)
	}
}
