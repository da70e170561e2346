package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hookrun/hookrun/internal/lib/files/atomic"
	"github.com/hookrun/hookrun/internal/lib/files/lock"
	"github.com/hookrun/hookrun/internal/lib/files/owner"
	"github.com/hookrun/hookrun/internal/lib/state"
	"github.com/hookrun/hookrun/internal/texts/queue"
)

// text is a line of the journal: a text from the server, or a note that the end of a text was reported.
type text struct {
	// At is the text's time of creation in the queue, in nanoseconds. Each text of the agent has another At, so At
	// identifies the text in the queue's history.
	At       int64  `json:"at"`
	ID       string `json:"id,omitempty"`
	Session  string `json:"session,omitempty"`
	Status   string `json:"status,omitempty"` // of a text that was not put into the queue
	Reason   string `json:"reason,omitempty"`
	Reported bool   `json:"reported,omitempty"`
}

const (
	// remembered is the minimum number of texts with a known ID.
	remembered = 10_000
	// maxAge limits the wait for the end of a text. The queue's history is kept as long.
	maxAge = 30 * 24 * time.Hour
)

// journal keeps on disk which texts are in the queue, and which ends of texts were reported. Its folder DIR/nats/AGENT
// has:
//
//	lock       locked while a bridge runs
//	journal    a line of JSON for each text and each report
//	AT.text    the text of the last line, until it is in the queue
//
// A text is written to AT.text, then to the journal, then AT.text is moved into the queue. So after a crash a text is
// in the queue if the journal has the text and AT.text is gone.
type journal struct {
	queue      *queue.Queue
	folder     string
	lock       *os.File
	remembered int

	sync.Mutex
	file    *os.File
	size    int64 // of the complete lines
	lines   int   // since the last compaction
	texts   []*text
	known   map[string]bool // IDs of texts
	pending map[int64]*text // unreported texts, by At
}

// openJournal locks and reads the journal of an agent, and puts a text into the queue that a killed bridge was at.
func openJournal(ctx context.Context, dir, agent string) (opened *journal, err error) {
	// The hash distinguishes names on a file system that ignores case.
	j := &journal{queue: &queue.Queue{Dir: dir}, folder: filepath.Join(dir, "nats", agent+"-"+state.Hashed(agent)[:8]),
		remembered: remembered, known: map[string]bool{}, pending: map[int64]*text{}}
	if err := owner.MkdirAll(j.folder); err != nil {
		return nil, err
	}
	for _, folder := range []string{filepath.Dir(j.folder), j.folder} {
		info, err := os.Lstat(folder)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() || !owner.Owned(folder, info) || owner.OthersWrite(folder, info) {
			return nil, fmt.Errorf("others can put files into %s, and so give the model orders: remove it", folder)
		}
	}
	if j.lock, err = os.OpenFile(filepath.Join(j.folder, "lock"), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			j.close()
		}
	}()
	free, err := lock.Try(j.lock)
	if err != nil {
		return nil, err
	}
	if !free {
		return nil, fmt.Errorf("a bridge for the agent %s runs already", agent)
	}
	if err := j.load(); err != nil {
		return nil, err
	}
	return j, j.finish(ctx)
}

func (j *journal) close() {
	if j.file != nil {
		j.file.Close()
	}
	j.lock.Close()
}

func (j *journal) path() string { return filepath.Join(j.folder, "journal") }

// textFile returns the path of a text's file.
func (j *journal) textFile(at int64) string {
	return filepath.Join(j.folder, fmt.Sprintf("%d.text", at))
}

// load reads the journal. A line that a crash has cut off at the end does not count.
func (j *journal) load() (err error) {
	if j.file, err = os.OpenFile(j.path(), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return err
	}
	lines := bufio.NewReader(j.file)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var t text
		if err := json.Unmarshal(line, &t); err != nil {
			return fmt.Errorf("%s has a damaged line at byte %d: remove that line: %w", j.path(), j.size, err)
		}
		j.size += int64(len(line))
		j.lines++
		j.note(&t)
	}
	return errors.Join(j.file.Truncate(j.size), queue.SyncFolder(j.folder))
}

// note notes a line in memory.
func (j *journal) note(t *text) {
	if t.ID == "" {
		if old := j.pending[t.At]; old != nil {
			old.Reported = true
			delete(j.pending, t.At)
		}
		return
	}
	j.texts = append(j.texts, t)
	j.known[t.ID] = true
	if !t.Reported {
		j.pending[t.At] = t
	}
}

// finish puts the last text into the queue, if a killed bridge has not.
func (j *journal) finish(ctx context.Context) error {
	last := ""
	if n := len(j.texts); n > 0 && j.texts[n-1].Status == "" {
		last = j.textFile(j.texts[n-1].At)
	}
	files, err := os.ReadDir(j.folder)
	for _, f := range files {
		file := filepath.Join(j.folder, f.Name())
		switch {
		case filepath.Ext(file) != ".text":
		case file != last: // its message was not acknowledged, and comes again
			err = errors.Join(err, os.Remove(file))
		default:
			if _, putErr := j.queue.PutFile(ctx, file); putErr != nil {
				err = errors.Join(err, fmt.Errorf("the last text is not in the queue: %w; if its file is damaged, "+
					"remove the file, and publish %s with a new ID", putErr, j.texts[len(j.texts)-1].ID))
			}
		}
	}
	return err
}

// has reports whether one of the latest texts has the ID.
func (j *journal) has(id string) bool {
	j.Lock()
	defer j.Unlock()
	return j.known[id]
}

// invalidError is about an invalid text.
type invalidError struct{ error }

// put puts a text into the queue. After an error, the next call continues at the failed step.
func (j *journal) put(ctx context.Context, m message) error {
	j.Lock()
	defer j.Unlock()
	if !j.known[m.id] {
		t := &text{At: j.next(m.published), ID: m.id, Session: m.entry.Session}
		m.entry.Created = time.Unix(0, t.At)
		content, err := queue.Encode(m.entry)
		if err != nil {
			return &invalidError{err}
		}
		if err := writeSynced(j.textFile(t.At), content); err != nil {
			return err
		}
		if err := j.append(t); err != nil {
			return err
		}
	}
	file := j.textFile(j.texts[len(j.texts)-1].At)
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	_, err := j.queue.PutFile(ctx, file)
	return err
}

// refuse notes a message that is not put into the queue.
func (j *journal) refuse(m message, status string) error {
	j.Lock()
	defer j.Unlock()
	return j.append(&text{At: j.next(m.published), ID: m.id, Status: status, Reason: m.invalid.Error()})
}

// next returns the At for a time of publication. It is later than the At of the last text.
func (j *journal) next(published time.Time) int64 {
	at := published.UnixNano()
	if n := len(j.texts); n > 0 {
		at = max(at, j.texts[n-1].At+1)
	}
	return at
}

// ended notes that the end of a text was reported. A crash may lose the note, and the end is reported twice.
func (j *journal) ended(at int64) error {
	j.Lock()
	defer j.Unlock()
	return j.append(&text{At: at, Reported: true})
}

// unreported returns the sessions of unreported texts in the queue, and the unreported refused texts.
func (j *journal) unreported() (sessions map[string]bool, refused []text) {
	j.Lock()
	defer j.Unlock()
	sessions = map[string]bool{}
	for _, t := range j.pending {
		if t.Status != "" {
			refused = append(refused, *t)
		} else {
			sessions[t.Session] = true
		}
	}
	return sessions, refused
}

// find returns the unreported text of a session with an At.
func (j *journal) find(session string, at int64) (t text, found bool) {
	j.Lock()
	defer j.Unlock()
	if p := j.pending[at]; p != nil && p.Session == session {
		return *p, true
	}
	return text{}, false
}

// append writes a line.
func (j *journal) append(t *text) error {
	if j.lines >= 4*j.remembered+2*len(j.pending) {
		if err := j.compact(); err != nil {
			return err
		}
	}
	line, err := json.Marshal(t)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	_, err = j.file.WriteAt(line, j.size)
	if err == nil && t.ID != "" {
		err = j.file.Sync()
	}
	if err != nil {
		return errors.Join(err, j.file.Truncate(j.size))
	}
	j.size += int64(len(line))
	j.lines++
	j.note(t)
	return nil
}

// compact writes the journal again with the latest texts, and the unreported ones of the last month.
func (j *journal) compact() error {
	oldest := time.Now().Add(-maxAge).UnixNano()
	var kept []*text
	var lines bytes.Buffer
	for i, t := range j.texts {
		latest := i >= len(j.texts)-j.remembered
		if !latest && (t.Reported || t.At < oldest) {
			continue
		}
		line, err := json.Marshal(t)
		if err != nil {
			return err
		}
		lines.Write(append(line, '\n'))
		kept = append(kept, t)
	}
	j.file.Close() // Windows replaces no open file
	err := atomic.WritePrivate(j.path(), lines.String())
	reopened, openErr := os.OpenFile(j.path(), os.O_RDWR, 0o600)
	if openErr == nil {
		j.file = reopened
	}
	if err = errors.Join(err, openErr); err != nil {
		return err
	}
	j.size, j.lines, j.texts = int64(lines.Len()), 0, nil
	j.known, j.pending = map[string]bool{}, map[int64]*text{}
	for _, t := range kept {
		j.note(t)
	}
	return queue.SyncFolder(j.folder)
}

// writeSynced writes a file that survives a crash of the system.
func writeSynced(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		os.Remove(path) // a part of the text only fills the disk more
		return err
	}
	return queue.SyncFolder(filepath.Dir(path))
}
