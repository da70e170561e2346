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

	"github.com/hookrun/hookrun/internal/files/atomic"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// mark is the key of a payload that a Writer wrote. MassGen passes over it.
const mark = "x-hookrun"

// Writer puts payloads into a folder. MassGen's orchestrator may write into the same folder. A Writer is safe for
// concurrent use.
type Writer struct {
	Dir    string
	Memory Memory

	mu   sync.Mutex
	last int64 // without a memory
}

// Write writes a text for the next call of a tool that the glob matches ("": every tool). It expires after ttl (0:
// DefaultTTL). If a text waits for the same tools, the new one is added to it. A text of hookrun's that waits for other
// tools is replaced, since there is one file: that is a warning. If such a text is the orchestrator's, Write is an
// error. Write makes the folder if it is missing.
func (w *Writer) Write(content, matcher string, ttl time.Duration) (warnings []string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := os.MkdirAll(w.Dir, 0o700); err != nil {
		return nil, err
	}
	d := draft{text: content, matcher: cmp.Or(matcher, "*"), alone: true}
	d.expires = float64(time.Now().Add(cmp.Or(ttl, DefaultTTL)).UnixMicro()) / 1e6
	err = w.Memory.update(w.Dir, func(k *known) error {
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
		if d.alone && k.theirs && !k.read {
			const text = "MassGen's orchestrator writes here too, and no reader of hookrun's took the last text: " +
				"MassGen's own readers may pass over this one"
			d.warnings = append(d.warnings, text)
		}
		w.last, k.last, k.read = d.sequence, d.sequence, false
		return nil
	})
	return d.warnings, err
}

// draft is a text on its way into the file.
type draft struct {
	text, matcher string
	expires       float64 // 0: never
	sequence      int64
	alone         bool // nothing waited that it was added to
	warnings      []string
}

// put adds what waits in the folder to the draft, and writes the draft if no other payload has come meanwhile. taken is
// where it moved the payload that waited; "" if there was none.
func (w *Writer) put(d *draft, k *known) (done bool, taken string, err error) {
	path := filepath.Join(w.Dir, FileName)
	if taken, err = away(path); err != nil {
		return false, "", err
	}
	if taken != "" {
		if err := d.join(taken, k); err != nil {
			return false, taken, err
		}
	}
	if d.alone {
		d.sequence = k.last // the orchestrator's next number is higher
		if !k.theirs {
			d.sequence++
		}
	}
	done, err = publish(w.Dir, path, d.payload())
	return done, taken, err
}

// join adds the draft to a payload that waited, or replaces it if no reader would take it.
func (d *draft) join(waiting string, k *known) error {
	raw, err := read(waiting)
	if err != nil {
		return err
	}
	p, err := parse(raw)
	if err != nil {
		return nil
	}
	if n := p.sequence(); !p.ours() && 0 <= n && n < maxSequence {
		k.last, k.theirs = n, true
	}
	text, err := p.content()
	if late, _ := p.expired(); late || err != nil {
		return nil
	}
	if matcher := p.matcher(); matcher != d.matcher {
		if !p.ours() {
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
	return fmt.Appendf(b, `,"sequence":%d,%q:true}`, d.sequence, mark)
}

// publish writes a payload, unless there is one already: a link replaces nothing.
func publish(dir, path string, payload []byte) (done bool, err error) {
	file, err := os.CreateTemp(dir, ours) // MassGen uses another name for the file that it may be writing now
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

// putBack puts back a payload that is not for the caller. Another payload may be in its place by then: a later one of a
// writer, or an earlier one that another reader has put back. The later of the two stays. If a Writer wrote that one,
// the earlier one is added to it, as Write does.
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
		other, err := away(path)
		if err != nil {
			break // files cannot be moved here any more
		}
		if other == "" { // another reader has it
			continue
		}
		older, newer := other, taken
		if !earlier(other, taken) {
			older, newer = taken, other
		}
		if payload := together(older, newer); payload != nil {
			_ = os.WriteFile(newer, payload, 0o600)
		}
		_ = os.Remove(older)
		taken = newer
	}
	_ = os.Remove(taken)
}

// together returns two payloads as one, or nil if the newer one replaces the older one.
func together(older, newer string) []byte {
	raw, err := read(newer)
	if err != nil {
		return nil
	}
	p, err := parse(raw)
	if err != nil || !p.ours() {
		return nil
	}
	text, err := p.content()
	d := draft{text: text, matcher: p.matcher(), expires: p.expires(), sequence: p.sequence(), alone: true}
	if err != nil || d.join(older, &known{}) != nil || d.alone {
		return nil
	}
	return d.payload()
}

// earlier compares two payloads by the times of their files. If these are equal it compares their numbers, which start
// again with each writer.
func earlier(a, b string) bool {
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
