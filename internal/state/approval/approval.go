// Package approval lets a call pass once that a hook blocks, after a person has approved it.
//
//	code, err := approval.Ask(state, &approval.Request{Call: call, Hook: name, Reason: reason})
//	… the person reads the request and says yes:
//	request, err := approval.Read(state, code)
//	err = request.Approve(state)
//	… the same call comes again:
//	passes, err := approval.Take(state, call)
//
// Guarantees: Take is true once for an approval, also if many processes ask at once, only for a call that is equal in
// all fields of Call, and only for Valid. A file that another user owns or can write to is an error.
//
// Not guaranteed: that nothing else of the same user writes an approval. A program of the user's can do what hookrun
// can.
package approval

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookrun/hookrun/internal/files/atomic"
	"github.com/hookrun/hookrun/internal/files/owner"
	"github.com/hookrun/hookrun/internal/files/regular"
	"github.com/hookrun/hookrun/internal/state"
)

// Folder is the name of the folder in the user's state folder.
const Folder = "approved"

// Valid is how long an approval is valid.
const Valid = 10 * time.Minute

const (
	kept    = 24 * time.Hour // a request that nobody has approved
	maxArgs = 16 << 10       // bytes: a person must be able to read them
	maxFile = 1 << 20
)

// Call is what is approved.
type Call struct {
	Event     string `json:"event"`
	Tool      string `json:"tool"`
	Args      string `json:"args"` // JSON
	Workspace string `json:"workspace"`
	Dir       string `json:"cwd"`
	Session   string `json:"session_id"`
	Agent     string `json:"agent_id"`
}

// hash is equal for equal calls alone.
func (c *Call) hash() []byte {
	text, _ := json.Marshal(c) // strings: no error
	sum := sha256.Sum256(text)
	return sum[:]
}

// Request is a call that waits for a person, or that one has approved.
type Request struct {
	Call
	Hook     string    `json:"hook"`
	Reason   string    `json:"reason"`
	Asked    time.Time `json:"asked"`
	Approved time.Time `json:"approved,omitzero"`
}

// Code is the name of the request: 8 letters and digits, the same for the same call.
func (r *Request) Code() string { return codeOf(r.hash()) }

// codeLetters are what codes are made of.
const codeLetters = "0123456789abcdefghijklmnopqrstuv"

func codeOf(hash []byte) string {
	code := strconv.FormatUint(binary.BigEndian.Uint64(hash)>>24, len(codeLetters))
	return strings.Repeat("0", 8-len(code)) + code
}

func path(dir, code string) string { return filepath.Join(dir, Folder, code+".json") }

// ErrTooLong is the error of a call that no person could read.
var ErrTooLong = errors.New("its arguments have more than 16 KiB, so nobody can approve the call")

// Ask notes that a person is to be asked, and returns the code.
func Ask(dir string, r *Request) (code string, err error) {
	if len(r.Args) > maxArgs {
		return "", ErrTooLong
	}
	folder := filepath.Join(dir, Folder)
	if err := owner.MkdirAll(folder); err != nil {
		return "", err
	}
	state.RemoveOld(folder, "*.json*", kept)
	r.Asked, r.Approved = time.Now().UTC(), time.Time{}
	return r.Code(), r.write(dir)
}

func (r *Request) write(dir string) error {
	folder, err := owner.Resolve(filepath.Join(dir, Folder))
	if err != nil {
		return err
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return atomic.WritePrivate(filepath.Join(folder, r.Code()+".json"), string(text)+"\n")
}

// Approve has the call pass once.
func (r *Request) Approve(dir string) error {
	r.Approved = time.Now().UTC()
	return r.write(dir)
}

// Valid reports whether the call may pass now.
func (r *Request) Valid() bool {
	age := time.Since(r.Approved)
	return !r.Approved.IsZero() && age >= 0 && age < Valid
}

// Read returns the request of a code. fs.ErrNotExist means that none waits.
func Read(dir, code string) (*Request, error) {
	code = strings.ToLower(code)
	if strings.Trim(code, codeLetters) != "" || len(code) != 8 {
		return nil, fmt.Errorf("%q is no code; a code has 8 letters and digits: %w", code, fs.ErrNotExist)
	}
	file := path(dir, code)
	for _, at := range []string{filepath.Dir(file), file} {
		info, err := os.Lstat(at)
		if err != nil {
			return nil, err
		}
		if info.Mode()&os.ModeSymlink != 0 || !owner.Owned(at, info) || owner.OthersWrite(at, info) {
			return nil, fmt.Errorf("%s belongs to another user or can be written to by others; remove it", at)
		}
	}
	text, _, err := regular.Read(file, maxFile)
	if err != nil {
		return nil, err
	}
	var r Request
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%s: %w; remove it", file, err)
	}
	if r.Code() != code {
		return nil, fmt.Errorf("%s is the request of another call; remove it", file)
	}
	return &r, nil
}

// Take reports whether a call may pass now, and uses its approval up.
func Take(dir string, c *Call) (ok bool, err error) {
	file := path(dir, codeOf(c.hash()))
	if ok, err := isValid(dir, c); !ok {
		return false, err
	}
	// One process at a time, which looks again: another one may have been here. On Windows two can remove one file.
	claim, err := os.OpenFile(file+".taken", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, claim.Close(), os.Remove(claim.Name())) }()
	if ok, err := isValid(dir, c); !ok {
		return false, err
	}
	err = os.Remove(file)
	return err == nil, err
}

// isValid reports whether there is an approval of a call.
func isValid(dir string, c *Call) (bool, error) {
	r, err := Read(dir, codeOf(c.hash()))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && r.Call == *c && r.Valid(), err
}

// Waiting returns the requests of the last day that nobody has approved, the newest first. Files that cannot be read
// are left out.
func Waiting(dir string) (all []*Request, err error) {
	entries, err := os.ReadDir(filepath.Join(dir, Folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		code, is := strings.CutSuffix(e.Name(), ".json")
		if r, err := Read(dir, code); is && err == nil && r.Approved.IsZero() && time.Since(r.Asked) < kept {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b *Request) int { return b.Asked.Compare(a.Asked) })
	return all, err
}
