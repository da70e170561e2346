package runner

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
	select {
	case s.news <- struct{}{}: // the end is news too
	default:
	}
}

// look has nothing to do: a pipe is read by one goroutine here, so what was printed a moment ago may be seen a moment later.
func (s *stream) look() {}
