package process

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Package windows has no PeekNamedPipe.
var peekNamedPipe = windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")

// pipeEnd is our end of a pipe. Windows pipes have no deadlines, so reads and writes are polled.
type pipeEnd struct {
	*os.File
	stopped atomic.Bool
	noWait  bool
}

func (e *pipeEnd) stop() { e.stopped.Store(true) }

func (e *pipeEnd) Read(b []byte) (int, error) {
	for !e.stopped.Load() {
		var available uint32
		ok, _, err := peekNamedPipe.Call(e.Fd(), 0, 0, 0, uintptr(unsafe.Pointer(&available)), 0)
		if ok == 0 {
			if errors.Is(err, windows.ERROR_BROKEN_PIPE) {
				return 0, io.EOF
			}
			return 0, err
		}
		if available > 0 {
			return e.File.Read(b[:min(len(b), int(available))])
		}
		time.Sleep(time.Millisecond)
	}
	return 0, os.ErrDeadlineExceeded
}

func (e *pipeEnd) Write(b []byte) (written int, err error) {
	if !e.noWait {
		mode := uint32(windows.PIPE_NOWAIT)
		windows.SetNamedPipeHandleState(windows.Handle(e.Fd()), &mode, nil, nil)
		e.noWait = true
	}
	for written < len(b) && !e.stopped.Load() {
		n, err := e.File.Write(b[written:min(len(b), written+4096)])
		written += max(n, 0)
		full := errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrShortWrite)
		if err != nil && !full {
			return written, err
		}
		if n <= 0 {
			time.Sleep(time.Millisecond)
		}
	}
	if written < len(b) {
		return written, os.ErrDeadlineExceeded
	}
	return written, nil
}

// unreadBytes cannot be known here.
func unreadBytes(*os.File) int { return -1 }

// follow reads until the end, or until there is more than was asked for.
func (s *stream) follow() {
	piece := make([]byte, 16<<10)
	for {
		n, err := s.pipe.Read(piece)
		s.mu.Lock()
		more := n <= 0 || s.add(piece[:n])
		s.mu.Unlock()
		if err != nil || !more {
			break
		}
	}
	s.tell()
}

// look waits until the goroutine has read what has arrived.
func (s *stream) look() {
	for range 100 {
		var available uint32
		ok, _, _ := peekNamedPipe.Call(s.pipe.Fd(), 0, 0, 0, uintptr(unsafe.Pointer(&available)), 0)
		if ok == 0 || available == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
