// Package massgenipc adds text to a tool's result through a file, as MassGen's orchestrator and its MCP middleware do.
//
//	w := massgenipc.Writer{Dir: ".codex", Memory: massgenipc.Memory{Dir: state}}
//	err := w.Write("[Human Input]: stop", "*", 0)
//	…
//	r := massgenipc.NewReader(".codex") // one for as long as the server runs
//	content, found, warnings := r.Consume("read_file")
//
// Guarantees: a reader sees a whole payload or none. If several readers look at the same time, one of them gets it. If
// a payload is replaced while a reader takes the old one, the new one is not deleted.
//
// Not guaranteed: delivery. A payload that no call has taken is read by Unconsumed between turns. A reader that is
// killed while it takes a payload loses it. The file carries text only, no decisions and no changes of arguments, and
// only for tools whose calls go through a reader.
package massgenipc

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/atomicfile"
	"github.com/hookrun/hookrun/internal/fnmatch"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// FileName is the payload's file in the folder of hooks. The other names are files that MassGen or hookrun is writing.
const (
	FileName  = "hook_post_tool_use.json"
	temporary = "hook_post_tool_use.tmp"
	ours      = "hook_post_tool_use.*.tmp"
)

// DefaultTTL is how long a payload waits for a call.
const DefaultTTL = 30 * time.Second

// Writer puts payloads into a folder. MassGen's orchestrator may write into the same folder. A payload's number follows
// the number of the payload that it replaces or, if a reader has taken that, the last number in Memory. Readers take
// each number once and no lower one later, so a number that is too high would hide the orchestrator's payloads. A
// Writer is safe for concurrent use.
type Writer struct {
	Dir    string
	Memory Memory

	mu   sync.Mutex
	last int64
}

// Write writes a text for the next call of a tool that the glob matches ("": every tool). It expires after ttl (0:
// DefaultTTL). It replaces a payload that nobody has taken. Write makes the folder if it is missing.
func (w *Writer) Write(content, matcher string, ttl time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := os.MkdirAll(w.Dir, 0o700); err != nil {
		return err
	}
	return w.Memory.next(w.Dir, func(remembered int64) (int64, []byte, error) {
		sequence := max(w.last, remembered) + 1
		if n, pending := pendingSequence(w.Dir); pending {
			sequence = n + 1
		}
		w.last = sequence
		payload := newPayload(content, matcher, ttl, sequence)
		return sequence, payload, w.write(payload)
	})
}

func newPayload(content, matcher string, ttl time.Duration, sequence int64) []byte {
	expires := float64(time.Now().Add(cmp.Or(ttl, DefaultTTL)).UnixMicro()) / 1e6
	b := strictjson.AppendString([]byte(`{"inject":{"content":`), content)
	b = strictjson.AppendString(append(b, `,"strategy":"tool_result"},"tool_matcher":`...), cmp.Or(matcher, "*"))
	return fmt.Appendf(b, `,"expires_at":%s,"sequence":%d}`, strconv.FormatFloat(expires, 'f', -1, 64), sequence)
}

func (w *Writer) write(payload []byte) error {
	file, err := os.CreateTemp(w.Dir, ours) // MassGen uses another name for the file that it may be writing now
	if err != nil {
		return err
	}
	_, err = file.Write(payload)
	if err = errors.Join(err, file.Close()); err == nil {
		err = atomicfile.Rename(file.Name(), filepath.Join(w.Dir, FileName)) // atomically: no reader sees half of it
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}

// pendingSequence returns the number of the payload that waits in a folder.
func pendingSequence(dir string) (n int64, pending bool) {
	raw, err := atomicfile.Read(filepath.Join(dir, FileName))
	if err != nil {
		return 0, false
	}
	p, err := parse(raw)
	if err != nil {
		return 0, false
	}
	n = p.sequence()
	return n, 0 <= n && n < maxSequence
}

// Reader takes payloads out of a folder. It remembers the last number and does not take it again. It is safe for
// concurrent use.
type Reader struct {
	Memory Memory // for writers of other processes

	dir string

	mu   sync.Mutex
	last int64
}

// NewReader returns a reader of a folder, which may be missing.
func NewReader(dir string) *Reader { return &Reader{dir: dir, last: -1} }

// Consume takes the payload if it is for the tool. tool is the server's own name for it, without mcp__SERVER__. Call it
// after the tool has run successfully. Problems with the file are returned as warnings, because the call is over and
// must not fail for them.
func (r *Reader) Consume(tool string) (content string, found bool, warnings []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var number int64
	var ours bool // written by hookrun, so not one of the orchestrator's numbers
	content, wrong, err := takeIf(r.dir, func(raw []byte, p payload) (meant, fresh bool, err error) {
		if meant, err = p.matches(tool, false); !meant {
			return false, false, err // it may be for another tool
		}
		late, err := p.expired()
		number, ours = p.sequence(), r.Memory.wrote(r.dir, raw)
		return true, !late && (ours || number > r.last), err
	})
	for _, err := range append(wrong, err) {
		if err != nil {
			warnings = append(warnings, err.Error())
		}
	}
	if content != "" && !ours {
		r.last = number
		r.Memory.note(r.dir, number)
	}
	return content, content != "", warnings
}

// Unconsumed takes a payload that no call has taken, after a round is over. It drops a payload that has expired or is
// no valid JSON.
func Unconsumed(dir string) (content string, found bool, err error) {
	content, _, err = takeIf(dir, func(_ []byte, p payload) (meant, fresh bool, err error) {
		late, _ := p.expired()
		return true, !late, nil
	})
	return content, content != "", err
}

// Take takes the payload for a tool, like the command that MassGen has Codex run after each tool. The matcher may be
// several globs separated by |, and only the part of the tool's name after a / counts. Numbers are not compared, since
// each call is a new process that does not know the last one. The number is noted for writers.
func (m Memory) Take(dir, tool string) (content string, found bool, err error) {
	var number int64
	content, wrong, err := takeIf(dir, func(_ []byte, p payload) (meant, fresh bool, err error) {
		number = p.sequence()
		late, _ := p.expired()
		meant, _ = p.matches(tool[strings.LastIndexByte(tool, '/')+1:], true)
		return meant || late, !late, nil
	})
	if content != "" {
		m.note(dir, number)
	}
	return content, content != "", errors.Join(append(wrong, err)...)
}

// takeIf takes the payload of a folder if it is meant for the caller, and returns its text if it is also fresh. wrong
// is an error in the payload. If another payload replaces it meanwhile, takeIf starts again.
func takeIf(dir string, choose func([]byte, payload) (meant, fresh bool, err error)) (
	content string, wrong []error, err error) {
	path := filepath.Join(dir, FileName)
	for {
		raw, err := read(path)
		if err != nil {
			return "", nil, orNotThere(err)
		}
		p, parseErr := parse(raw)
		content, wrong = "", []error{parseErr}
		if parseErr == nil {
			meant, fresh, chooseErr := choose(raw, p)
			wrong[0] = chooseErr
			if !meant {
				return "", wrong, nil
			}
			if fresh {
				content, err = p.content()
				wrong = append(wrong, err)
			}
		}
		if mine, err := take(path, raw); err != nil {
			return "", wrong, err
		} else if mine {
			return content, wrong, nil
		}
	}
}

// Clear removes what an earlier turn has left.
func Clear(dir string) error {
	err := errors.Join(orNotThere(os.Remove(filepath.Join(dir, FileName))),
		orNotThere(os.Remove(filepath.Join(dir, temporary))))
	entries, listErr := os.ReadDir(dir)
	for _, e := range entries { // left by a writer that was killed
		if mine, _ := filepath.Match(ours, e.Name()); mine {
			err = errors.Join(err, orNotThere(os.Remove(filepath.Join(dir, e.Name()))))
		}
	}
	return errors.Join(err, orNotThere(listErr))
}

// payload is the content of the file. Of two equal keys the last counts, as in MassGen.
type payload map[string]json.RawMessage

func read(path string) ([]byte, error) {
	raw, err := atomicfile.Read(path)
	if err == nil && !utf8.Valid(raw) {
		return nil, fmt.Errorf("%s: not UTF-8; it is left alone", path)
	}
	return raw, err
}

func parse(raw []byte) (p payload, err error) {
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, fmt.Errorf("%s is no JSON object and was dropped: %w", FileName, err)
	}
	if p == nil {
		return nil, fmt.Errorf("%s is null, not an object, and was dropped", FileName)
	}
	return p, nil
}

// matches reports whether the glob matches the name. A matcher that is no string is an error; with several set it
// matches every tool.
func (p payload) matches(tool string, several bool) (bool, error) {
	glob := "*"
	if raw, there := p["tool_matcher"]; there {
		var text *string
		if err := json.Unmarshal(raw, &text); (err != nil || text == nil) && !several {
			return false, fmt.Errorf("%s: tool_matcher is no string; the file is left alone", FileName)
		}
		if text != nil {
			glob = *text
		}
	}
	if several {
		return glob == "" || fnmatch.NewList(glob).Match(tool), nil
	}
	return fnmatch.New(glob).Match(tool), nil
}

// expired reports whether the payload has expired. Its time may be a number in quotes.
func (p payload) expired() (bool, error) {
	raw := string(p["expires_at"])
	if raw == "" || raw == "null" {
		return false, nil
	}
	at, err := strconv.ParseFloat(strings.Trim(raw, `"`), 64)
	if err != nil {
		return false, fmt.Errorf("%s: expires_at is no number, so it does not expire", FileName)
	}
	return float64(time.Now().UnixMicro())/1e6 > at, nil
}

// sequence returns the payload's number, or 0.
func (p payload) sequence() int64 {
	n, err := strconv.ParseFloat(strings.Trim(string(p["sequence"]), `"`), 64)
	if err != nil {
		return 0
	}
	return int64(n)
}

func (p payload) content() (string, error) {
	var inject map[string]json.RawMessage
	var content string
	if json.Unmarshal(p["inject"], &inject) != nil || json.Unmarshal(inject["content"], &content) != nil ||
		content == "" {
		return "", fmt.Errorf("%s has no inject.content and was dropped", FileName)
	}
	return content, nil
}

// take deletes the file if it still holds what was read, and reports whether this process did. A writer may have
// replaced the payload, which must not get lost, or another reader may have taken it. The rename decides: it succeeds
// once.
func take(path string, read []byte) (mine bool, err error) {
	taken, err := away(path)
	if taken == "" {
		return false, err
	}
	now, err := atomicfile.Read(taken)
	if err != nil || bytes.Equal(now, read) {
		_ = os.Remove(taken)
		return err == nil, err
	}
	putBack(taken, path)
	return false, nil
}

// away moves the file to a name of our own. It returns "" if there is no file.
func away(path string) (taken string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "hook_post_tool_use.*.taken")
	if err != nil {
		return "", orNotThere(err)
	}
	f.Close()
	if err := atomicfile.Rename(path, f.Name()); err != nil {
		_ = os.Remove(f.Name())
		return "", orNotThere(err)
	}
	return f.Name(), nil
}

// putBack puts back a payload that is not the one that was read. Another payload may be in its place by then: a later
// one of the writer, or an earlier one that another reader has put back. The later of the two stays.
func putBack(taken, path string) {
	for errors.Is(os.Link(taken, path), fs.ErrExist) {
		other, err := away(path)
		switch {
		case err != nil:
			_ = os.Remove(taken)
			return // files cannot be moved here any more
		case other == "": // another reader has it
		case earlier(other, taken):
			_ = os.Remove(other)
		default:
			_ = os.Remove(taken)
			taken = other
		}
	}
	_ = os.Remove(taken)
}

// earlier compares two payloads by the times of their files. If these are equal it compares their numbers, which start
// again with each writer.
func earlier(a, b string) bool {
	written := func(path string) (at time.Time, sequence int64) {
		if info, err := os.Stat(path); err == nil {
			at = info.ModTime()
		}
		if raw, err := atomicfile.Read(path); err == nil {
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

// orNotThere returns nil if the error is that the file does not exist.
func orNotThere(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
