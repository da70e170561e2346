package process

import (
	"os"
	"time"
)

// stdio is the three pipes of a process: the process's ends and ours.
type stdio struct {
	theirs [3]*os.File
	in     pipeEnd
	out    [2]pipeEnd
}

// pipeSize is the usual capacity of a pipe. A larger input costs two context switches for every 64 KiB.
const pipeSize = 64 << 10

// smallestPipe is the smallest capacity of a pipe. The system gives no more to a user with very many pipes.
const smallestPipe = 4 << 10

// newStdio makes the pipes.
func newStdio() (*stdio, error) {
	s := &stdio{}
	for i, ours := range []*pipeEnd{&s.in, &s.out[0], &s.out[1]} {
		var err error
		if s.theirs[i], *ours, err = newPipe(i > 0); err != nil {
			s.close()
			return nil, err
		}
	}
	return s, nil
}

// fds returns the process's ends.
func (s *stdio) fds() [3]uintptr {
	return [3]uintptr{s.theirs[0].Fd(), s.theirs[1].Fd(), s.theirs[2].Fd()}
}

// closeTheirs closes our copies of the process's ends. Otherwise the pipes would never end.
func (s *stdio) closeTheirs() {
	for _, f := range s.theirs {
		f.Close()
	}
}

// close closes all open ends.
func (s *stdio) close() {
	s.closeTheirs()
	for _, f := range []*os.File{s.in.File, s.out[0].File, s.out[1].File} {
		f.Close() // harmless for nil and closed files
	}
}

// write writes the input, and then calls done with the number of bytes written. A process that stops reading causes no
// error: its exit counts. A goroutine writes an input that may not fit into the pipe.
func (s *stdio) write(input Input, done func(written int)) {
	write := func() {
		written, _ := input.writeTo(s.in)
		done(written)
	}
	// Every empty pipe has room for smallestPipe bytes.
	if input.size() <= smallestPipe && unreadBytes(s.in.File) == 0 {
		write()
	} else {
		go write()
	}
}

// within waits up to a limit for done to be closed, and reports whether it was.
func within(done <-chan struct{}, limit time.Duration) bool {
	select {
	case <-done:
		return true
	default:
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
