package process

import (
	"bytes"
	"sync"
)

// stream is an output of a persistent process. The goroutine follow reads it. drain returns after all bytes printed so
// far have been read. Both depend on the system.
type stream struct {
	pipe      *pipeEnd
	limit     int           // bytes that are kept
	stopsFull bool          // stop reading when full: the rest is no answer
	changed   chan struct{} // signals new output, or the end

	mu       sync.Mutex // held while reading, and for the fields below
	kept     Output
	searched int // bytes of the head known to hold no newline
}

func (s *stream) begin(pipe *pipeEnd, limit int) {
	s.pipe, s.limit, s.changed = pipe, limit, make(chan struct{}, 1)
}

// add keeps b, and reports whether to read on. The caller holds the lock.
func (s *stream) add(b []byte) (more bool) {
	s.kept.Head = append(s.kept.Head, b[:min(len(b), s.limit-len(s.kept.Head))]...)
	s.kept.Total += int64(len(b))
	s.notify()
	return !s.stopsFull || s.kept.leftOut() == 0
}

// notify signals new output, or the end of the stream.
func (s *stream) notify() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// hasOutput reports whether there is output that no call has taken.
func (s *stream) hasOutput() bool {
	s.drain()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept.Total > 0
}

// line reports whether there is a complete line, or more bytes than a line may have.
func (s *stream) line() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if bytes.IndexByte(s.kept.Head[s.searched:], '\n') >= 0 {
		return true
	}
	s.searched = len(s.kept.Head)
	return s.kept.leftOut() > 0
}

// take returns the output since the last take.
func (s *stream) take() Output {
	s.drain()
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.kept
	s.kept, s.searched = Output{}, 0
	return kept
}
