// Package ipc adds text to a tool's result through a file, as MassGen's orchestrator and its MCP middleware do.
//
//	w := ipc.Writer{Dir: ".codex", Memory: ipc.Memory{Dir: state}}
//	warnings, err := w.Write("[Human Input]: stop", "*", 0)
//	…
//	r := ipc.NewReader(".codex") // one for as long as the server runs
//	content, found, warnings := r.Consume("read_file")
//
// Guarantees: a reader sees a whole payload or none. If several readers look at the same time, one of them gets it. If
// a payload is replaced while a reader takes the old one, the new one is not deleted. A Writer's text joins the one
// that waits for the same tools, and takes nothing of it away. A Writer's texts are marked, so a Reader takes them
// whatever their numbers are, and passes over no text of MassGen's orchestrator because of them.
//
// Not guaranteed: delivery. MassGen's orchestrator replaces what waits. MassGen's own readers take each number once and
// no lower one later, and the orchestrator counts its texts from 1. So a Writer's text that stands alone has a number
// that the orchestrator has had or will have, and such a reader drops one of the two. A payload that no call has taken
// is read by Unconsumed between turns. A reader or writer that is killed while it holds a payload loses it. The file
// carries text only, no decisions and no changes of arguments, and only for tools whose calls go through a reader.
package ipc

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/hookrun/hookrun/internal/files/atomic"
	"github.com/hookrun/hookrun/internal/glob"
)

// FileName is the payload's file in the folder of hooks. The other names are files that MassGen or hookrun is writing.
const (
	FileName  = "hook_post_tool_use.json"
	temporary = "hook_post_tool_use.tmp"
	ours      = "hook_post_tool_use.*.tmp"
)

// DefaultTTL is how long a payload waits for a call.
const DefaultTTL = 30 * time.Second

// Reader takes payloads out of a folder. It remembers the last number and does not take it again. It is safe for
// concurrent use.
type Reader struct {
	Memory Memory // is told what was taken, for writers

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
	var taken payload
	content, wrong, err := takeIf(r.dir, func(p payload) (meant, fresh bool, err error) {
		if meant, err = p.matches(tool); !meant {
			return false, false, err // it may be for another tool
		}
		late, err := p.expired()
		taken = p
		return true, !late && (p.ours() || p.sequence() > r.last), err
	})
	if content != "" {
		if !taken.ours() {
			r.last = taken.sequence()
		}
		r.Memory.note(r.dir, taken)
	}
	return content, content != "", texts(append(wrong, err))
}

// Unconsumed takes a payload that no call has taken, after a round is over. It drops a payload that has expired or is
// no valid JSON.
func Unconsumed(dir string) (content string, found bool, err error) {
	content, _, err = takeIf(dir, func(p payload) (meant, fresh bool, err error) {
		late, _ := p.expired()
		return true, !late, nil
	})
	return content, content != "", err
}

// Take takes the payload for a tool, like the command that MassGen has Codex run after each tool. The matcher may be
// several globs separated by |, and only the part of the tool's name after a / counts. Numbers are not compared, since
// each call is a new process that does not know the last one. What was taken is noted for writers.
func (m Memory) Take(dir, tool string) (content string, found bool, warnings []string) {
	var taken payload
	content, wrong, err := takeIf(dir, func(p payload) (meant, fresh bool, err error) {
		taken = p
		late, _ := p.expired()
		meant = glob.NewList(p.matcher()).Match(tool[strings.LastIndexByte(tool, '/')+1:])
		return meant || late, !late, nil
	})
	if content != "" {
		m.note(dir, taken)
	}
	return content, content != "", texts(append(wrong, err))
}

// texts returns the texts of the errors that are not nil.
func texts(errs []error) (texts []string) {
	for _, err := range errs {
		if err != nil {
			texts = append(texts, err.Error())
		}
	}
	return texts
}

// takeIf takes the payload of a folder if it is meant for the caller, and returns its text if it is also fresh. wrong
// is an error in the payload.
func takeIf(dir string, choose func(payload) (meant, fresh bool, err error)) (
	content string, wrong []error, err error) {
	decide := func(raw []byte) (meant bool) {
		content = ""
		p, err := parse(raw)
		if wrong = []error{err}; err != nil {
			return true // nobody can read it
		}
		meant, fresh, err := choose(p)
		if wrong[0] = err; meant && fresh {
			content, err = p.content()
			wrong = append(wrong, err)
		}
		return meant
	}
	path := filepath.Join(dir, FileName)
	for {
		raw, err := read(path)
		if err != nil {
			return "", nil, orNotThere(err)
		}
		if !decide(raw) {
			return "", wrong, nil
		}
		taken, err := away(path)
		switch {
		case err != nil:
			return "", wrong, err
		case taken == "": // another reader has it
			continue
		}
		now, err := read(taken)
		if err != nil || !bytes.Equal(now, raw) && !decide(now) { // it was replaced meanwhile, by one for others
			putBack(taken, path)
			return "", wrong, err
		}
		return content, wrong, os.Remove(taken)
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
	raw, err := atomic.Read(path)
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

// matches reports whether the payload is for the tool. A matcher that is no string is an error.
func (p payload) matches(tool string) (bool, error) {
	pattern := "*"
	if raw, there := p["tool_matcher"]; there {
		var text *string
		if err := json.Unmarshal(raw, &text); err != nil || text == nil {
			return false, fmt.Errorf("%s: tool_matcher is no string; the file is left alone", FileName)
		}
		pattern = *text
	}
	return glob.New(pattern).Match(tool), nil
}

// matcher returns the glob of the tools that the payload is for.
func (p payload) matcher() string {
	pattern := "*"
	_ = json.Unmarshal(p["tool_matcher"], &pattern) // another type: every tool
	return cmp.Or(pattern, "*")
}

// expires returns the time at which the payload expires, or 0.
func (p payload) expires() float64 {
	at, err := strconv.ParseFloat(strings.Trim(string(p["expires_at"]), `"`), 64)
	if err != nil || math.IsInf(at, 0) {
		return 0
	}
	return at
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

// ours reports whether a Writer wrote the payload.
func (p payload) ours() bool { return string(p[mark]) == "true" }

func (p payload) content() (string, error) {
	var inject map[string]json.RawMessage
	var content string
	if json.Unmarshal(p["inject"], &inject) != nil || json.Unmarshal(inject["content"], &content) != nil ||
		content == "" {
		return "", fmt.Errorf("%s has no inject.content and was dropped", FileName)
	}
	return content, nil
}

// away moves the file to a name of our own. It returns "" if there is no file.
func away(path string) (taken string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "hook_post_tool_use.*.taken")
	if err != nil {
		return "", orNotThere(err)
	}
	f.Close()
	if err := atomic.Rename(path, f.Name()); err != nil {
		_ = os.Remove(f.Name())
		return "", orNotThere(err)
	}
	return f.Name(), nil
}

// orNotThere returns nil if the error is that the file does not exist.
func orNotThere(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
