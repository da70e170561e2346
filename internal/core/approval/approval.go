// Package approval lets a blocked call pass once, after a person has approved the call.
//
//	code, err := approval.Ask(state, &approval.Request{Call: call, Hook: name, Reason: reason})
//	… the person reads the request and says yes:
//	request, err := approval.Read(state, code)
//	err = request.Approve(state)
//	… the same call comes again:
//	if approval.Granted(state, &call) {
//		passes, err := approval.Take(ctx, state, &call)
//	}
//
// Guarantees: Take returns true once for an approval, even if many processes call it at the same time, and only within
// Valid. The call must be equal in all fields, and a request shows the call of its code. A file or a state folder that
// another user owns or can write to approves no call.
//
// Not guaranteed: protection from other programs of the same user. A program of the user can write an approval.
package approval

import (
	"bytes"
	"context"
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

	"github.com/hookrun/hookrun/internal/lib/files/atomic"
	"github.com/hookrun/hookrun/internal/lib/files/lock"
	"github.com/hookrun/hookrun/internal/lib/files/owner"
	"github.com/hookrun/hookrun/internal/lib/files/regular"
	"github.com/hookrun/hookrun/internal/lib/secret"
	"github.com/hookrun/hookrun/internal/lib/state"
)

// Folder is the name of the folder in the user's state folder.
const Folder = "approved"

// Valid is how long an approval is valid.
const Valid = 10 * time.Minute

const (
	kept      = 24 * time.Hour   // how long a request waits for approval
	patience  = 10 * time.Second // how long Take waits for another process
	maxArgs   = 16 << 10         // bytes: a person must be able to read the arguments
	maxReason = 4 << 10
	maxFile   = 1 << 20
)

// Call is a call that a person can approve.
type Call struct {
	Event     string
	Tool      string
	Args      string // JSON, as the hook saw them
	Raw       string // the arguments as the caller gave them
	Workspace string
	Dir       string
	Session   string
	Agent     string
}

func (c *Call) fields() []*string {
	return []*string{&c.Event, &c.Tool, &c.Args, &c.Raw, &c.Workspace, &c.Dir, &c.Session, &c.Agent}
}

// hash returns a hash of all fields. Each has its length before it, so different calls have different texts.
func (c *Call) hash() []byte {
	sum := sha256.New()
	for _, field := range c.fields() {
		fmt.Fprintf(sum, "%d:%s", len(*field), *field)
	}
	return sum.Sum(nil)
}

// masked returns the call as a person may see it: without secrets, and with all that can be code.
func (c Call) masked() Call {
	for _, field := range c.fields() {
		*field = secret.MaskForJudgement(*field)
	}
	return c
}

// Request is a call that waits for a person, or that a person has approved. A Request that was read from a file has no
// secrets: the file has a hash of the call, and the call as a person may see it.
type Request struct {
	Call     `json:"-"`
	Fields   [][]byte  `json:"call"` // of Call, in the file alone: a string of JSON keeps only UTF-8
	Hash     []byte    `json:"hash"` // of Call with its secrets
	Hook     string    `json:"hook"`
	Reason   string    `json:"reason"`
	Asked    time.Time `json:"asked"`
	Approved time.Time `json:"approved,omitzero"`
}

// Code returns the name of the request: 8 letters and digits, the same for the same call.
func (r *Request) Code() string {
	if r.Hash == nil {
		return codeOf(r.hash())
	}
	return codeOf(r.Hash)
}

// codeLetters are the digits of codes. Package encoding/base32 would allocate at the start of each call.
const codeLetters = "0123456789abcdefghijklmnopqrstuv"

func codeOf(hash []byte) string {
	code := strconv.FormatUint(binary.BigEndian.Uint64(hash)>>24, len(codeLetters))
	return strings.Repeat("0", 8-len(code)) + code
}

func path(dir, code string) string { return filepath.Join(dir, Folder, code+".json") }

// ErrTooLong means that the arguments are too long for a person to read.
var ErrTooLong = errors.New("its arguments have more than 16 KiB, so nobody can approve the call")

// Ask writes a request, and returns the code. An existing approval of the same call stays.
func Ask(dir string, r *Request) (code string, err error) {
	if len(r.Args) > maxArgs || len(r.Raw) > maxArgs {
		return "", ErrTooLong
	}
	if dir, err = state.Private(dir, r.Workspace); err != nil {
		return "", err
	}
	folder := filepath.Join(dir, Folder)
	if err := owner.MkdirAll(folder); err != nil {
		return "", err
	}
	if err := private(folder); err != nil {
		return "", err
	}
	state.RemoveOld(folder, "*.json", kept)
	r.Asked, r.Approved = time.Now().UTC(), time.Time{}
	if len(r.Reason) > maxReason {
		r.Reason = strings.ToValidUTF8(r.Reason[:maxReason], "") + " …"
	}
	if Granted(dir, &r.Call) {
		return r.Code(), nil
	}
	return r.Code(), r.write(dir)
}

func (r *Request) write(dir string) error {
	folder, err := owner.Resolve(filepath.Join(dir, Folder))
	if err != nil {
		return err
	}
	shown := *r
	if shown.Hash == nil {
		shown.Hash = r.hash()
	}
	shown.Fields, shown.Reason = nil, secret.Mask(r.Reason)
	masked := r.masked()
	for _, field := range masked.fields() {
		shown.Fields = append(shown.Fields, []byte(*field))
	}
	text, err := json.Marshal(shown)
	if err != nil {
		return err
	}
	return atomic.WritePrivate(filepath.Join(folder, r.Code()+".json"), string(text)+"\n")
}

// Approve lets the call pass once.
func (r *Request) Approve(dir string) error {
	r.Approved = time.Now().UTC()
	return r.write(dir)
}

// Valid reports whether the call may pass now.
func (r *Request) Valid() bool {
	age := time.Since(r.Approved)
	return !r.Approved.IsZero() && age >= 0 && age < Valid
}

// Read returns the request of a code. If no request waits, the error is fs.ErrNotExist.
func Read(dir, code string) (*Request, error) {
	code = strings.ToLower(code)
	if strings.Trim(code, codeLetters) != "" || len(code) != 8 {
		return nil, fmt.Errorf("%q is no code; a code has 8 letters and digits: %w", code, fs.ErrNotExist)
	}
	dir, err := state.Private(dir, "")
	if err != nil {
		return nil, err
	}
	file := path(dir, code)
	for _, at := range []string{filepath.Dir(file), file} {
		if err := private(at); err != nil {
			return nil, err
		}
	}
	text, _, err := regular.Read(file, maxFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; remove it", file, regular.UnwrapPath(err))
	}
	var r Request
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%s: %w; remove it", file, err)
	}
	for i, field := range r.fields()[:min(len(r.Fields), len(r.fields()))] {
		*field = string(r.Fields[i])
	}
	isWhole := !strings.Contains(fmt.Sprint(r.Call), secret.Mark) // Granted compares the rest with the call itself
	if len(r.Hash) != sha256.Size || r.Code() != code || isWhole && !bytes.Equal(r.hash(), r.Hash) {
		return nil, fmt.Errorf("%s is the request of another call; remove it", file)
	}
	return &r, nil
}

// private returns an error if another user could change a file or a folder.
func private(at string) error {
	info, err := os.Lstat(at)
	if err == nil && (info.Mode()&os.ModeSymlink != 0 || !owner.Owned(at, info) || owner.OthersWrite(at, info)) {
		err = fmt.Errorf("%s belongs to another user or can be written to by others; remove it", at)
	}
	return err
}

// Granted reports whether a person has approved the call, and the call has not passed yet. A file that cannot be
// trusted or read grants no call.
func Granted(dir string, c *Call) bool {
	_, fault := state.Private(dir, c.Workspace)
	hash := c.hash()
	r, err := Read(dir, codeOf(hash))
	return fault == nil && err == nil && bytes.Equal(r.Hash, hash) && r.Call == c.masked() && r.Valid()
}

// Take reports whether the call may pass now, and uses the approval up. It waits for other processes until ctx ends, at
// most for ten seconds.
func Take(ctx context.Context, dir string, c *Call) (ok bool, err error) {
	if !Granted(dir, c) {
		return false, nil
	}
	// One process at a time takes an approval, and looks again because another process may have been first. On Windows
	// two processes can remove one file.
	at := filepath.Join(dir, Folder, "lock")
	if err := private(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	held, err := os.OpenFile(at, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return false, err
	}
	defer held.Close()
	if err := lock.LockWithin(ctx, held, patience); err != nil {
		return false, fmt.Errorf("%s: %w", held.Name(), err)
	}
	if !Granted(dir, c) {
		return false, nil
	}
	err = os.Remove(path(dir, codeOf(c.hash())))
	return err == nil, err
}

// Waiting returns the requests of the last day that were not approved, the newest first. Files that cannot be read are
// left out.
func Waiting(dir string) (requests []*Request, err error) {
	if dir, err = state.Private(dir, ""); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(filepath.Join(dir, Folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		code, is := strings.CutSuffix(e.Name(), ".json")
		if r, err := Read(dir, code); is && err == nil && r.Approved.IsZero() && time.Since(r.Asked) < kept {
			requests = append(requests, r)
		}
	}
	slices.SortFunc(requests, func(a, b *Request) int { return b.Asked.Compare(a.Asked) })
	return requests, err
}
