package runner

import (
	"context"
	"io"
	"os"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hookrun/hookrun/internal/dialect"
)

// newPipes are those that the system serves best.
var newPipes = newPolledPipes

// polledPipes are pipes that the caller's goroutine serves alone, beside the wait for the exit: goroutines for each
// pipe and for the exit would wake each other up for longer than a short hook runs. No library waits for pipes and a
// process in one system call.
//
// For the first millisecond it waits in one system call, from which it goes on at once: most hooks have ended by then.
// A longer wait would keep a thread, and other calls from their turn. So it is one of Go's own poller, for one
// descriptor: an epoll set that becomes ready when anything changes, and not because something stays as it is. That
// matters after the end of a hook: what another thread is just starting has copies of our pipe ends until its exec, and
// keeps these pipes open.
//
// A descriptor of -1 is none, or none any more.
type polledPipes struct {
	hook     [3]int // the hook's ends, until it has them
	in       int    // ours: closed when everything is written
	out      [2]int // closed at the end of the stream
	payload  dialect.Payload
	captures [2]capture
	p        *process
	ended    bool        // the leader has
	over     atomic.Bool // the same, told by a goroutine where the system has no descriptor that tells
	asked    bool        // the hook said that nobody is to wait for it

	patience time.Duration   // that is left for waits in a system call
	changes  *os.File        // the epoll set; nil: none was needed yet
	raw      syscall.RawConn // of changes
}

// widePipe is as much as every user may have in one pipe.
const widePipe = 1 << 20

// newPolledPipes makes wide pipes if there is much to write.
func newPolledPipes(payload dialect.Payload, detaches func([]byte) bool) (_ pipes, hook [3]uintptr, err error) {
	w := &polledPipes{hook: [3]int{-1, -1, -1}, in: -1, out: [2]int{-1, -1}, patience: briefTime}
	w.payload = slices.Clone(payload) // other hooks have the same
	for i := range w.hook {
		var ends [2]int
		if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
			w.stop()
			return nil, hook, os.NewSyscallError("pipe2", err)
		}
		if payload.Size() > pipeSize {
			_, _ = unix.FcntlInt(uintptr(ends[1]), unix.F_SETPIPE_SZ, widePipe)
		}
		ours := ends[0]
		if i == 0 {
			w.hook[0], w.in, ours = ends[0], ends[1], ends[1]
		} else {
			w.hook[i], w.out[i-1] = ends[1], ends[0]
		}
		_, _ = unix.FcntlInt(uintptr(ours), unix.F_SETFL, unix.O_NONBLOCK) // it has no other flags
		hook[i] = uintptr(w.hook[i])
	}
	if detaches != nil {
		w.captures[0].firstLine = func(line []byte) { w.asked = detaches(line) }
	}
	return w, hook, nil
}

func (w *polledPipes) serve(p *process) {
	w.p = p
	for i := range w.hook {
		closeFD(&w.hook[i])
	}
	w.write() // mostly the pipe takes it all
	if p.pidfd < 0 {
		w.watchChanges()
		go func() {
			p.waitExit()
			w.over.Store(true)
			w.rouse()
		}()
	}
}

// watchChanges makes the epoll set.
func (w *polledPipes) watchChanges() {
	w.patience = 0
	set, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return
	}
	watch := func(fd int, what uint32) {
		if fd >= 0 && err == nil {
			err = unix.EpollCtl(set, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: what | unix.EPOLLET})
		}
	}
	watch(w.out[0], unix.EPOLLIN)
	watch(w.out[1], unix.EPOLLIN)
	watch(w.in, unix.EPOLLOUT)
	watch(w.p.pidfd, unix.EPOLLIN)
	// By this os.NewFile knows that it can be waited for.
	_, _ = unix.FcntlInt(uintptr(set), unix.F_SETFL, unix.O_NONBLOCK)
	changes := os.NewFile(uintptr(set), "epoll")
	raw, _ := changes.SyscallConn()
	if err != nil || changes.SetReadDeadline(time.Time{}) != nil { // the poller has no room for it
		changes.Close()
		return
	}
	w.changes, w.raw = changes, raw
}

// rouse interrupts a wait, which then looks what is to be seen.
func (w *polledPipes) rouse() {
	if w.changes != nil {
		_ = w.changes.SetReadDeadline(time.Unix(1, 0))
	}
}

// lookUpTime is how long a wait goes on that nobody can interrupt, where the system has no descriptor left for that.
const lookUpTime = 20 * time.Millisecond

// until feeds and reads the hook until something is done or the time is up, and reports whether it is done.
func (w *polledPipes) until(limit time.Time, done func() bool) bool {
	w.poll(0)
	for !done() {
		now := time.Now()
		left := limit.Sub(now)
		switch {
		case left <= 0:
			return false
		case w.patience > 0:
			w.poll(min(left, w.patience))
			if w.patience -= time.Since(now); w.patience <= 0 {
				w.watchChanges()
			}
		case w.changes == nil:
			w.poll(min(left, lookUpTime))
		default:
			w.wakeUp(limit, done)
		}
	}
	return true
}

// wakeUp waits until something has changed, and does what can be done then.
func (w *polledPipes) wakeUp(limit time.Time, done func() bool) {
	_ = w.changes.SetReadDeadline(limit)
	_ = w.raw.Read(func(uintptr) bool {
		for w.poll(0) {
			// A hook that prints for ever must not keep us from its deadline.
			if done() || !time.Now().Before(limit) {
				return true
			}
		}
		return done()
	})
}

// wait feeds and reads the hook meanwhile.
func (w *polledPipes) wait(ctx context.Context, until time.Time) happening {
	detached := func() bool { return w.asked && w.in < 0 } // it was promised its input all the same
	done := func() bool { return w.ended || detached() || ctx.Err() != nil }
	// A wait that is over in a moment anyway need not be interrupted, and most are.
	if time.Until(until) > briefTime {
		if w.changes == nil {
			w.watchChanges()
		}
		if ctx.Done() != nil {
			defer context.AfterFunc(ctx, w.rouse)()
		}
	}
	w.until(until, done)
	switch {
	case ctx.Err() != nil:
		return givenUp
	case detached():
		return detaches
	case w.ended:
		return exits
	}
	return timeUp
}

func (w *polledPipes) exited(limit time.Duration) bool {
	return w.until(time.Now().Add(limit), func() bool { return w.ended })
}

func (w *polledPipes) drain(limit time.Duration) {
	closeFD(&w.in)
	w.until(time.Now().Add(limit), func() bool { return w.out[0] < 0 && w.out[1] < 0 })
}

// poll waits until something can be done, so long at most, and does it. It reports whether there was anything.
func (w *polledPipes) poll(limit time.Duration) (some bool) {
	fds := [4]unix.PollFd{
		{Fd: int32(w.out[0]), Events: unix.POLLIN},
		{Fd: int32(w.out[1]), Events: unix.POLLIN},
		{Fd: int32(w.in), Events: unix.POLLOUT},
		{Fd: -1, Events: unix.POLLIN},
	}
	if !w.ended {
		fds[3].Fd = int32(w.p.pidfd)
	}
	wait := unix.NsecToTimespec(int64(limit))
	n, _ := unix.Ppoll(fds[:], &wait, nil)
	w.ended = w.ended || w.over.Load()
	if n <= 0 {
		return false
	}
	w.ended = w.ended || fds[3].Revents != 0
	for i := range w.out {
		if fds[i].Revents != 0 {
			w.read(i)
		}
	}
	if fds[2].Revents != 0 {
		w.write()
	}
	return true
}

// read takes once what an output has: a hook that prints for ever must not keep us from its deadline.
func (w *polledPipes) read(i int) {
	if w.captures[i].read(reader(w.out[i])) != nil {
		closeFD(&w.out[i])
	}
}

// reader reads a descriptor that does not block.
type reader int

func (fd reader) Read(b []byte) (int, error) {
	n, err := unix.Read(int(fd), b)
	for err == unix.EINTR {
		n, err = unix.Read(int(fd), b)
	}
	switch {
	case err == unix.EAGAIN:
		return 0, nil
	case err != nil:
		return 0, err
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// write gives the hook what it takes of its input. If it does not want to read, which is its right, that is the end of
// it; its exit still counts.
func (w *polledPipes) write() {
	for w.in >= 0 {
		if len(w.payload) == 0 {
			closeFD(&w.in)
			return
		}
		n, err := unix.Write(w.in, w.payload[0])
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			return
		case err != nil:
			closeFD(&w.in)
			return
		}
		w.payload[0] = w.payload[0][n:]
		if len(w.payload[0]) == 0 {
			w.payload = w.payload[1:]
		}
	}
}

func (w *polledPipes) said() (yes bool) {
	yes, w.asked = w.asked, false
	return yes
}

func (w *polledPipes) stop() (stdout, stderr dialect.Capture) {
	for i := range w.hook {
		closeFD(&w.hook[i])
	}
	closeFD(&w.in)
	closeFD(&w.out[0])
	closeFD(&w.out[1])
	if w.changes != nil {
		w.changes.Close() // others may still want to rouse us
	}
	return w.captures[0].kept(), w.captures[1].kept()
}

func closeFD(fd *int) {
	if *fd >= 0 {
		_ = unix.Close(*fd)
		*fd = -1
	}
}
