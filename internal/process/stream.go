package process

import (
	"bytes"
	"sync"
)

// stream is an output of a persistent process. A goroutine reads it. look makes sure that everything printed so far has
// been read. follow and look depend on the system.
type stream struct {
	pipe  *pipeEnd
	most  int           // bytes that are kept
	waits bool          // stop reading at that many bytes: nobody asked for more
	news  chan struct{} // signals that something was printed, or the end

	mu       sync.Mutex // held while reading and for what was read
	kept     Output
	searched int // bytes of the head in which there is no line's end
}

func (s *stream) begin(pipe *pipeEnd, most int) {
	s.pipe, s.most, s.news = pipe, most, make(chan struct{}, 1)
}

// add keeps what was read, and reports whether there is room for more. The caller holds the lock.
func (s *stream) add(b []byte) (more bool) {
	s.kept.Head = append(s.kept.Head, b[:min(len(b), s.most-len(s.kept.Head))]...)
	s.kept.Total += int64(len(b))
	s.tell()
	return !s.waits || s.kept.leftOut() == 0
}

// tell signals news: something was printed, or the stream ended.
func (s *stream) tell() {
	select {
	case s.news <- struct{}{}:
	default:
	}
}

// some reports whether anything was printed.
func (s *stream) some() bool {
	s.look()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept.Total > 0
}

// line reports whether there is a whole line, or more than a line may have.
func (s *stream) line() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if bytes.IndexByte(s.kept.Head[s.searched:], '\n') >= 0 {
		return true
	}
	s.searched = len(s.kept.Head)
	return s.kept.leftOut() > 0
}

// take returns what was printed since the last take.
func (s *stream) take() Output {
	s.look()
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.kept
	s.kept, s.searched = Output{}, 0
	return kept
}
