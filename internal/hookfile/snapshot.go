package hookfile

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/hookrun/hookrun/internal/files/regular"
	"github.com/hookrun/hookrun/internal/hook"
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
	hooks   int    // number of hooks; of an absent file, when it last existed
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

// Next returns a Snapshot for a Config that replaces the Config of s. Next remembers files that had hooks and are gone.
func (s *Snapshot) Next(cfg *Config) *Snapshot {
	next := NewSnapshot(cfg)
	for i := range s.files {
		was := &s.files[i]
		at := slices.IndexFunc(next.files, func(f snapshotFile) bool { return f.path == was.path })
		switch {
		case was.hooks == 0:
		case at < 0:
			next.files = append(next.files, snapshotFile{path: was.path, hooks: was.hooks, absent: true})
		case next.files[at].absent:
			next.files[at].hooks = was.hooks
		}
	}
	return next
}

// LostFiles returns a warning for each file that had hooks and was gone at the last reload.
func (s *Snapshot) LostFiles() (lost []hook.Diagnostic) {
	for i := range s.files {
		if f := &s.files[i]; f.absent && f.hooks > 0 {
			lost = append(lost, hook.Diagnostic{File: f.path, Text: f.lost(), Gate: true})
		}
	}
	return lost
}

func (f *snapshotFile) lost() string {
	const text = "is gone, and its hooks (%d) run no more; put it back and reload, or start again without it"
	return fmt.Sprintf(text, f.hooks)
}

// UntilReload returns a warning for each file that differs from the hooks in use, for a program with a reload.
func (s *Snapshot) UntilReload() (warnings []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.files {
		f := &s.files[i]
		f.refresh()
		lost := f.absent && f.hooks > 0
		switch {
		case lost && f.changed == "":
			warnings = append(warnings, f.path+" "+f.lost())
		case lost:
			warnings = append(warnings, f.path+" is there again; its hooks run after a reload")
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
