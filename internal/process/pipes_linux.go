package process

import (
	"context"
	"io"
	"os"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// newPipes makes the best pipes for the system.
var newPipes = newPolledPipes

// polledPipes are served by the caller's goroutine, which also waits for the exit. Goroutines for each pipe and for the
// exit would spend more time on waking each other than a short process takes. No library waits for pipes and a process
// in one system call.
//
// For the first millisecond the goroutine blocks in one system call and goes on at once: most processes have ended by
// then. Blocking longer would keep a thread from other calls. So after that it uses Go's own poller, for one
// descriptor: an edge-triggered epoll set. That becomes ready when something changes, and not because something stays
// ready. This matters after the exit: a process that another thread is just starting has copies of our pipe ends until
// its exec, and keeps these pipes open.
//
// A descriptor of -1 is closed, or was never open.
type polledPipes struct {
	theirs   [3]int // the process's ends, until it has started
	in       int    // ours: closed when everything is written
	out      [2]int // closed at the end of the stream
	input    Input
	captures [2]capture
	leader   *leader
	ended    bool        // the leader has ended
	over     atomic.Bool // the same, set by a goroutine if the kernel has no pidfd
	detach   bool        // the first line asks to be detached

	ppollTime time.Duration   // left for blocking system calls
	changes   *os.File        // the epoll set; nil: not needed yet
	raw       syscall.RawConn // of changes
}

// widePipe is the largest size of a pipe that every user may set.
const widePipe = 1 << 20

// newPolledPipes makes wide pipes if there is much to write.
func newPolledPipes(input Input, detach func([]byte) bool) (_ pipes, theirs [3]uintptr, err error) {
	p := &polledPipes{theirs: [3]int{-1, -1, -1}, in: -1, out: [2]int{-1, -1}, captures: newCaptures(),
		ppollTime: shortTime}
	p.input = slices.Clone(input) // the caller may give the pieces to other processes as well
	for i := range p.theirs {
		var ends [2]int
		if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
			p.stop()
			return nil, theirs, os.NewSyscallError("pipe2", err)
		}
		if input.size() > pipeSize {
			_, _ = unix.FcntlInt(uintptr(ends[1]), unix.F_SETPIPE_SZ, widePipe)
		}
		ours := ends[0]
		if i == 0 {
			p.theirs[0], p.in, ours = ends[0], ends[1], ends[1]
		} else {
			p.theirs[i], p.out[i-1] = ends[1], ends[0]
		}
		_, _ = unix.FcntlInt(uintptr(ours), unix.F_SETFL, unix.O_NONBLOCK) // the pipe has no other flags
		theirs[i] = uintptr(p.theirs[i])
	}
	if detach != nil {
		p.captures[0].firstLine = func(line []byte) { p.detach = detach(line) }
	}
	return p, theirs, nil
}

func (p *polledPipes) serve(l *leader) {
	p.leader = l
	for i := range p.theirs {
		closeFD(&p.theirs[i])
	}
	p.write() // mostly the pipe holds all of it
	if l.pidfd < 0 {
		p.watchChanges()
		go func() {
			l.waitExit()
			p.over.Store(true)
			p.interrupt()
		}()
	}
}

// watchChanges makes the epoll set.
func (p *polledPipes) watchChanges() {
	p.ppollTime = 0
	set, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return
	}
	watch := func(fd int, what uint32) {
		if fd >= 0 && err == nil {
			err = unix.EpollCtl(set, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: what | unix.EPOLLET})
		}
	}
	watch(p.out[0], unix.EPOLLIN)
	watch(p.out[1], unix.EPOLLIN)
	watch(p.in, unix.EPOLLOUT)
	watch(p.leader.pidfd, unix.EPOLLIN)
	// From this flag os.NewFile knows that the poller can wait for the descriptor.
	_, _ = unix.FcntlInt(uintptr(set), unix.F_SETFL, unix.O_NONBLOCK)
	changes := os.NewFile(uintptr(set), "epoll")
	raw, _ := changes.SyscallConn()
	if err != nil || changes.SetReadDeadline(time.Time{}) != nil { // the poller cannot take it
		changes.Close()
		return
	}
	p.changes, p.raw = changes, raw
}

// interrupt makes a wait check again whether it is done.
func (p *polledPipes) interrupt() {
	if p.changes != nil {
		_ = p.changes.SetReadDeadline(time.Unix(1, 0))
	}
}

// blindTime is how long a wait lasts that nobody can interrupt, because the system has no descriptor left.
const blindTime = 20 * time.Millisecond

// until writes and reads until done returns true or the time is up, and reports whether done returned true.
func (p *polledPipes) until(limit time.Time, done func() bool) bool {
	p.poll(0)
	for !done() {
		now := time.Now()
		left := limit.Sub(now)
		switch {
		case left <= 0:
			return false
		case p.ppollTime > 0:
			p.poll(min(left, p.ppollTime))
			if p.ppollTime -= time.Since(now); p.ppollTime <= 0 {
				p.watchChanges()
			}
		case p.changes == nil:
			p.poll(min(left, blindTime))
		default:
			p.waitForChange(limit, done)
		}
	}
	return true
}

// waitForChange waits for a change, and then writes and reads what is possible.
func (p *polledPipes) waitForChange(limit time.Time, done func() bool) {
	_ = p.changes.SetReadDeadline(limit)
	_ = p.raw.Read(func(uintptr) bool {
		for p.poll(0) {
			// A process that prints for ever must not delay its deadline.
			if done() || !time.Now().Before(limit) {
				return true
			}
		}
		return done()
	})
}

// wait writes and reads while it waits.
func (p *polledPipes) wait(ctx context.Context, until time.Time) waitEvent {
	detached := func() bool { return p.detach && p.in < 0 } // a detached process still gets its whole input
	done := func() bool { return p.ended || detached() || ctx.Err() != nil }
	// Most waits are short and need not be interrupted.
	if time.Until(until) > shortTime {
		if p.changes == nil {
			p.watchChanges()
		}
		if ctx.Done() != nil {
			defer context.AfterFunc(ctx, p.interrupt)()
		}
	}
	p.until(until, done)
	switch {
	case ctx.Err() != nil:
		return eventCancel
	case detached():
		return eventDetach
	case p.ended:
		return eventExit
	}
	return eventDeadline
}

func (p *polledPipes) exited(limit time.Duration) bool {
	return p.until(time.Now().Add(limit), func() bool { return p.ended })
}

func (p *polledPipes) drain(limit time.Duration) bool {
	closeFD(&p.in)
	return p.until(time.Now().Add(limit), func() bool { return p.out[0] < 0 && p.out[1] < 0 })
}

// poll waits up to a limit until something can be read or written, and does it. It reports whether there was anything.
func (p *polledPipes) poll(limit time.Duration) (some bool) {
	fds := [4]unix.PollFd{
		{Fd: int32(p.out[0]), Events: unix.POLLIN},
		{Fd: int32(p.out[1]), Events: unix.POLLIN},
		{Fd: int32(p.in), Events: unix.POLLOUT},
		{Fd: -1, Events: unix.POLLIN},
	}
	if !p.ended {
		fds[3].Fd = int32(p.leader.pidfd)
	}
	wait := unix.NsecToTimespec(int64(limit))
	n, _ := unix.Ppoll(fds[:], &wait, nil)
	p.ended = p.ended || p.over.Load()
	if n <= 0 {
		return false
	}
	p.ended = p.ended || fds[3].Revents != 0
	for i := range p.out {
		if fds[i].Revents != 0 {
			p.read(i)
		}
	}
	if fds[2].Revents != 0 {
		p.write()
	}
	return true
}

// read reads an output once: a process that prints for ever must not delay its deadline.
func (p *polledPipes) read(i int) {
	if p.captures[i].read(reader(p.out[i])) != nil {
		closeFD(&p.out[i])
	}
}

// reader reads a non-blocking descriptor.
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

// write writes as much input as the process takes. If the process stops reading, which it may, the input ends there.
// Its exit still counts.
func (p *polledPipes) write() {
	for p.in >= 0 {
		if len(p.input) == 0 {
			closeFD(&p.in)
			return
		}
		n, err := unix.Write(p.in, p.input[0])
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			return
		case err != nil:
			closeFD(&p.in)
			return
		}
		p.input[0] = p.input[0][n:]
		if len(p.input[0]) == 0 {
			p.input = p.input[1:]
		}
	}
}

func (p *polledPipes) takeDetach() (yes bool) {
	yes, p.detach = p.detach, false
	return yes
}

func (p *polledPipes) stop() (stdout, stderr Output) {
	for i := range p.theirs {
		closeFD(&p.theirs[i])
	}
	closeFD(&p.in)
	closeFD(&p.out[0])
	closeFD(&p.out[1])
	if p.changes != nil {
		p.changes.Close() // later interrupts do nothing
	}
	return p.captures[0].output(), p.captures[1].output()
}

func closeFD(fd *int) {
	if *fd >= 0 {
		_ = unix.Close(*fd)
		*fd = -1
	}
}
