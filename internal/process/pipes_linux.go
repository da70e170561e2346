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

// newPipes makes the pipes that suit the system best.
var newPipes = newPolledPipes

// polledPipes are served by the caller's goroutine alone, beside the wait for the exit. Goroutines for each pipe and
// for the exit would wake each other up for longer than a short process runs. No library waits for pipes and a
// process in one system call.
//
// For the first millisecond it waits in one system call, from which it goes on at once: most processes have ended by
// then. A longer wait there would keep a thread, and other calls from their turn. So it uses Go's own poller then,
// for one descriptor: an edge-triggered epoll set, which becomes ready when anything changes, and not because
// something stays as it is. That matters after the exit: what another thread is just starting has copies of our pipe
// ends until its exec, and keeps these pipes open.
//
// A descriptor of -1 is none, or none any more.
type polledPipes struct {
	theirs   [3]int // the process's ends, until it has them
	in       int    // ours: closed when everything is written
	out      [2]int // closed at the end of the stream
	input    Input
	captures [2]capture
	leader   *leader
	ended    bool        // the leader has
	over     atomic.Bool // the same, said by a goroutine where the kernel has no pidfd
	detach   bool        // the first line asks to be detached

	ppollTime time.Duration   // that is left for waits in a system call
	changes   *os.File        // the epoll set; nil: none was needed yet
	raw       syscall.RawConn // of changes
}

// widePipe is as much as every user may have in one pipe.
const widePipe = 1 << 20

// newPolledPipes makes wide pipes if there is much to write.
func newPolledPipes(input Input, detach func([]byte) bool) (_ pipes, theirs [3]uintptr, err error) {
	p := &polledPipes{theirs: [3]int{-1, -1, -1}, in: -1, out: [2]int{-1, -1}, ppollTime: shortTime}
	p.input = slices.Clone(input) // which other processes get as well
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
		_, _ = unix.FcntlInt(uintptr(ours), unix.F_SETFL, unix.O_NONBLOCK) // it has no other flags
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
	p.write() // mostly the pipe takes it all
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
	// By this os.NewFile knows that it can be waited for.
	_, _ = unix.FcntlInt(uintptr(set), unix.F_SETFL, unix.O_NONBLOCK)
	changes := os.NewFile(uintptr(set), "epoll")
	raw, _ := changes.SyscallConn()
	if err != nil || changes.SetReadDeadline(time.Time{}) != nil { // the poller has no room for it
		changes.Close()
		return
	}
	p.changes, p.raw = changes, raw
}

// interrupt makes a wait look again whether it is over.
func (p *polledPipes) interrupt() {
	if p.changes != nil {
		_ = p.changes.SetReadDeadline(time.Unix(1, 0))
	}
}

// blindTime is how long a wait goes on that nobody can interrupt, where the system has no descriptor left for that.
const blindTime = 20 * time.Millisecond

// until writes and reads until something is done or the time is up, and reports whether it is done.
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

// waitForChange waits until something has changed, and does what can be done then.
func (p *polledPipes) waitForChange(limit time.Time, done func() bool) {
	_ = p.changes.SetReadDeadline(limit)
	_ = p.raw.Read(func(uintptr) bool {
		for p.poll(0) {
			// A process that prints for ever must not keep us from its deadline.
			if done() || !time.Now().Before(limit) {
				return true
			}
		}
		return done()
	})
}

// wait writes and reads meanwhile.
func (p *polledPipes) wait(ctx context.Context, until time.Time) waitEvent {
	detached := func() bool { return p.detach && p.in < 0 } // it still gets its whole input
	done := func() bool { return p.ended || detached() || ctx.Err() != nil }
	// A wait that is over in a moment anyway need not be interrupted, and most are.
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

func (p *polledPipes) drain(limit time.Duration) {
	closeFD(&p.in)
	p.until(time.Now().Add(limit), func() bool { return p.out[0] < 0 && p.out[1] < 0 })
}

// poll waits until something can be done, so long at most, and does it. It reports whether there was anything.
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

// read takes once what an output has: a process that prints for ever must not keep us from its deadline.
func (p *polledPipes) read(i int) {
	if p.captures[i].read(reader(p.out[i])) != nil {
		closeFD(&p.out[i])
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

// write writes what the process takes of its input. If it does not want to read, which is its right, that is the end
// of the input. Its exit still counts.
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
		p.changes.Close() // others may still interrupt, which does nothing then
	}
	return p.captures[0].output(), p.captures[1].output()
}

func closeFD(fd *int) {
	if *fd >= 0 {
		_ = unix.Close(*fd)
		*fd = -1
	}
}
