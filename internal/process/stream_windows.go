package process

import (
	"time"
	"unsafe"
)

// follow reads until the end, or until there is more than anybody asked for.
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

// look waits until the goroutine has read what is there.
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
