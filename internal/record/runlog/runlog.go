// Package runlog records each call as a line of JSON, in a file shared by many processes.
//
//	log, err := runlog.New(runlog.Options{Path: "run.log"})
//	…
//	defer log.Close()
//	err = log.Append(&runlog.Entry{Time: begun, Command: "pre-tool", Call: &call, Outcome: &outcome})
//
// Guarantees: when Append returns nil, the log has the whole line once, even if other processes are killed while they
// write or rotate. After an error the next line has the number of missing lines. A killed rotation loses the oldest
// part at most. Append waits for a stopped process for a second. Text that matches the patterns, and secrets that
// package secret knows, are removed before a text is cut. Only regular files are written to.
//
// Not guaranteed: a line may be lost in a crash of the system (writes are not synced). Lines may not be in the order in
// which calls began. A secret that package secret does not know needs a pattern, and in a longer text a match of more
// than 16 KiB may be missed.
//
// No library does this: libraries for rotation assume a single writing process, and none removes secrets from JSON.
package runlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"github.com/hookrun/hookrun/internal/lib/crash"
	"github.com/hookrun/hookrun/internal/lib/spelling"
)

// Options are the path of a log, the limit of its size, and patterns of secrets.
type Options struct {
	Path    string   // created if missing; the folder must exist
	Redact  []string // RE2 patterns of texts to remove
	MaxSize int64    // the file is rotated at this many bytes; 0: 64 MiB
	// WholeArgs: arguments up to 1 MiB are not cut, for later replays of the calls.
	WholeArgs bool
}

const defaultMaxSize = 64 << 20

// Log appends to a file. A nil Log drops all entries. A Log is safe for concurrent use.
type Log struct {
	path      string
	patterns  []*regexp.Regexp
	maxSize   int64
	wholeArgs bool

	mu     sync.Mutex
	file   *os.File // nil: not open
	locked bool     // the lock is ours
	stuck  bool     // the last line waited for the lock in vain
	missed int      // lines that were not written since the last line
}

// New checks the options. It opens no file.
func New(o Options) (*Log, error) {
	if o.Path == "" {
		return nil, errors.New("a run log needs a path")
	}
	path, err := filepath.Abs(o.Path) // the process may change its working directory
	if err != nil {
		return nil, fmt.Errorf("run log %s: %w", o.Path, err)
	}
	l := &Log{path: path, maxSize: o.MaxSize, wholeArgs: o.WholeArgs}
	if l.maxSize <= 0 {
		l.maxSize = defaultMaxSize
	}
	for _, pattern := range o.Redact {
		re, err := regexp.Compile(pattern)
		if err != nil {
			return nil, fmt.Errorf("redact pattern %q is no RE2 pattern: %s", pattern, spelling.Expression(err))
		}
		if re.MatchString("") {
			return nil, fmt.Errorf("redact pattern %q matches the empty text; say what must be there", pattern)
		}
		l.patterns = append(l.patterns, re)
	}
	return l, nil
}

// Append writes an entry. The error is one line for a warning: the line was not written, or only the rotation failed.
func (l *Log) Append(e *Entry) error {
	if l == nil {
		return nil
	}
	line, err := l.Line(e)
	if err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.missed++
		return l.wrapError(err)
	}
	return l.wrapError(l.append(line))
}

// Line returns the line of an entry. A nil Log has no patterns. A panic in the search for secrets costs the line, not
// the verdict.
func (l *Log) Line(e *Entry) (line []byte, err error) {
	defer crash.Catch(&err)
	entry, patterns := *absolute(e), []*regexp.Regexp(nil)
	if l != nil {
		entry.WholeArgs, patterns = l.wholeArgs, l.patterns
	}
	return append(entry.AppendLine(nil, patterns), '\n'), nil
}

// absolute returns the entry with absolute paths of hooks files. Paths in an outcome may be relative to the working
// directory of this process, unknown to readers of the log.
func absolute(e *Entry) *Entry {
	if e.Outcome == nil || len(e.Outcome.Hooks) == 0 {
		return e
	}
	entry, outcome := *e, *e.Outcome
	entry.Outcome, outcome.Hooks = &outcome, slices.Clone(outcome.Hooks)
	for i := range outcome.Hooks {
		if path, err := filepath.Abs(outcome.Hooks[i].Source); err == nil {
			outcome.Hooks[i].Source = path
		}
	}
	return &entry
}

// Close closes the file. A later Append opens it again.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wrapError(l.close())
}

// wrapError adds the log's path to an error.
func (l *Log) wrapError(err error) error {
	if err == nil {
		return nil
	}
	if of, ok := errors.AsType[*fs.PathError](err); ok && of == err && of.Path == l.path {
		err = of.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("run log %s: its folder does not exist; make it", l.path)
	}
	return fmt.Errorf("run log %s: %w", l.path, err)
}
