package process

import (
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// PeekNamedPipe is missing in package windows.
var peekNamedPipe = windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")

// pipeEnd is our end of a pipe.
type pipeEnd struct {
	*os.File
	handle windows.Handle // of File; File.Fd would take it from Go's poller
}

// private returns security attributes that give access to this user only. By default all users may read from a pipe and
// can list pipe names, and a user who opened the pipe before us would keep the process from starting.
var private = sync.OnceValues(func() (*windows.SecurityAttributes, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, err
	}
	a := &windows.SecurityAttributes{}
	a.Length = uint32(unsafe.Sizeof(*a))
	a.SecurityDescriptor, err = windows.SecurityDescriptorFromString("D:P(A;;FA;;;" + user.User.Sid.String() + ")")
	return a, err
})

// newPipe makes a pipe. Our end must be asynchronous, because our reads and writes must be able to stop before the pipe
// ends. Anonymous pipes have no asynchronous ends, so the pipe has a name. The process's end is synchronous, as
// programs expect.
func newPipe(weRead bool) (theirs *os.File, ours pipeEnd, err error) {
	name := `\\.\pipe\hookrun-` + rand.Text()
	path, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, ours, err
	}
	security, err := private()
	if err != nil {
		return nil, ours, err
	}
	way, access := uint32(windows.PIPE_ACCESS_OUTBOUND), uint32(windows.GENERIC_READ)
	if weRead {
		way, access = windows.PIPE_ACCESS_INBOUND, windows.GENERIC_WRITE
	}
	const flags = windows.FILE_FLAG_FIRST_PIPE_INSTANCE | windows.FILE_FLAG_OVERLAPPED
	ours.handle, err = windows.CreateNamedPipe(path, way|flags,
		windows.PIPE_TYPE_BYTE|windows.PIPE_REJECT_REMOTE_CLIENTS, 1, pipeSize, pipeSize, 0, security)
	if err != nil {
		return nil, ours, os.NewSyscallError("CreateNamedPipe", err)
	}
	ours.File = os.NewFile(uintptr(ours.handle), name)
	handle, err := windows.CreateFile(path, access, 0, nil, windows.OPEN_EXISTING, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		ours.Close()
		return nil, ours, os.NewSyscallError("CreateFile", err)
	}
	return os.NewFile(uintptr(handle), name), ours, nil
}

// stop makes all reads and writes return immediately.
func (e *pipeEnd) stop() { _ = e.SetDeadline(time.Unix(1, 0)) }

// available returns the number of bytes that can be read at once, and whether the pipe is still open.
func (e *pipeEnd) available() (n uint32, open bool) {
	done, _, _ := peekNamedPipe.Call(uintptr(e.handle), 0, 0, 0, uintptr(unsafe.Pointer(&n)), 0)
	return n, done != 0
}

func (r unreadReader) Read(b []byte) (int, error) {
	n, open := r.available()
	switch {
	case !open:
		return 0, io.EOF
	case n == 0:
		return 0, os.ErrDeadlineExceeded
	}
	_ = r.SetDeadline(time.Time{}) // this read does not wait
	defer r.stop()
	return r.File.Read(b[:min(len(b), int(n))])
}

// widen does nothing: on Windows a write ends when all its bytes have been read, at every size of the pipe.
func (s *stdio) widen() {}

// unreadBytes returns -1: unknown on Windows.
func unreadBytes(*os.File) int { return -1 }

// follow reads until the stream ends or is full.
func (s *stream) follow() {
	piece := make([]byte, 16<<10)
	var from io.Reader = s.pipe
	for {
		n, err := from.Read(piece)
		s.mu.Lock()
		more := n <= 0 || s.add(piece[:n])
		s.mu.Unlock()
		if errors.Is(err, os.ErrDeadlineExceeded) { // stopped: what is in the pipe counts
			left, _ := s.pipe.available()
			from, err = io.LimitReader(unreadReader{s.pipe}, int64(left)), nil
		}
		if err != nil || !more {
			break
		}
	}
	s.notify()
}

// drain waits until follow has read the bytes in the pipe.
func (s *stream) drain() {
	for range 100 {
		if n, _ := s.pipe.available(); n == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// createUnnamed creates a temporary file. Windows removes it when the last handle of any process is closed.
func createUnnamed() (*os.File, error) {
	const flags = os.O_RDWR | os.O_CREATE | os.O_EXCL | windows.O_FILE_FLAG_DELETE_ON_CLOSE
	return os.OpenFile(filepath.Join(os.TempDir(), "hookrun-stdin-"+rand.Text()), flags, 0o600)
}
