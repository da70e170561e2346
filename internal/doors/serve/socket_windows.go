package serve

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/windows"

	"github.com/hookrun/hookrun/internal/lib/files/owner"
)

// Programs in any language can open a named pipe like a file. The name is in use as long as the server lives.

const (
	pipeFolder = `\\.\pipe\`
	pipeBuffer = 64 << 10
)

// pipe is a listener. Each client has an instance of the pipe, and a further instance waits for the next client.
type pipe struct {
	name      string
	security  *windows.SecurityAttributes
	wait      windows.Overlapped
	connected windows.Handle // an event
	closed    windows.Handle // an event

	accepting sync.Mutex
	next      windows.Handle // 0 after Close
}

// listen creates the pipe, for this user only.
func listen(path string) (_ listener, err error) {
	name := filepath.FromSlash(path)
	own := len(name) > len(pipeFolder) && strings.EqualFold(name[:len(pipeFolder)], pipeFolder)
	if !own || strings.Contains(name[len(pipeFolder):], `\`) {
		return nil, errors.New(`on Windows it is a named pipe; write \\.\pipe\ and a name`)
	}
	p := &pipe{name: name}
	defer func() {
		if err != nil {
			_ = p.Close()
		}
	}()
	if p.security, err = owner.Attributes(""); err != nil {
		return nil, err
	}
	if p.connected, err = windows.CreateEvent(nil, 1, 0, nil); err != nil {
		return nil, err
	}
	p.wait.HEvent = p.connected
	if p.closed, err = windows.CreateEvent(nil, 1, 0, nil); err != nil {
		return nil, err
	}
	// Without the flag another user could have created the pipe first, and would get our clients.
	p.next, err = p.instance(windows.FILE_FLAG_FIRST_PIPE_INSTANCE)
	if err == windows.ERROR_ACCESS_DENIED || err == windows.ERROR_PIPE_BUSY {
		return nil, errLive
	}
	if err != nil {
		return nil, fmt.Errorf("making the pipe: %w", err)
	}
	var instances uint32 // Wine 8.0 ignores the flag
	if windows.GetNamedPipeHandleState(p.next, nil, &instances, nil, nil, nil, 0) == nil && instances > 1 {
		return nil, errLive
	}
	return p, nil
}

func (p *pipe) instance(flags uint32) (windows.Handle, error) {
	name, err := windows.UTF16PtrFromString(p.name)
	if err != nil {
		return 0, err
	}
	return windows.CreateNamedPipe(name, windows.PIPE_ACCESS_DUPLEX|windows.FILE_FLAG_OVERLAPPED|flags,
		windows.PIPE_TYPE_BYTE|windows.PIPE_REJECT_REMOTE_CLIENTS, windows.PIPE_UNLIMITED_INSTANCES,
		pipeBuffer, pipeBuffer, 0, p.security)
}

// accept always keeps an instance: otherwise the name would be free once all clients have left, and another user could
// create the pipe. If no instance can be created, the client waits: the next accept finds the client connected.
func (p *pipe) accept() (io.ReadWriteCloser, error) {
	p.accepting.Lock()
	defer p.accepting.Unlock()
	if p.next == 0 {
		return nil, net.ErrClosed
	}
	switch err := p.connect(); err {
	case nil, windows.ERROR_PIPE_CONNECTED:
	case windows.ERROR_NO_DATA, windows.ERROR_BROKEN_PIPE: // the client has left; its text can still be read
	default:
		return nil, err
	}
	next, err := p.instance(0)
	if err != nil {
		return nil, fmt.Errorf("making one more instance of the pipe: %w", err)
	}
	c := os.NewFile(uintptr(p.next), p.name)
	p.next = next
	return c, nil
}

// connect waits for a client of the next instance, or for Close.
func (p *pipe) connect() error {
	err := windows.ConnectNamedPipe(p.next, &p.wait)
	if err != windows.ERROR_IO_PENDING {
		return err
	}
	which, err := windows.WaitForMultipleObjects([]windows.Handle{p.connected, p.closed}, false, windows.INFINITE)
	if err != nil || which != windows.WAIT_OBJECT_0 {
		_ = windows.CancelIoEx(p.next, &p.wait)
		err = net.ErrClosed
	}
	var n uint32
	if failed := windows.GetOverlappedResult(p.next, &p.wait, &n, true); err == nil {
		err = failed
	}
	return err
}

// Close ends accept and closes the waiting instance. The pipe ends with its last instance.
func (p *pipe) Close() error {
	_ = windows.SetEvent(p.closed)
	p.accepting.Lock()
	defer p.accepting.Unlock()
	for _, h := range []*windows.Handle{&p.next, &p.connected, &p.closed} {
		if *h != 0 && *h != windows.InvalidHandle {
			windows.CloseHandle(*h)
		}
		*h = 0
	}
	return nil
}

// mayCall returns nil, because the pipe admits no other user.
func mayCall(io.ReadWriteCloser) error { return nil }
