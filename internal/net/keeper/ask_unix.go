//go:build unix

package keeper

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hookrun/hookrun/internal/core/engine"
	"github.com/hookrun/hookrun/internal/core/process"
	"github.com/hookrun/hookrun/internal/lib/files/lock"
	"github.com/hookrun/hookrun/internal/lib/files/owner"
	"github.com/hookrun/hookrun/internal/lib/state"
)

const (
	// signTime is how long a call waits for a sign of a keeper, and startTime how long for that of a new one. Without a
	// sign the call runs the hook without a keeper.
	signTime  = 250 * time.Millisecond
	startTime = 2 * time.Second
	// busyTime is how long a call waits for a free process, at most a tenth of its limit: a hook may need all of the
	// rest.
	busyTime = time.Second
	// killTime is how long after its limit a call waits for an answer, beside the time that a hook has to end.
	killTime = 500 * time.Millisecond
	// maxSocketPath is the length that fits into the address of a socket, with a final zero.
	maxSocketPath = len(unix.RawSockaddrUnix{}.Path) - 1
)

// Client gives lines to keepers, and starts them.
type Client struct{ state, binary string }

// In returns the engine.Keeper of a state folder. It starts binary as a keeper.
func In(state, binary string) engine.Keeper { return &Client{state, binary} }

// Ask gives a call to a kept process: see engine.Keeper.
func (c *Client) Ask(ctx context.Context, k *engine.Kept, line func(number int64) process.Input, limit time.Duration,
	check func(*process.Reply) (problem string)) (reply process.Reply, begun bool) {
	deadline := time.Now().Add(limit)
	path, err := c.socket(k)
	if err != nil {
		return reply, false
	}
	patience := signTime
	to, err := dial(path, signTime)
	if err != nil {
		patience = startTime
		to, err = c.start(path, k)
	}
	if err != nil {
		return reply, false
	}
	defer to.Close()
	mine, theirs, err := newToken()
	if err != nil {
		return reply, false
	}
	defer mine.Close()
	defer theirs.Close()
	a := &asked{conn: to, kept: k, path: path, token: mine, ctx: ctx, until: deadline.Add(process.TermTime + killTime)}
	defer context.AfterFunc(ctx, func() { // the keeper kills the process of a caller that is gone
		to.CloseWrite()
		a.wait(a.until)
	})()
	_ = a.SetWriteDeadline(a.until)
	pieces := append([][]byte{bytesOf(int64(max(time.Until(deadline), time.Millisecond)))},
		line(rand.Int64N(maxNumber)+1)...)
	if err := a.sendWith(theirs, asks, pieces...); err != nil {
		return a.over(err)
	}
	if begun, err := a.begun(min(patience, limit/4), min(busyTime, limit/10)); err != nil || !begun {
		return a.over(err)
	}
	return a.answer(check)
}

// maxNumber bounds the numbers of calls, to which the programs of hooks answer: JavaScript has no larger whole numbers.
const maxNumber = 1<<53 - 1

// asked is a call that a keeper has.
type asked struct {
	*conn
	kept  *engine.Kept
	path  string   // of the socket
	token *os.File // whoever claims it decides whether a process gets the line
	ctx   context.Context
	until time.Time // the keeper has killed the process by then
}

// wait sets the time up to which a, or its caller, waits for the keeper.
func (a *asked) wait(until time.Time) {
	_ = a.SetReadDeadline(until)
	if a.ctx.Err() != nil { // AfterFunc may have come before
		_ = a.SetReadDeadline(time.Now().Add(process.TermTime + killTime))
	}
}

// begun waits for the answer, and reports whether a process has the line. A keeper that gives no sign or has no free
// process gets none after that: see claim.
func (a *asked) begun(sign, busy time.Duration) (begun bool, err error) {
	a.wait(time.Now().Add(sign))
	first, err := a.in.Peek(1)
	heard := err == nil && kind(first[0]) == waits
	if heard {
		if _, _, err = a.receive(); err != nil {
			return false, err
		}
		a.wait(time.Now().Add(busy))
		_, err = a.in.Peek(1)
	}
	if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
		return err == nil, err
	}
	if !claim(a.token) {
		return true, nil
	}
	if !heard && a.ctx.Err() == nil { // the keeper hangs: the next call starts another
		os.Remove(a.path)
		os.Remove(lockOf(a.path))
	}
	return false, nil
}

// over is the reply if no answer came. begun is false if no process has got the line and none will.
func (a *asked) over(err error) (reply process.Reply, begun bool) {
	if err == nil || claim(a.token) {
		return reply, false
	}
	return a.failed(err), true
}

// answer reads the answer. If the keeper could not start a process for the line, the caller may be able to.
func (a *asked) answer(check func(*process.Reply) string) (_ process.Reply, begun bool) {
	a.wait(a.until)
	k, text, err := a.receive()
	if err == nil && k != answers {
		err = fmt.Errorf("message %d instead of an answer", k)
	}
	if err != nil {
		return a.over(err)
	}
	reply, h, err := readReply(text)
	if err != nil {
		return a.failed(err), true
	}
	if !h.Asks {
		return reply, !h.Unstarted
	}
	if reply.Problem = check(&reply); reply.Problem == "" {
		if a.kept.Changed == nil || !a.kept.Changed() {
			_ = a.send(takes) // without the message the keeper kills the process
		}
		return reply, true
	}
	if err = a.send(refuses, []byte(reply.Problem)); err == nil {
		_, err = a.expect(done, a.until) // then the process is gone
	}
	if err != nil {
		a.failed(err)
	}
	return reply, true
}

// failed is the reply for a keeper that hangs or is gone. A process may have had the line, so no other may get it. A
// keeper that hangs is killed: the watchdog kills the process.
func (a *asked) failed(err error) (reply process.Reply) {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		killHolder(a.path) // the connection is open, so the keeper still lives
		reply.TimedOut, reply.NoAnswer = true, true
	case a.ctx.Err() != nil:
		reply.TimedOut = true
	default:
		reply.Problem = "what kept its process between calls ended in the middle of the call"
	}
	return reply
}

// socket returns the path of the socket for these processes. If any part differs, the path is another.
func (c *Client) socket(k *engine.Kept) (string, error) {
	folder, err := folderIn(c.state, k.Workspace)
	if errors.Is(err, os.ErrNotExist) {
		if err = owner.MkdirAll(folder); err == nil {
			folder, err = folderIn(c.state, k.Workspace)
		}
	}
	if err != nil {
		return "", err
	}
	p := &k.Program
	settings := []string{k.Hook, p.Path, strconv.Itoa(k.Workers), k.Keep.String()}
	for _, path := range []string{c.binary, p.Dir, k.Workspace} {
		at, err := identity(path)
		if err != nil {
			return "", err
		}
		settings = append(settings, path, at)
	}
	program, err := identity(p.Path)
	if err != nil {
		return "", err
	}
	name := hashOf(settings, p.Args, slices.Sorted(slices.Values(p.Env)), rights())[:settingsSize]
	name += hashOf([]string{name, k.Files, program})[:nameSize-settingsSize]
	return filepath.Join(folder, name+".sock"), nil
}

// The name of a socket has nameSize letters. Those of keepers that differ in files alone begin with the same
// settingsSize letters: the call for a changed script needs the others no more.
const settingsSize, nameSize = 10, 22

// hashOf returns a hash of lists of texts.
func hashOf(lists ...[]string) string {
	hash := sha256.New()
	for _, list := range lists {
		hash.Write(bytesOf(int64(len(list))))
		for _, text := range list {
			hash.Write(bytesOf(int64(len(text))))
			hash.Write([]byte(text))
		}
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// identity identifies a folder, or a file in a state.
func identity(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	at, _ := placeOf(path)
	if info.IsDir() {
		return fmt.Sprint(at), nil
	}
	return fmt.Sprint(at, info.Size(), info.ModTime().UnixNano()), nil
}

// folderIn returns the folder of the sockets in a state folder. It refuses a folder that another user or the project
// could write to. If the folder is missing, the path comes with os.ErrNotExist.
func folderIn(folder, workspace string) (string, error) {
	real, err := state.Private(folder, workspace)
	if err != nil {
		return "", err
	}
	real = filepath.Join(real, folderName)
	if len(real)+1+nameSize+len(".sock") > maxSocketPath {
		return "", fmt.Errorf("%s is too long for the path of a socket", real)
	}
	info, err := os.Lstat(real)
	if err != nil {
		return real, err
	}
	stat := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || int(stat.Uid) != os.Geteuid() || info.Mode().Perm() != 0o700 {
		return "", fmt.Errorf("%s is no folder that only you can enter", real)
	}
	return real, nil
}

// Fault returns why no process can be kept for a workspace, or nil.
func Fault(state, workspace string) error {
	path, err := folderIn(state, workspace)
	if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for above := filepath.Dir(path); ; above = filepath.Dir(above) {
		if err = unix.Access(above, unix.W_OK); !errors.Is(err, os.ErrNotExist) || above == filepath.Dir(above) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("making %s: %w", path, err)
	}
	return nil
}

func lockOf(socket string) string { return socket[:len(socket)-len(".sock")] + ".lock" }

var errBusy = errors.New("another call starts it, or it ends")

// start starts a keeper and connects to it. The keeper has the lock for as long as it lives, so there is one at a time.
// The socket listens before the keeper starts, so nobody waits for the start but for the answer.
func (c *Client) start(path string, k *engine.Kept) (*conn, error) {
	held, err := os.OpenFile(lockOf(path), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	defer held.Close()
	if free, err := lock.Try(held); err != nil || !free {
		return nil, errors.Join(errBusy, err)
	}
	if now, err := os.Stat(lockOf(path)); err != nil || !same(held, now) { // a keeper that ended has removed it
		return nil, errors.Join(errBusy, err)
	}
	if err := c.startWith(path, k, held); err != nil {
		os.Remove(path)
		os.Remove(lockOf(path))
		return nil, err
	}
	return dial(path, signTime)
}

// startWith starts a keeper with the lock and a new socket.
func (c *Client) startWith(path string, k *engine.Kept, held *os.File) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) { // of a killed keeper
		return err
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return err
	}
	listener.SetUnlinkOnClose(false)
	defer listener.Close()
	socket, err := listener.File()
	if err != nil {
		return err
	}
	defer socket.Close()
	return c.startKeeper(path, k, socket, held)
}

func same(file *os.File, now os.FileInfo) bool {
	info, err := file.Stat()
	return err == nil && os.SameFile(info, now)
}

// startKeeper starts the process of a keeper. The environment has only the caller's variables for folders.
func (c *Client) startKeeper(path string, k *engine.Kept, socket, held *os.File) error {
	text, err := json.Marshal(newOrder(k, path))
	if err != nil {
		return err
	}
	program := process.Program{Path: c.binary, Args: []string{"hookrun", Command, k.Hook}, Dir: "/"}
	program.Env = []string{"GOMAXPROCS=1"} // it hands lines over, and need not wake a second thread for that
	for _, name := range [...]string{"PATH", "HOME", "TMPDIR"} {
		if value, is := os.LookupEnv(name); is {
			program.Env = append(program.Env, name+"="+value)
		}
	}
	s := process.Supervisor{OneShot: true}
	defer s.Close()
	return s.StartDetached(program, process.Input{text}, socket, held)
}
