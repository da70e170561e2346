// Package massgenipc hands text to a tool's result through a file, as MassGen's orchestrator and its MCP middleware do.
//
//	w := massgenipc.Writer{Dir: ".codex", Memory: massgenipc.Memory{Dir: state}}
//	err := w.Write("[Human Input]: stop", "*", 0)
//	…
//	r := massgenipc.NewReader(".codex") // one for as long as the server runs
//	content, found, warnings := r.Consume("read_file")
//
// Guarantees: a reader sees a whole payload or none, and of several readers that look at once one gets it. A payload
// that replaces another while that is read is not deleted in its place.
//
// Not there: decisions and changes of arguments. The file carries text alone, and only to tools whose calls pass by a
// reader. It is a best effort: a payload that no call took is read by Unconsumed between turns. Who is killed while it
// takes a payload takes the payload along.
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

	"github.com/hookrun/hookrun/internal/fnmatch"
	"github.com/hookrun/hookrun/internal/strictjson"
)

// FileName is the payload's, in the folder of hooks. The others are there while one is written, by MassGen or by us.
const (
	FileName  = "hook_post_tool_use.json"
	temporary = "hook_post_tool_use.tmp"
	ours      = "hook_post_tool_use.*.tmp"
)

// DefaultTTL is how long a payload waits for a call.
const DefaultTTL = 30 * time.Second

// Writer puts payloads into a folder. MassGen's orchestrator may write into it as well: the number of a payload is the
// next after the one that it replaces or, where a reader took that along, after the last that Memory has. Readers take
// each number once and none that is lower, so a number that ran ahead would silence the orchestrator. It is safe for
// concurrent use.
type Writer struct {
	Dir    string
	Memory Memory

	mu   sync.Mutex
	last int64
}

// Write puts a text there for the next call of a tool that the glob matches ("": every tool), for so long (0:
// DefaultTTL). It replaces a payload that nobody took. The folder is made if it is not there.
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
	file, err := os.CreateTemp(w.Dir, ours) // of another name than MassGen's, which may be writing now
	if err != nil {
		return err
	}
	_, err = file.Write(payload)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), filepath.Join(w.Dir, FileName)) // at once: no reader sees half of it
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}

// pendingSequence is the number of the payload that waits in a folder.
func pendingSequence(dir string) (n int64, pending bool) {
	raw, err := os.ReadFile(filepath.Join(dir, FileName))
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

// Reader takes payloads out of a folder. It remembers the number of the last, which is not taken again. It is safe for
// concurrent use.
type Reader struct {
	Memory Memory // for writers of other processes

	dir string

	mu   sync.Mutex
	last int64
}

// NewReader reads from a folder, which need not be there.
func NewReader(dir string) *Reader { return &Reader{dir: dir, last: -1} }

// Consume takes the payload if it is for a tool, whose name is the one that its server knows: no mcp__SERVER__ stands
// before it. The tool must have run by then, and well. Whatever is wrong with the file is a warning: it is no reason to
// hold up a call that is over.
func (r *Reader) Consume(tool string) (content string, found bool, warnings []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var number int64
	var ours bool // which does not count among the orchestrator's
	content, wrong, err := takeIf(r.dir, func(raw []byte, p payload) (meant, fresh bool, err error) {
		if meant, err = p.matches(tool, false); !meant {
			return false, false, err // another tool may be meant
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

// Unconsumed takes a payload that no call took, after a round is over. One that has expired is dropped, and so is one
// that cannot be read as JSON.
func Unconsumed(dir string) (content string, found bool, err error) {
	content, _, err = takeIf(dir, func(_ []byte, p payload) (meant, fresh bool, err error) {
		late, _ := p.expired()
		return true, !late, nil
	})
	return content, content != "", err
}

// Take takes the payload for a tool, as the command does that MassGen has Codex run after each: the matcher may be
// several globs with |, what stands before a / in the tool's name does not count, and numbers are not looked at, since
// the process that comes after this one could not know the last. The number is noted for writers.
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
// is about the payload. Where another payload came in its place meanwhile, it begins again.
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

// Clear removes what an earlier turn left behind.
func Clear(dir string) error {
	err := errors.Join(orNotThere(os.Remove(filepath.Join(dir, FileName))),
		orNotThere(os.Remove(filepath.Join(dir, temporary))))
	entries, listErr := os.ReadDir(dir)
	for _, e := range entries { // of a writer that was killed
		if mine, _ := filepath.Match(ours, e.Name()); mine {
			err = errors.Join(err, orNotThere(os.Remove(filepath.Join(dir, e.Name()))))
		}
	}
	return errors.Join(err, orNotThere(listErr))
}

// payload is what stands in the file. Of two equal keys the last counts, as for MassGen.
type payload map[string]json.RawMessage

func read(path string) ([]byte, error) {
	raw, err := os.ReadFile(path)
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

// matches holds the glob against the name. Anything but a string is an error, and where there may be several globs,
// every tool.
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

// expired reports whether it is too late. A number may stand in quotes.
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

// sequence is 0 where there is no number.
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

// take deletes the file if it is still what was read, and reports whether we are the one who did: a writer may have put
// another in its place, which must not be lost, and another reader may have it. A rename tells: it succeeds once.
func take(path string, read []byte) (mine bool, err error) {
	taken, err := away(path)
	if taken == "" {
		return false, err
	}
	now, err := os.ReadFile(taken)
	if err != nil || bytes.Equal(now, read) {
		_ = os.Remove(taken)
		return err == nil, err
	}
	putBack(taken, path)
	return false, nil
}

// away moves the file to a name of our own, "" if there is none.
func away(path string) (taken string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "hook_post_tool_use.*.taken")
	if err != nil {
		return "", orNotThere(err)
	}
	f.Close()
	if err := os.Rename(path, f.Name()); err != nil {
		_ = os.Remove(f.Name())
		return "", orNotThere(err)
	}
	return f.Name(), nil
}

// putBack puts a payload back that is not what was read. What is in its place by then is a later one of the writer's,
// or an earlier one that another reader has put back: the later one of the two is to stay, whoever came first.
func putBack(taken, path string) {
	for errors.Is(os.Link(taken, path), fs.ErrExist) {
		other, err := away(path)
		switch {
		case err != nil:
			_ = os.Remove(taken)
			return // nothing can be moved here any more
		case other == "": // somebody has it
		case earlier(other, taken):
			_ = os.Remove(other)
		default:
			_ = os.Remove(taken)
			taken = other
		}
	}
	_ = os.Remove(taken)
}

// earlier compares two payloads by the time of their file, and of the same moment by their numbers, which begin anew
// with each writer.
func earlier(a, b string) bool {
	written := func(path string) (at time.Time, sequence int64) {
		if info, err := os.Stat(path); err == nil {
			at = info.ModTime()
		}
		if raw, err := os.ReadFile(path); err == nil {
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

// orNotThere: that there is no file is no error.
func orNotThere(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
