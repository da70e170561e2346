package process

import (
	"bytes"
	"sync"
)

// stream is one output of a process that stays. It can be looked at: what was printed before something else is there
// then, though a goroutine reads as well. follow and look are the system's.
type stream struct {
	pipe  *pipeEnd
	most  int           // bytes that are kept
	waits bool          // with so many it is not read on: nobody asked for more
	news  chan struct{} // has something when there is something

	mu   sync.Mutex // of reading and of what was read
	kept Output
}

func (s *stream) begin(pipe *pipeEnd, most int, waits bool) {
	s.pipe, s.most, s.waits, s.news = pipe, most, waits, make(chan struct{}, 1)
}

// add keeps what was read. It reports whether there is room for more. The lock is held.
func (s *stream) add(b []byte) (more bool) {
	s.kept.Head = append(s.kept.Head, b[:min(len(b), s.most-len(s.kept.Head))]...)
	s.kept.Total += int64(len(b))
	s.tell()
	return !s.waits || s.kept.leftOut() == 0
}

// tell says that there is news: something was printed, or the stream ended.
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

// line reports whether there is a line, or more than one may have.
func (s *stream) line() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept.leftOut() > 0 || bytes.IndexByte(s.kept.Head, '\n') >= 0
}

// take returns what was printed since it was last taken.
func (s *stream) take() Output {
	s.look()
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.kept
	s.kept = Output{}
	return kept
}
