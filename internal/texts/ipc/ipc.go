// Package ipc adds text to a tool's result through a file, as MassGen's orchestrator and its MCP middleware do.
//
//	w := ipc.Writer{Dir: ".codex", Memory: ipc.Memory{Dir: state}}
//	warnings, err := w.Write("[Human Input]: stop", "*", 0)
//	…
//	r := ipc.NewReader(".codex") // one for as long as the server runs
//	content, found, warnings := r.Consume("read_file")
//
// Guarantees: a reader sees a whole payload or no payload. If several readers look at the same time, only one gets the
// payload. If a payload is replaced while a reader takes it, the new payload is not deleted. A Writer's text joins a
// text waiting for the same tools, without losing any part. A Writer's texts are marked: a Reader takes them with any
// number, and ignores their numbers when it counts the orchestrator's texts.
//
// Not guaranteed: delivery. MassGen's orchestrator replaces waiting texts. MassGen's own readers take each number once
// and no lower number later, and the orchestrator counts its texts from 1. So a Writer's text, if not joined, has a
// number that the orchestrator has used or will use, and a reader of MassGen drops one of the two texts. Between turns
// Unconsumed reads a payload not taken by a call. A reader or writer killed while holding a payload loses the payload.
// The file carries only text, no decisions and no changed arguments, and only for tools whose calls go through a
// reader.
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

	"github.com/hookrun/hookrun/internal/lib/files/atomic"
	"github.com/hookrun/hookrun/internal/lib/glob"
)

// FileName is the payload's file in the folder of hooks. MassGen and hookrun use the other names for unfinished files.
const (
	FileName    = "hook_post_tool_use.json"
	temporary   = "hook_post_tool_use.tmp"
	tempPattern = "hook_post_tool_use.*.tmp"
)

// DefaultTTL is the time for which a payload waits for a call.
const DefaultTTL = 30 * time.Second

// Reader takes payloads from a folder: a text of the orchestrator only if its number is above the last one. It is safe
// for concurrent use.
type Reader struct {
	Memory Memory // records taken payloads, for writers

	dir string

	mu   sync.Mutex
	last int64
}

// NewReader returns a reader of a folder, which may be missing.
func NewReader(dir string) *Reader { return &Reader{dir: dir, last: -1} }

// Consume takes the payload if it is for the tool. tool is the server's name for the tool, without mcp__SERVER__. Call
// Consume after the tool has run successfully. Problems with the file are warnings, because the call is over and must
// not fail because of the file.
func (r *Reader) Consume(tool string) (content string, found bool, warnings []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var taken payload
	content, problems, err := takeIf(r.dir, func(p payload) (meant, fresh bool, err error) {
		if meant, err = p.matches(tool); !meant {
			return false, false, err // the payload may be for another tool
		}
		late, err := p.expired()
		taken = p
		return true, !late && (p.isOurs() || p.sequence() > r.last), err
	})
	if content != "" {
		if !taken.isOurs() {
			r.last = taken.sequence()
		}
		r.Memory.recordTaken(r.dir, taken)
	}
	return content, content != "", texts(append(problems, err))
}

// Unconsumed takes a payload that no call has taken, after a round has ended. It drops expired payloads and invalid
// JSON.
func Unconsumed(dir string) (content string, found bool, err error) {
	content, _, err = takeIf(dir, func(p payload) (meant, fresh bool, err error) {
		late, _ := p.expired()
		return true, !late, nil
	})
	return content, content != "", err
}

// Take takes the payload for a tool, like the command that Codex runs for MassGen after each tool. The matcher may be
// several globs separated by |, and only the part of the tool's name after a / counts. Numbers are not compared,
// because each call is a new process and does not know the last number. The taken payload is recorded for writers.
func (m Memory) Take(dir, tool string) (content string, found bool, warnings []string) {
	var taken payload
	content, problems, err := takeIf(dir, func(p payload) (meant, fresh bool, err error) {
		taken = p
		late, _ := p.expired()
		meant = glob.NewList(p.matcher()).Match(tool[strings.LastIndexByte(tool, '/')+1:])
		return meant || late, !late, nil
	})
	if content != "" {
		m.recordTaken(dir, taken)
	}
	return content, content != "", texts(append(problems, err))
}

// texts returns the texts of the non-nil errors.
func texts(errs []error) (texts []string) {
	for _, err := range errs {
		if err != nil {
			texts = append(texts, err.Error())
		}
	}
	return texts
}

// takeIf takes the payload of a folder if it is meant for the caller, and returns the text if it is also fresh.
// problems are errors in the payload.
func takeIf(dir string, choose func(payload) (meant, fresh bool, err error)) (
	content string, problems []error, err error) {
	decide := func(raw []byte) (meant bool) {
		content = ""
		p, err := parse(raw)
		if problems = []error{err}; err != nil {
			return true // unreadable for every reader
		}
		meant, fresh, err := choose(p)
		if problems[0] = err; meant && fresh {
			content, err = p.content()
			problems = append(problems, err)
		}
		return meant
	}
	path := filepath.Join(dir, FileName)
	for {
		raw, err := read(path)
		if err != nil {
			return "", nil, ignoreNotExist(err)
		}
		if !decide(raw) {
			return "", problems, nil
		}
		taken, err := moveAway(path)
		switch {
		case err != nil:
			return "", problems, err
		case taken == "": // another reader has it
			continue
		}
		now, err := read(taken)
		if err != nil || !bytes.Equal(now, raw) && !decide(now) { // replaced meanwhile, by a payload for others
			putBack(taken, path)
			return "", problems, err
		}
		return content, problems, os.Remove(taken)
	}
}

// Clear removes the files left by an earlier turn.
func Clear(dir string) error {
	err := errors.Join(ignoreNotExist(os.Remove(filepath.Join(dir, FileName))),
		ignoreNotExist(os.Remove(filepath.Join(dir, temporary))))
	entries, listErr := os.ReadDir(dir)
	for _, e := range entries { // left by a killed writer
		if match, _ := filepath.Match(tempPattern, e.Name()); match {
			err = errors.Join(err, ignoreNotExist(os.Remove(filepath.Join(dir, e.Name()))))
		}
	}
	return errors.Join(err, ignoreNotExist(listErr))
}

// payload is the content of the file. If keys are equal, the last one counts, as in MassGen.
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
	if raw, found := p["tool_matcher"]; found {
		var text *string
		if err := json.Unmarshal(raw, &text); err != nil || text == nil {
			return false, fmt.Errorf("%s: tool_matcher is no string; the file is left alone", FileName)
		}
		pattern = *text
	}
	return glob.New(pattern).Match(tool), nil
}

// matcher returns the glob of the payload's tools.
func (p payload) matcher() string {
	pattern := "*"
	_ = json.Unmarshal(p["tool_matcher"], &pattern) // other types mean every tool
	return cmp.Or(pattern, "*")
}

// expires returns the time of expiry, or 0.
func (p payload) expires() float64 {
	at, err := strconv.ParseFloat(strings.Trim(string(p["expires_at"]), `"`), 64)
	if err != nil || math.IsInf(at, 0) {
		return 0
	}
	return at
}

// expired reports whether the payload has expired. The time may be a number in quotes.
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

// isOurs reports whether a Writer wrote the payload.
func (p payload) isOurs() bool { return string(p[markKey]) == "true" }

func (p payload) content() (string, error) {
	var inject map[string]json.RawMessage
	var content string
	if json.Unmarshal(p["inject"], &inject) != nil || json.Unmarshal(inject["content"], &content) != nil ||
		content == "" {
		return "", fmt.Errorf("%s has no inject.content and was dropped", FileName)
	}
	return content, nil
}

// moveAway moves the file to a new name, or returns "" if the file does not exist.
func moveAway(path string) (taken string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "hook_post_tool_use.*.taken")
	if err != nil {
		return "", ignoreNotExist(err)
	}
	f.Close()
	if err := atomic.Rename(path, f.Name()); err != nil {
		_ = os.Remove(f.Name())
		return "", ignoreNotExist(err)
	}
	return f.Name(), nil
}

// ignoreNotExist returns nil if the error means that the file does not exist.
func ignoreNotExist(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
