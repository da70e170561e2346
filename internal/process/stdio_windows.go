package process

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Package windows has no PeekNamedPipe.
var peekNamedPipe = windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")

// pipeEnd is our end of a pipe.
type pipeEnd struct {
	*os.File
	handle windows.Handle // of File, whose Fd would take it from Go's poller
}

// private lets this user alone in. By default all users may read from a pipe, and they can list the names: one who
// opens the pipe before we do would keep the process from starting.
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

// newPipe makes a pipe. A read or write of ours must be able to end before the pipe does, which takes an end for
// asynchronous calls. An anonymous pipe has none, so this one has a name. A process expects ends for synchronous calls.
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

// available is the number of bytes that can be read at once.
func (e *pipeEnd) available() (n uint32) {
	_, _, _ = peekNamedPipe.Call(uintptr(e.handle), 0, 0, 0, uintptr(unsafe.Pointer(&n)), 0)
	return n
}

// widen does nothing: a write ends when all of it has been read, however wide the pipe.
func (s *stdio) widen() {}

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
		if s.pipe.available() == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// createUnnamed creates a temporary file that goes with its last handle, whichever process has that.
func createUnnamed() (*os.File, error) {
	const flags = os.O_RDWR | os.O_CREATE | os.O_EXCL | windows.O_FILE_FLAG_DELETE_ON_CLOSE
	return os.OpenFile(filepath.Join(os.TempDir(), "hookrun-stdin-"+rand.Text()), flags, 0o600)
}
