package process

import (
	"context"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// pipes are the three pipes of a running process, and the wait for its events. The goroutine that waits also writes and
// reads, and sleeps for all descriptors at once: goroutines for the pipes and the exit would wake threads at each call.
type pipes struct {
	leader   *leader
	all      [8]unix.PollFd // by the indexes below; the descriptor may be closed
	input    Input          // not yet written
	written  int            // bytes of the first piece of input
	captures [2]capture
	asks     bool // the first line asked to be detached
	ended    bool // the leader has ended
}

// Indexes of pipes.all. The first three are our ends of the pipes.
const (
	exitEvent   = 3
	cancelEvent = 4 // the context ended
	theirs      = 5 // the process's ends, from here on
)

// closed is no descriptor. The system passes over it in a list.
const closed = -1

// newPipes makes the pipes, and widens them for a large input.
func newPipes(input Input, detach func([]byte) bool) (*pipes, error) {
	p := &pipes{input: input, captures: newCaptures()}
	for i := range p.all {
		p.all[i] = unix.PollFd{Fd: closed, Events: unix.POLLIN}
	}
	p.all[0].Events = unix.POLLOUT
	for i := range 3 {
		var ends [2]int
		if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
			p.close()
			return nil, os.NewSyscallError("pipe2", err)
		}
		p.all[i].Fd, p.all[theirs+i].Fd = int32(ends[1-min(i, 1)]), int32(ends[min(i, 1)])
	}
	if input.size() > pipeSize {
		widen(p.fds())
	}
	if detach != nil {
		p.captures[0].firstLine = func(line []byte) { p.asks = detach(line) }
	}
	return p, nil
}

// fds returns the process's ends.
func (p *pipes) fds() [3]uintptr {
	return [3]uintptr{uintptr(p.all[theirs].Fd), uintptr(p.all[theirs+1].Fd), uintptr(p.all[theirs+2].Fd)}
}

// serve connects the pipes to their started process, closes our copies of the process's ends, and writes what fits into
// the pipe. If the system has no descriptors left for the events, or none of a process, as kernels before 5.3, poll
// looks for the events again and again.
func (p *pipes) serve(l *leader) {
	p.leader = l
	for i := range 3 {
		p.closeFD(theirs + i)
	}
	if fd, err := unix.PidfdOpen(l.pid, 0); err == nil {
		p.all[exitEvent].Fd = int32(fd)
	}
	if fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC); err == nil {
		p.all[cancelEvent].Fd = int32(fd)
	}
	if p.input.size() > smallestPipe { // less is in the pipe at once
		_ = unix.SetNonblock(int(p.all[0].Fd), true)
	}
	p.write()
}

// write writes what fits into the pipe. It closes the pipe after the input, and if the process has stopped reading,
// which is no error: the exit counts.
func (p *pipes) write() {
	for len(p.input) > 0 {
		n, err := unix.Write(int(p.all[0].Fd), p.input[0][p.written:])
		switch p.written += max(n, 0); {
		case err == unix.EAGAIN:
			return
		case err != nil && err != unix.EINTR:
			p.input = nil
		case p.written == len(p.input[0]):
			p.input, p.written = p.input[1:], 0
		}
	}
	p.closeFD(0)
}

// descriptor is a descriptor to read from.
type descriptor int

func (fd descriptor) Read(b []byte) (n int, err error) {
	if n, err = unix.Read(int(fd), b); n == 0 && err == nil {
		err = io.EOF
	}
	return n, err
}

// read reads once from an output in which there is something, or which has ended. It reads even if poll reports the end
// alone: the kernel looks for data first and for writers then, so a program that prints and exits in between has both.
func (p *pipes) read(i int) {
	c := &p.captures[i-1]
	err := c.read(descriptor(p.all[i].Fd))
	if err != nil && err != unix.EINTR {
		c.ended = err == io.EOF
		p.closeFD(i)
	}
}

// poll sleeps until something has happened or the time is over, and handles what has happened.
func (p *pipes) poll(until time.Time) {
	asks := !p.ended && p.all[exitEvent].Fd == closed
	if next := time.Now().Add(pollTime); (asks || p.all[cancelEvent].Fd == closed) && next.Before(until) {
		until = next
	}
	if leaders.Load() <= few || !p.park(until) {
		p.sleep(max(0, time.Until(until)))
	}
	for i := range p.all[:theirs] {
		switch {
		case p.all[i].Revents == 0:
		case i == 0:
			p.write()
		case i == exitEvent:
			p.ended = true
			p.closeFD(i)
		case i == cancelEvent:
			_, _ = descriptor(p.all[i].Fd).Read(make([]byte, 8))
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
	n, err := unix.Ppoll(p.all[:theirs], &timeout, nil)
	if err != nil { // interrupted
		for i := range p.all {
			p.all[i].Revents = 0
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
	for _, fd := range p.all[:theirs] { // a closed one is an error
		_ = unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, int(fd.Fd), &unix.EpollEvent{Events: uint32(fd.Events)})
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
		_, _ = unix.Write(int(p.all[cancelEvent].Fd), []byte{7: 1}) // a number of 8 bytes
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
		case p.asks && p.all[0].Fd == closed: // a detached process still gets its whole input
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
	p.pollUntil(limit, func() bool { return p.ended })
	return p.ended
}

// drain waits until both outputs are read to their ends, up to a limit. The ends arrive late if another process holds
// the pipes. drain does not wait for unwritten input, because the process has ended.
func (p *pipes) drain(limit time.Duration) { p.pollUntil(limit, func() bool { return !p.held() }) }

func (p *pipes) pollUntil(limit time.Duration, done func() bool) {
	for until := time.Now().Add(limit); !done(); {
		if p.poll(until); !time.Now().Before(until) {
			return
		}
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
		c, until := &p.captures[i], p.captures[i].total+keepStdout
		for p.all[1+i].Fd != closed && c.total < until && p.sleep(0) && p.all[1+i].Revents != 0 {
			p.read(1 + i)
		}
	}
	p.close()
	return p.captures[0].output(), p.captures[1].output()
}

func (p *pipes) closeFD(i int) {
	if fd := p.all[i].Fd; fd != closed {
		unix.Close(int(fd))
	}
	p.all[i].Fd = closed
}

// close closes all open descriptors.
func (p *pipes) close() {
	for i := range p.all {
		p.closeFD(i)
	}
}
