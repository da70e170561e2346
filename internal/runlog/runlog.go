// Package runlog writes the record of calls: one JSON line for each, into a file that many processes share.
//
//	log, err := runlog.New(runlog.Options{Path: "run.log"})
//	…
//	defer log.Close()
//	err = log.Append(&runlog.Entry{Time: begun, Command: "pre-tool", Call: &call, Outcome: &outcome})
//
// Guarantees: a line is whole or not there, whoever is killed at whatever moment, also while the file is rotated; a
// killed rotation loses nothing but the oldest part. Append waits for others for a second at most, then the line is not
// written and the error says so. What the patterns match, and what stands under a name like password or api_key, is
// taken out before anything is cut. A file that is not regular is never written to.
//
// Not guaranteed: that a line outlives a crash of the system (nothing is synced), that lines stand in the order in
// which calls began, and that every secret is found: one that has no telling name needs a pattern, and a match of more
// than 16 KiB may be missed in a longer text.
//
// No library does this: those that rotate files take it that one process writes them, and none takes secrets out of
// JSON.
package runlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookrun/hookrun/internal/spelling"
)

// Options say where a log is and what stays out of it.
type Options struct {
	Path    string   // the file is made if it is missing, its folder is not
	Redact  []string // RE2 patterns of what is taken out of every text
	MaxSize int64    // bytes at which the file is rotated; 0: 64 MiB
}

const defaultMaxSize = 64 << 20

// Log appends to a file. A nil Log takes entries and drops them. It is safe for many goroutines.
type Log struct {
	path     string
	patterns []*regexp.Regexp
	maxSize  int64

	mu   sync.Mutex
	file *os.File    // nil: not open
	busy atomic.Bool // the last line found it locked for all its time
}

// New checks the options. It opens nothing.
func New(o Options) (*Log, error) {
	if o.Path == "" {
		return nil, errors.New("a run log needs a path")
	}
	path, err := filepath.Abs(o.Path) // the process may change its folder
	if err != nil {
		return nil, fmt.Errorf("run log %s: %w", o.Path, err)
	}
	l := &Log{path: path, maxSize: o.MaxSize}
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

// lockWait is how long Append waits for others. Who holds the lock longer is stopped, and a verdict must not wait for
// that.
const lockWait = time.Second

// lockWaitAgain is how long it waits while they still hold it.
const lockWaitAgain = 20 * time.Millisecond

var errBusy = errors.New("others hold it and do not let go, one may be stopped; this call is not in it")

// Append writes an entry. Its error is one line for a warning: the line was not written, or only the rotation failed.
func (l *Log) Append(e *Entry) error {
	if l == nil {
		return nil
	}
	line := append(e.AppendLine(nil, l.patterns), '\n')
	wait := lockWait
	if l.busy.Load() { // somebody is stopped, and one call has waited for that
		wait = lockWaitAgain
	}
	until := time.Now().Add(wait) // those before us give up earlier
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.write(line, until)
	l.busy.Store(errors.Is(err, errBusy))
	return l.failed(err)
}

// Close closes the file. A later Append opens it again.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed(l.close())
}

// failed names the log in an error, once.
func (l *Log) failed(err error) error {
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
