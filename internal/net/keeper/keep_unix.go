//go:build unix

package keeper

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hookrun/hookrun/internal/core/process"
	"github.com/hookrun/hookrun/internal/lib/peer"
)

const (
	// lookTime is the time between two looks at the workspace and the socket.
	lookTime = 2 * time.Second
	// turnTime is how long a caller may take to begin, and to read the answer. A caller that was
	// stopped must not hold a process.
	turnTime = 2 * time.Second
)

// keeper is the process that keeps the processes of a hook.
type keeper struct {
	order     order
	hook      string
	workspace string
	socket    string
	began     time.Time
	listener  *net.UnixListener
	place     [2]place // of the workspace and of the socket
	processes process.Supervisor
	pool      *process.Pool
	turns     chan struct{} // a call with a turn finds a process free
	calls     atomic.Int64
	ctx       context.Context // ends all calls
	stop      context.CancelFunc

	mu      sync.Mutex
	open    int       // connected calls
	lastUse time.Time // the end of the last call
	enders  []*conn   // whoever waits for the end of this process
	running sync.WaitGroup
}

// Run keeps processes until they are needed no more, and returns the exit code. Ask starts a process for it, with the
// order on stdin, and the socket and the lock as descriptors 3 and 4.
func Run() (exit int) {
	k, err := newKeeper(os.Stdin)
	if err != nil {
		return 1
	}
	defer k.end()
	go k.accept()
	go k.tidy()
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM, syscall.SIGINT)
	signal.Ignore(syscall.SIGHUP)
	for {
		select {
		case <-terminated:
			return 0
		case <-k.ctx.Done():
			return 0
		case <-time.After(k.untilLook()):
			if k.isOver() {
				return 0
			}
		}
	}
}

func newKeeper(stdin *os.File) (*keeper, error) {
	text, err := io.ReadAll(stdin)
	if err != nil {
		return nil, err
	}
	k := &keeper{began: time.Now(), lastUse: time.Now()}
	if err := json.Unmarshal(text, &k.order); err != nil {
		return nil, err
	}
	o := &k.order
	k.hook, k.workspace, k.socket = string(o.Hook), string(o.Workspace), string(o.Socket)
	f := os.NewFile(3, k.socket)
	l, err := net.FileListener(f)
	f.Close()
	if err != nil {
		return nil, err
	}
	var is bool
	if k.listener, is = l.(*net.UnixListener); !is {
		return nil, errors.New("descriptor 3 is no socket of the system")
	}
	k.listener.SetUnlinkOnClose(false) // the path may have another keeper's socket
	if k.place, err = k.places(); err != nil {
		return nil, err
	}
	_ = unix.Ftruncate(4, 0) // the lock, in which killHolder looks
	_, _ = unix.Pwrite(4, []byte(strconv.Itoa(os.Getpid())), 0)
	k.processes.Subreaper = true
	k.pool = k.processes.NewPool(o.Workers, func(string) (process.Program, error) { return o.program(), nil })
	k.turns = make(chan struct{}, o.Workers)
	k.ctx, k.stop = context.WithCancel(context.Background())
	return k, nil
}

// end ends all calls, processes and descendants, and removes the socket and the lock.
func (k *keeper) end() {
	k.listener.Close()
	if now, err := placeOf(k.socket); err == nil && now == k.place[1] {
		os.Remove(k.socket)
		os.Remove(lockOf(k.socket))
	}
	k.stop()
	k.pool.Close()
	k.running.Wait()
	k.processes.Close()
}

// place identifies a file.
type place struct{ dev, ino uint64 }

func placeOf(path string) (place, error) {
	info, err := os.Stat(path)
	if err != nil {
		return place{}, err
	}
	stat := info.Sys().(*syscall.Stat_t)
	return place{uint64(stat.Dev), stat.Ino}, nil //nolint:unconvert // int32 on macOS
}

func (k *keeper) places() (now [2]place, err error) {
	for i, path := range [...]string{k.workspace, k.socket} {
		if now[i], err = placeOf(path); err != nil {
			return now, err
		}
	}
	return now, nil
}

// untilLook returns the time until the next look at the places, or until the end of an idle keeper.
func (k *keeper) untilLook() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.open > 0 {
		return min(lookTime, max(k.order.Keep, 10*time.Millisecond)) // the keeper is idle from the end of the call
	}
	return min(lookTime, max(0, k.order.Keep-time.Since(k.lastUse)))
}

// isOver reports whether the keeper has been idle for long enough, or no call will find the socket. Then no call can
// begin. Connected calls end first: a call that removed the socket of a slow keeper does not end the calls of others.
func (k *keeper) isOver() bool {
	now, err := k.places()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.open > 0 || err == nil && now == k.place && time.Since(k.lastUse) < k.order.Keep {
		return false
	}
	k.stop()
	return true
}

func (k *keeper) accept() {
	for {
		c, err := k.listener.AcceptUnix()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // no descriptors: the callers wait no longer than they want
			time.Sleep(10 * time.Millisecond)
			continue
		}
		k.running.Go(func() {
			if uid, err := peer.User(c); err == nil && uid == os.Getuid() && k.answer(newConn(c)) {
				return
			}
			c.Close()
		})
	}
}

// answer answers a connection, and reports whether the connection stays open until the end of this process.
func (k *keeper) answer(c *conn) (stays bool) {
	stop := context.AfterFunc(k.ctx, func() { c.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	_ = c.SetReadDeadline(time.Now().Add(turnTime))
	first, text, token, err := c.receiveFirst()
	if token != nil {
		defer token.Close()
	}
	switch {
	case err != nil:
	case first == asks:
		if k.count(1) && token != nil && len(text) >= 8 {
			k.call(c, token, time.Duration(number(text[:8])), text[8:])
		}
		k.count(-1)
	case first == looks:
		i := k.info()
		text, _ = json.Marshal(shown{i, i.Idle, i.Keep, numbers()})
		_ = c.send(shows, text)
	case first == ends, first == yields:
		k.mu.Lock()
		defer k.mu.Unlock()
		if first == yields && k.open > 0 {
			return false
		}
		k.enders = append(k.enders, c)
		k.stop()
		return true
	}
	return false
}

// count counts the connected calls, and reports whether a call may begin: the keeper does not end.
func (k *keeper) count(n int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open += n
	k.lastUse = time.Now()
	return k.ctx.Err() == nil
}

// call gives a line to a process.
func (k *keeper) call(c *conn, token *os.File, limit time.Duration, line []byte) {
	deadline := time.Now().Add(limit)
	ctx, gone := context.WithCancel(k.ctx)
	defer gone()
	messages := make(chan message, 1) // the caller sends one
	go func() {
		defer gone() // the caller is gone, or has said all
		_ = c.SetReadDeadline(time.Time{})
		m, err := c.message()
		if err != nil {
			return
		}
		messages <- m
		_, _ = c.message()
	}()
	select {
	case k.turns <- struct{}{}:
	default:
		if c.send(waits) != nil {
			return
		}
		select {
		case k.turns <- struct{}{}:
		case <-ctx.Done():
			return
		}
	}
	defer func() { <-k.turns }()
	if ctx.Err() != nil || !claim(token) { // the caller waits no longer
		return
	}
	k.calls.Add(1)
	asked := false
	reply := k.pool.Ask(ctx, "", process.Input{line}, time.Until(deadline), func(r *process.Reply) (problem string) {
		asked = true
		_ = c.SetWriteDeadline(time.Now().Add(turnTime))
		if c.sendReply(r, true) == nil {
			switch m := next(ctx, messages); m.kind {
			case takes:
				return ""
			case refuses:
				return string(m.text)
			}
		}
		r.TimedOut = true // the end of the process does not count as a death
		return "nobody has read its answer"
	})
	_ = c.SetWriteDeadline(time.Now().Add(turnTime))
	switch {
	case k.ctx.Err() != nil: // the process was killed before the limit: to the caller this is no timeout
	case asked:
		_ = c.send(done) // after a refusal the process is gone
	default:
		_ = c.sendReply(&reply, false)
	}
}

// message is a message from a caller.
type message struct {
	kind kind
	text []byte
}

func (c *conn) message() (m message, err error) {
	m.kind, m.text, err = c.receive()
	return m, err
}

// next returns the next message; zero: no message came, or the caller is gone.
func next(ctx context.Context, messages <-chan message) message {
	timer := time.NewTimer(turnTime)
	defer timer.Stop()
	select {
	case m := <-messages:
		return m
	default:
	}
	select {
	case m := <-messages:
		return m
	case <-ctx.Done():
	case <-timer.C:
	}
	return message{}
}
