package serve

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"

	"github.com/hookrun/hookrun/internal/ownpath"
)

// A named pipe is what programs of any language open like a file. Its name is in use as long as its server lives.

const (
	pipeFolder = `\\.\pipe\`
	pipeBuffer = 64 << 10
)

// shortages are errors of accept that pass.
var shortages = []error{
	windows.ERROR_NO_SYSTEM_RESOURCES, windows.ERROR_NOT_ENOUGH_MEMORY, windows.ERROR_NOT_ENOUGH_QUOTA,
	windows.ERROR_TOO_MANY_OPEN_FILES,
}

// pipe is a listener. Each client gets an instance of its own, and one more waits for the next client.
type pipe struct {
	name      string
	security  *windows.SecurityAttributes
	next      windows.Handle // 0: making it failed
	wait      windows.Overlapped
	connected windows.Handle // an event
	closed    windows.Handle // an event
}

// listen makes the pipe, for this user alone.
func listen(path string) (l listener, err error) {
	name := filepath.FromSlash(path)
	own := len(name) > len(pipeFolder) && strings.EqualFold(name[:len(pipeFolder)], pipeFolder)
	if !own || strings.Contains(name[len(pipeFolder):], `\`) {
		return nil, errors.New(`on Windows it is a named pipe; write \\.\pipe\ and a name`)
	}
	if err := refuseLive(name); err != nil {
		return nil, err
	}
	p := &pipe{name: name}
	if p.security, err = ownpath.Attributes(""); err != nil {
		return nil, err
	}
	// Others could otherwise have made the pipe first, and would get our clients.
	if p.next, err = p.instance(windows.FILE_FLAG_FIRST_PIPE_INSTANCE); err != nil {
		return nil, err
	}
	p.connected, err = windows.CreateEvent(nil, 1, 0, nil)
	if err == nil {
		p.closed, err = windows.CreateEvent(nil, 1, 0, nil)
	}
	p.wait.HEvent = p.connected
	return p, err
}

// refuseLive refuses a pipe that has a server.
func refuseLive(name string) error {
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		file.Close()
	}
	return errors.New("another server listens on it; end that one, or use another name")
}

func (p *pipe) instance(flags uint32) (windows.Handle, error) {
	name, err := windows.UTF16PtrFromString(p.name)
	if err != nil {
		return 0, err
	}
	h, err := windows.CreateNamedPipe(name, windows.PIPE_ACCESS_DUPLEX|windows.FILE_FLAG_OVERLAPPED|flags,
		windows.PIPE_TYPE_BYTE|windows.PIPE_REJECT_REMOTE_CLIENTS, windows.PIPE_UNLIMITED_INSTANCES,
		pipeBuffer, pipeBuffer, 0, p.security)
	if err != nil {
		return 0, fmt.Errorf("making the pipe: %w", err)
	}
	return h, nil
}

func (p *pipe) accept() (c io.ReadWriteCloser, err error) {
	for {
		if p.next == 0 {
			if p.next, err = p.instance(0); err != nil {
				return nil, err
			}
		}
		err = p.connect()
		instance := p.next
		p.next = 0
		switch err {
		case nil, windows.ERROR_PIPE_CONNECTED:
			p.next, _ = p.instance(0) // before anybody looks for it; if it fails, the next accept says so
			return os.NewFile(uintptr(instance), p.name), nil
		case windows.ERROR_NO_DATA, windows.ERROR_BROKEN_PIPE: // the client is gone again
			windows.CloseHandle(instance)
		default:
			windows.CloseHandle(instance)
			return nil, err
		}
	}
}

// connect waits for a client of the next instance, or for Close.
func (p *pipe) connect() error {
	if closed, _ := windows.WaitForSingleObject(p.closed, 0); closed == windows.WAIT_OBJECT_0 {
		return net.ErrClosed
	}
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

// Close ends accept, which closes the last instance, and with it the pipe.
func (p *pipe) Close() error { return windows.SetEvent(p.closed) }

// mayCall has nothing to ask: the pipe lets nobody else in.
func mayCall(io.ReadWriteCloser) error { return nil }
