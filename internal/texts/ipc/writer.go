package ipc

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/hookrun/hookrun/internal/lib/files/atomic"
	"github.com/hookrun/hookrun/internal/lib/strictjson"
)

// markKey is the key that marks a Writer's payload. MassGen ignores the key.
const markKey = "x-hookrun"

// Writer puts payloads into a folder. MassGen's orchestrator may write into the same folder. A Writer is safe for
// concurrent use.
type Writer struct {
	Dir    string
	Memory Memory

	mu   sync.Mutex
	last int64 // without a memory
}

// Write writes a text for the next call of a tool that matches the glob ("": every tool). The text expires after ttl
// (0: DefaultTTL). If a text is waiting for the same tools, Write appends to it. The folder has one file, so a text
// waiting for other tools is replaced, with a warning, if hookrun wrote it; if the orchestrator wrote it, Write returns
// an error. Write creates a missing folder.
func (w *Writer) Write(content, matcher string, ttl time.Duration) (warnings []string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := os.MkdirAll(w.Dir, 0o700); err != nil {
		return nil, err
	}
	d := draft{text: content, matcher: cmp.Or(matcher, "*"), alone: true}
	d.expires = float64(time.Now().Add(cmp.Or(ttl, DefaultTTL)).UnixMicro()) / 1e6
	err = w.Memory.update(w.Dir, func(k *folderState) error {
		k.last = max(k.last, w.last)
		var held []string
		for {
			done, taken, err := w.put(&d, k)
			if taken != "" {
				held = append(held, taken)
			}
			if err != nil {
				for _, path := range held {
					putBack(path, filepath.Join(w.Dir, FileName))
				}
				return err
			}
			if done {
				break
			}
		}
		for _, path := range held {
			_ = os.Remove(path)
		}
		if d.alone && k.orchestrated && !k.read {
			const text = "MassGen's orchestrator writes here too, and no reader of hookrun's took the last text: " +
				"MassGen's own readers may pass over this one"
			d.warnings = append(d.warnings, text)
		}
		w.last, k.last, k.read = d.sequence, d.sequence, false
		return nil
	})
	return d.warnings, err
}

// draft is a text to be written into the file.
type draft struct {
	text, matcher string
	expires       float64 // 0: never
	sequence      int64
	alone         bool // not joined with a waiting text
	warnings      []string
}

// put joins the draft with the waiting payload, and writes the draft unless another payload has arrived meanwhile.
// taken is the new path of the waiting payload, or "".
func (w *Writer) put(d *draft, k *folderState) (done bool, taken string, err error) {
	path := filepath.Join(w.Dir, FileName)
	if taken, err = moveAway(path); err != nil {
		return false, "", err
	}
	if taken != "" {
		if err := d.join(taken, k); err != nil {
			return false, taken, err
		}
	}
	if d.alone {
		d.sequence = k.last // the orchestrator's next number is higher
		if !k.orchestrated {
			d.sequence++
		}
	}
	done, err = publish(w.Dir, path, d.payload())
	return done, taken, err
}

// join adds the draft to a waiting payload, or replaces the payload if no reader would take it.
func (d *draft) join(waiting string, k *folderState) error {
	raw, err := read(waiting)
	if err != nil {
		return err
	}
	p, err := parse(raw)
	if err != nil {
		return nil
	}
	if n := p.sequence(); !p.isOurs() && 0 <= n && n < maxSequence {
		k.last, k.orchestrated = n, true
	}
	text, err := p.content()
	if late, _ := p.expired(); late || err != nil {
		return nil
	}
	if matcher := p.matcher(); matcher != d.matcher {
		if !p.isOurs() {
			const problem = "a text of MassGen's waits there for the tools %q, and would be lost; give it the same " +
				"--matcher, or try again when it was read"
			return fmt.Errorf(problem, matcher)
		}
		d.warnings = append(d.warnings, fmt.Sprintf("replaced a text that waited for the tools %q", matcher))
		return nil
	}
	if n := p.sequence(); d.alone || n > d.sequence {
		d.sequence = n
	}
	d.alone, d.text = false, text+"\n\n"+d.text
	if at := p.expires(); d.expires != 0 && (at == 0 || at > d.expires) {
		d.expires = at
	}
	return nil
}

func (d *draft) payload() []byte {
	b := strictjson.AppendString([]byte(`{"inject":{"content":`), d.text)
	b = strictjson.AppendString(append(b, `,"strategy":"tool_result"},"tool_matcher":`...), d.matcher)
	if d.expires != 0 {
		b = fmt.Appendf(b, `,"expires_at":%s`, strconv.FormatFloat(d.expires, 'f', -1, 64))
	}
	return fmt.Appendf(b, `,"sequence":%d,%q:true}`, d.sequence, markKey)
}

// publish writes a payload unless the file exists: a link replaces no file.
func publish(dir, path string, payload []byte) (done bool, err error) {
	file, err := os.CreateTemp(dir, tempPattern) // MassGen may be writing its own temporary file now
	if err != nil {
		return false, err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(payload)
	if err = errors.Join(err, file.Close()); err != nil {
		return false, err
	}
	err = os.Link(file.Name(), path)
	switch {
	case errors.Is(err, fs.ErrExist):
		return false, nil
	case err != nil: // the file system has no links
		err = atomic.Rename(file.Name(), path)
	}
	return err == nil, err
}

// putBack puts back a payload that is not for the caller. Another payload may have taken the file name by then: a later
// one from a writer, or an earlier one put back by another reader. The later payload stays. If a Writer wrote it, the
// earlier payload is joined to it, as in Write.
func putBack(taken, path string) {
	for {
		err := os.Link(taken, path)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrExist) { // the file system has no links
			_ = atomic.Rename(taken, path)
			break
		}
		other, err := moveAway(path)
		if err != nil {
			break // files can no longer be moved here
		}
		if other == "" { // another reader has it
			continue
		}
		older, newer := other, taken
		if !isEarlier(other, taken) {
			older, newer = taken, other
		}
		if payload := merge(older, newer); payload != nil {
			_ = os.WriteFile(newer, payload, 0o600)
		}
		_ = os.Remove(older)
		taken = newer
	}
	_ = os.Remove(taken)
}

// merge returns two payloads as one, or nil if the newer payload replaces the older one.
func merge(older, newer string) []byte {
	raw, err := read(newer)
	if err != nil {
		return nil
	}
	p, err := parse(raw)
	if err != nil || !p.isOurs() {
		return nil
	}
	text, err := p.content()
	d := draft{text: text, matcher: p.matcher(), expires: p.expires(), sequence: p.sequence(), alone: true}
	if err != nil || d.join(older, &folderState{}) != nil || d.alone {
		return nil
	}
	return d.payload()
}

// isEarlier compares two payloads by the times of their files, because every writer starts its numbers again. If the
// times are equal, it compares the numbers.
func isEarlier(a, b string) bool {
	written := func(path string) (at time.Time, sequence int64) {
		if info, err := os.Stat(path); err == nil {
			at = info.ModTime()
		}
		if raw, err := atomic.Read(path); err == nil {
			if p, err := parse(raw); err == nil {
				sequence = p.sequence()
			}
		}
		return at, sequence
	}
	atA, a1 := written(a)
	atB, b1 := written(b)
	return atA.Before(atB) || atA.Equal(atB) && a1 < b1
}
