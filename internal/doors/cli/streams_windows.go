package cli

import (
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// endOfInput are the keys that end typed input.
const endOfInput = "Ctrl-Z and Enter"

type descriptor uintptr

// write writes to stdout or stderr. Package os writes UTF-16 to a console, because bytes would be in its code page.
func (d descriptor) write(b []byte) (int, error) {
	if d == descriptor(os.Stderr.Fd()) {
		return os.Stderr.Write(b)
	}
	return os.Stdout.Write(b)
}

// isReadable reports whether a pipe has data or has ended, perhaps after a wait.
func isReadable(pipe *os.File, wait time.Duration) bool {
	for end := time.Now().Add(wait); ; time.Sleep(time.Millisecond) {
		waiting := uint32(0)
		ok, _, _ := peekNamedPipe.Call(pipe.Fd(), 0, 0, 0, uintptr(unsafe.Pointer(&waiting)), 0)
		switch {
		case ok == 0 || waiting > 0: // of an error too: the read has its text
			return true
		case time.Now().After(end):
			return false
		}
	}
}

// peekNamedPipe is missing in package windows.
var peekNamedPipe = windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")
