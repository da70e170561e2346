//go:build unix

package process

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// pipeEnd is our end of a pipe.
type pipeEnd struct{ *os.File }

// newPipe makes a pipe. We read from it if weRead is set; otherwise we write to it.
func newPipe(weRead bool) (theirs *os.File, ours pipeEnd, err error) {
	reader, writer, err := os.Pipe()
	if weRead {
		return writer, pipeEnd{reader}, err
	}
	return reader, pipeEnd{writer}, err
}

// stop makes all reads and writes return immediately.
func (e *pipeEnd) stop() { _ = e.SetDeadline(time.Unix(1, 0)) }

// follow reads until the stream ends or is full.
func (s *stream) follow() {
	raw, err := s.pipe.SyscallConn()
	if err == nil {
		_ = raw.Read(s.readAll)
	}
	s.notify()
}

// drain reads the bytes in the pipe.
func (s *stream) drain() {
	if raw, err := s.pipe.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { s.readAll(fd) })
	}
}

// readAll reads the bytes in the pipe, and reports whether to stop reading: the stream has ended or is full. It holds
// the lock while it reads, so a holder of the lock knows that no bytes are between the pipe and the kept output.
func (s *stream) readAll(fd uintptr) (ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var piece [16 << 10]byte
	for {
		n, err := unix.Read(int(fd), piece[:])
		switch {
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			return false
		case err != nil || n <= 0:
			return true
		case !s.add(piece[:n]):
			return true
		}
	}
}

// createUnnamed creates a temporary file without a name.
func createUnnamed() (*os.File, error) {
	f, err := os.CreateTemp("", "hookrun-stdin-")
	if err == nil {
		_ = os.Remove(f.Name())
	}
	return f, err
}
