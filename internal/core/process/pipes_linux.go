package process

import (
	"context"
	"encoding/binary"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// pipes are the three pipes of a running process, and the wait for its events. The goroutine that waits also writes and
// reads, and sleeps for all descriptors at once: goroutines for the pipes and the exit would wake threads at each call.
type pipes struct {
	leader   *leader
	theirs   [3]int
	ours     [5]unix.PollFd // three pipes, the leader's exit and the end of the context; the descriptor may be closed
	input    Input          // not yet written
	written  int            // bytes of the first piece of input
	captures [2]capture
	asks     bool // the first line asked to be detached
	ended    bool // the leader has ended
}

// Indexes of pipes.ours after the three pipes.
const (
	exitEvent = 3 + iota
	cancelEvent
)

// closed is no descriptor. The system ignores a closed descriptor in a list.
const closed = -1

// newPipes makes the pipes, and widens them for a large input.
func newPipes(input Input, detach func([]byte) bool) (*pipes, error) {
	p := &pipes{input: input, captures: newCaptures(), theirs: [3]int{closed, closed, closed}}
	for i := range p.ours {
		p.ours[i] = unix.PollFd{Fd: closed, Events: unix.POLLIN}
	}
	if err := p.open(); err != nil {
		p.close()
		return nil, err
	}
	if input.size() > pipeSize {
		widen(p.fds())
	}
	if detach != nil {
		p.captures[0].firstLine = func(line []byte) { p.asks = detach(line) }
	}
	return p, nil
}

func (p *pipes) open() error {
	for i := range p.theirs {
		var ends [2]int
		if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
			return os.NewSyscallError("pipe2", err)
		}
		theirs := min(i, 1)
		p.theirs[i], p.ours[i].Fd = ends[theirs], int32(ends[1-theirs])
	}
	cancel, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	p.ours[0].Events, p.ours[cancelEvent].Fd = unix.POLLOUT, int32(cancel)
	return os.NewSyscallError("eventfd", err)
}

// fds returns the process's ends.
func (p *pipes) fds() (fds [3]uintptr) {
	for i, fd := range p.theirs {
		fds[i] = uintptr(fd)
	}
	return fds
}

// serve connects the pipes to their started process, closes our copies of the process's ends, and writes what fits into
// the pipe. Kernels before 5.3 have no descriptor of a process: see poll.
func (p *pipes) serve(l *leader) {
	p.closeTheirs()
	p.leader = l
	for i := range p.theirs {
		_ = unix.SetNonblock(int(p.ours[i].Fd), true)
	}
	if fd, err := unix.PidfdOpen(l.pid, 0); err == nil {
		p.ours[exitEvent].Fd = int32(fd)
	}
	p.write()
}

// write writes what fits into the pipe. It closes the pipe after the input, and if the process has stopped reading,
// which is no error: the exit counts.
func (p *pipes) write() {
	for len(p.input) > 0 {
		n, err := unix.Write(int(p.ours[0].Fd), p.input[0][p.written:])
		switch p.written += max(n, 0); {
		case err == unix.EAGAIN:
			return
		case err != nil && err != unix.EINTR:
			p.input = nil
		case p.written == len(p.input[0]):
			p.input, p.written = p.input[1:], 0
		}
	}
	p.closeOurs(0)
}

// Read reads from a descriptor.
func (fd descriptor) Read(b []byte) (n int, err error) {
	if n, err = unix.Read(int(fd), b); n == 0 && err == nil {
		err = io.EOF
	}
	return n, err
}

type descriptor int

// read reads once from an output, and reports whether there was something.
func (p *pipes) read(i int) bool {
	c := &p.captures[i-1]
	before := c.total
	if err := c.read(descriptor(p.ours[i].Fd)); err != nil && err != unix.EAGAIN && err != unix.EINTR {
		c.ended = err == io.EOF
		p.closeOurs(i)
	}
	return c.total > before
}

// poll sleeps until something has happened or the time is over, and handles what has happened.
func (p *pipes) poll(until time.Time) {
	asks := !p.ended && p.ours[exitEvent].Fd == closed // the system cannot announce the exit
	if next := time.Now().Add(pollTime); asks && next.Before(until) {
		until = next
	}
	if leaders.Load() <= few || !p.park(until) {
		p.sleep(max(0, time.Until(until)))
	}
	for i := range p.ours {
		switch happened := p.ours[i].Revents != 0; {
		case !happened:
		case i == 0:
			p.write()
		case i == exitEvent:
			p.ended = true
			p.closeOurs(i)
		case i == cancelEvent:
			_, _ = descriptor(p.ours[i].Fd).Read(make([]byte, 8))
		default:
			p.read(i)
		}
	}
	p.ended = p.ended || asks && p.leader.hasEnded()
}

// few is for how many processes threads wait. A thread is the fastest to wake, but Go keeps it for good, and 300 hooks
// that hang would leave 300.
const few = 8

// sleep sleeps in a thread, and reports whether something has happened.
func (p *pipes) sleep(limit time.Duration) bool {
	timeout := unix.NsecToTimespec(int64(limit))
	n, err := unix.Ppoll(p.ours[:], &timeout, nil)
	if err != nil { // interrupted
		for i := range p.ours {
			p.ours[i].Revents = 0
		}
	}
	return n > 0
}

// park sleeps without a thread. It returns false at once if it cannot.
func (p *pipes) park(until time.Time) bool {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return false
	}
	_ = unix.SetNonblock(epoll, true)
	f := os.NewFile(uintptr(epoll), "epoll")
	defer f.Close()
	for i := range p.ours {
		if fd := p.ours[i].Fd; fd != closed {
			_ = unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, int(fd), &unix.EpollEvent{Events: uint32(p.ours[i].Events)})
		}
	}
	raw, err := f.SyscallConn()
	if err != nil || f.SetReadDeadline(until) != nil {
		return false
	}
	if raw.Read(func(uintptr) bool { return p.sleep(0) }) != nil {
		p.sleep(0)
	}
	return true
}

// wait waits for the next event.
func (p *pipes) wait(ctx context.Context, until time.Time) waitEvent {
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(woken)
		_, _ = unix.Write(int(p.ours[cancelEvent].Fd), binary.NativeEndian.AppendUint64(nil, 1))
	})
	defer func() {
		if !stop() {
			<-woken
		}
	}()
	for {
		p.poll(until)
		switch {
		case p.ended:
			return eventExit
		case p.asks && p.ours[0].Fd == closed: // a detached process still gets its whole input
			return eventDetach
		case ctx.Err() != nil:
			return eventCancel
		case !time.Now().Before(until):
			return eventDeadline
		}
	}
}

// exited waits for the end of the leader up to a limit, and reports whether the leader ended.
func (p *pipes) exited(limit time.Duration) bool {
	for until := time.Now().Add(limit); !p.ended; {
		p.poll(until)
		if !time.Now().Before(until) {
			break
		}
	}
	return p.ended
}

// drain waits until both outputs are read to their ends, up to a limit. The ends arrive late if another process holds
// the pipes. drain does not wait for unwritten input, because the process has ended.
func (p *pipes) drain(limit time.Duration) {
	for until := time.Now().Add(limit); p.held() && time.Now().Before(until); {
		p.poll(until)
	}
}

// takeDetach reports whether the process has asked to be detached, and resets the request.
func (p *pipes) takeDetach() bool {
	asks := p.asks
	p.asks = false
	return asks
}

// held reports whether another process still holds an output. Call it after the exit.
func (p *pipes) held() bool { return !p.captures[0].ended || !p.captures[1].ended }

// stop reads what is in the pipes, closes them, and returns the kept output.
func (p *pipes) stop() (stdout, stderr Output) {
	for i := range p.captures {
		// A pipe holds less than keepStdout; more comes from a process that still prints.
		for until := p.captures[i].total + keepStdout; p.captures[i].total < until && p.read(1+i); {
		}
	}
	p.close()
	return p.captures[0].output(), p.captures[1].output()
}

// closeTheirs closes our copies of the process's ends. Otherwise the pipes would never end.
func (p *pipes) closeTheirs() {
	for i, fd := range p.theirs {
		if fd != closed {
			unix.Close(fd)
		}
		p.theirs[i] = closed
	}
}

func (p *pipes) closeOurs(i int) {
	if fd := p.ours[i].Fd; fd != closed {
		unix.Close(int(fd))
	}
	p.ours[i].Fd = closed
}

// close closes all open descriptors.
func (p *pipes) close() {
	p.closeTheirs()
	for i := range p.ours {
		p.closeOurs(i)
	}
}
