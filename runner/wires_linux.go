package runner

import (
	"context"
	"io"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/hookrun/hookrun/protocol"
)

// wires are the three pipes of a running hook, and everything that can happen while it runs. One goroutine does all of it, in
// one system call that waits for whatever comes first: goroutines for each pipe and for the exit would wake each other up for
// longer than a short hook runs.
//
// A descriptor of -1 is none, or none any more.
type wires struct {
	hook     [3]int // the hook's ends, until it has them
	in       int    // ours: closed when everything is written
	out      [2]int // closed at the end of the stream
	payload  protocol.Payload
	captures [2]capture
	p        *process
	ended    bool // the leader has
	asked    bool // the hook said that nobody is to wait for it

	mu     sync.Mutex // of wake, which others write to
	wake   int
	closed bool
	over   bool // the leader has ended, where the system has no descriptor that tells
}

// newWires makes the pipes, wide ones if there is much to write. It returns the ends for the hook. detaches looks at the first
// line of stdout, unless it is nil.
func newWires(payload protocol.Payload, detaches func([]byte) bool) (w *wires, hook [3]uintptr, err error) {
	w = &wires{payload: slices.Clone(payload), hook: [3]int{-1, -1, -1}, in: -1, out: [2]int{-1, -1}, wake: -1} // other hooks have the same payload
	for i := range w.hook {
		var ends [2]int
		if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC); err != nil {
			w.stop()
			return nil, hook, os.NewSyscallError("pipe2", err)
		}
		if payload.Size() > pipeSize {
			_, _, _ = syscall.RawSyscall(syscall.SYS_FCNTL, uintptr(ends[1]), fSetPipeSize, widePipe)
		}
		ours := ends[0]
		if i == 0 {
			w.hook[0], w.in, ours = ends[0], ends[1], ends[1]
		} else {
			w.hook[i], w.out[i-1] = ends[1], ends[0]
		}
		_, _, _ = syscall.RawSyscall(syscall.SYS_FCNTL, uintptr(ours), syscall.F_SETFL, syscall.O_NONBLOCK) // it has no other flags
		hook[i] = uintptr(w.hook[i])
	}
	if detaches != nil {
		w.captures[0].firstLine = func(line []byte) { w.asked = detaches(line) }
	}
	return w, hook, nil
}

// serve begins to serve the process that was started with the hook's ends. Ours of these are closed, which would else keep the
// pipes open for ever.
func (w *wires) serve(p *process) {
	w.p = p
	for i := range w.hook {
		closeFD(&w.hook[i])
	}
	w.write() // mostly the pipe takes it all
	if p.pidfd < 0 {
		w.ready()
		go func() {
			p.waitExit()
			w.rouse(func() { w.over = true })
		}()
	}
}

// rouse interrupts a wait, after it has done something that the wait must see.
func (w *wires) rouse(do func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	do()
	if w.wake >= 0 && !w.closed {
		one := [8]byte{1}
		_, _ = syscall.Write(w.wake, one[:])
	}
}

// ready makes the descriptor by which others interrupt waits.
func (w *wires) ready() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wake < 0 {
		if fd, _, errno := syscall.RawSyscall(syscall.SYS_EVENTFD2, 0, syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0); errno == 0 {
			w.wake = int(fd)
		}
	}
}

// wait waits for what happens next, and feeds and reads the hook meanwhile.
func (w *wires) wait(ctx context.Context, until time.Time) happening {
	// A wait that is over in a moment anyway need not be interrupted, and most are.
	if ctx.Done() != nil && time.Until(until) > briefTime {
		w.ready()
		defer context.AfterFunc(ctx, func() { w.rouse(func() {}) })()
	}
	for {
		left := time.Until(until)
		w.poll(left)
		switch {
		case ctx.Err() != nil:
			return givenUp
		case w.asked && w.in < 0: // it was promised its input all the same
			return detaches
		case w.ended:
			return exits
		case left <= 0:
			return timeUp
		}
	}
}

// exited waits for the end of the leader, so long at most, and reports whether it came.
func (w *wires) exited(limit time.Duration) bool {
	for until := time.Now().Add(limit); !w.ended; {
		left := time.Until(until)
		w.poll(left)
		if left <= 0 {
			break
		}
	}
	return w.ended
}

// drain reads what is still in the pipes, and waits for more as long as somebody holds them, so long at most. For what was not
// written it does not wait: the hook did without.
func (w *wires) drain(limit time.Duration) {
	closeFD(&w.in)
	for until := time.Now().Add(limit); w.out[0] >= 0 || w.out[1] >= 0; {
		left := time.Until(until)
		w.poll(left)
		if left <= 0 {
			return
		}
	}
}

// pollFD is struct pollfd.
type pollFD struct {
	fd           int32
	events, come int16
}

const (
	pollIn  = 0x1
	pollOut = 0x4
)

// lookUpTime is how long a wait goes on that nobody can interrupt, where the system has no descriptor left for that.
const lookUpTime = 20 * time.Millisecond

// poll waits until something can be done, so long at most, and does it.
func (w *wires) poll(limit time.Duration) {
	fds := [5]pollFD{
		{fd: int32(w.out[0]), events: pollIn},
		{fd: int32(w.out[1]), events: pollIn},
		{fd: int32(w.in), events: pollOut},
		{fd: int32(w.wake), events: pollIn},
		{fd: -1, events: pollIn},
	}
	if w.p.pidfd >= 0 && !w.ended {
		fds[4].fd = int32(w.p.pidfd)
	}
	if w.wake < 0 { // nobody can interrupt us, so we look up
		limit = min(limit, lookUpTime)
		w.mu.Lock()
		w.ended = w.ended || w.over
		w.mu.Unlock()
		if w.ended {
			limit = 0
		}
	}
	wait := syscall.NsecToTimespec(int64(max(limit, 0)))
	n, _, errno := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&fds)), uintptr(len(fds)), uintptr(unsafe.Pointer(&wait)), 0, 0, 0)
	if errno != 0 || n == 0 {
		return
	}
	if fds[3].come != 0 {
		var count [8]byte
		_, _ = syscall.Read(w.wake, count[:])
		w.mu.Lock()
		w.ended = w.ended || w.over
		w.mu.Unlock()
	}
	w.ended = w.ended || fds[4].come != 0
	for i := range w.out {
		if fds[i].come != 0 {
			w.read(i)
		}
	}
	if fds[2].come != 0 {
		w.write()
	}
}

// read takes once what an output has: a hook that prints for ever must not keep us from its deadline.
func (w *wires) read(i int) {
	if w.captures[i].read(reader(w.out[i])) != nil {
		closeFD(&w.out[i])
	}
}

// reader reads a descriptor that does not block.
type reader int

func (fd reader) Read(b []byte) (int, error) {
	n, err := syscall.Read(int(fd), b)
	switch {
	case err == syscall.EAGAIN || err == syscall.EINTR:
		return 0, nil
	case err != nil:
		return 0, err
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// write gives the hook what it takes of its input. If it does not want to read, which is its right, that is the end of it; its
// exit still counts.
func (w *wires) write() {
	for w.in >= 0 {
		if len(w.payload) == 0 {
			closeFD(&w.in)
			return
		}
		n, err := syscall.Write(w.in, w.payload[0])
		switch {
		case err == syscall.EINTR:
			continue
		case err == syscall.EAGAIN:
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

// said reports whether the hook said that nobody is to wait for it, and forgets that.
func (w *wires) said() (yes bool) {
	yes, w.asked = w.asked, false
	return yes
}

// stop ends all traffic, closes the pipes, and returns what was printed.
func (w *wires) stop() (stdout, stderr protocol.Capture) {
	for i := range w.hook {
		closeFD(&w.hook[i])
	}
	closeFD(&w.in)
	closeFD(&w.out[0])
	closeFD(&w.out[1])
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	closeFD(&w.wake)
	return w.captures[0].kept(), w.captures[1].kept()
}

func closeFD(fd *int) {
	if *fd >= 0 {
		_ = syscall.Close(*fd)
		*fd = -1
	}
}
